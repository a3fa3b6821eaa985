//! The one list of cases. The tests of every store and the table of rules come from it.

use crate::Capability;

/// A case: a test that every store must pass.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// The suite that it belongs to: `offset_store`, or `transactional` for a case that needs
    /// transactions and what is built on them.
    pub suite: &'static str,
    /// The module that holds it.
    pub theme: &'static str,
    /// The function.
    pub name: &'static str,
    /// The numbered sentences of `docs/spec/store.md` that it proves.
    pub rules: &'static [&'static str],
    /// What the store must be able to do.
    pub needs: Option<Capability>,
}

/// Hands the list to another macro.
#[doc(hidden)]
#[macro_export]
macro_rules! for_each_store_case {
    ([$($with:tt)+] $($arguments:tt)*) => {
        $($with)+! { [$($arguments)*]
            offset_store {
                claims {
                    epochs_strictly_increase: "S-CLAIM-1";
                    a_grant_tells_the_claim_and_the_row: "S-CLAIM-2";
                    a_held_lane_tells_its_holder: "S-CLAIM-3";
                    a_claim_expires_at_its_time: "S-CLAIM-4";
                    a_live_holder_is_superseded_from_its_epoch: "S-CLAIM-5";
                    a_free_lane_is_granted_from_any_epoch: "S-CLAIM-6";
                    a_release_frees_at_once_and_keeps_the_rest: "S-CLAIM-7";
                    a_superseded_claim_releases_nothing: "S-CLAIM-8";
                    a_renewed_claim_holds_on: "S-CLAIM-9";
                    an_expired_claim_that_nobody_took_is_renewed: "S-CLAIM-9";
                    a_released_claim_that_nobody_took_is_renewed: "S-CLAIM-9";
                    a_superseded_claim_is_not_renewed: "S-CLAIM-10";
                    one_of_many_claimers_wins: "S-CLAIM-11";
                    lanes_are_claimed_apart: "S-CLAIM-12";
                    an_owner_is_kept_with_its_process: "S-CLAIM-13";
                }
                offsets {
                    a_commit_is_seen_by_every_handle: "S-OFFSET-1";
                    a_superseded_claim_commits_nothing: "S-OFFSET-2";
                    a_released_lane_still_fences_the_older_claim: "S-OFFSET-2";
                    an_unexpected_offset_is_refused: "S-OFFSET-3";
                    no_offset_leaves_the_offset: "S-OFFSET-4";
                    lanes_are_listed_in_order: "S-OFFSET-5";
                    names_and_offsets_read_back_as_written: "S-OFFSET-6";
                    a_row_tells_when_it_last_moved: "S-OFFSET-7";
                    an_expired_claim_that_nobody_took_still_commits: "S-OFFSET-8";
                    one_of_many_commits_on_the_same_offset_wins: "S-OFFSET-9";
                }
                resets {
                    a_reset_sets_or_clears_the_offset: "S-OFFSET-10";
                    a_refused_reset_changes_nothing: "S-OFFSET-2" "S-OFFSET-3";
                    a_reset_keeps_how_far_the_lane_was: "S-OFFSET-11";
                    how_far_it_was_stays_until_it_is_passed: "S-OFFSET-12";
                    a_reset_tells_when_the_row_moved: "S-OFFSET-7";
                }
                ahead {
                    what_is_ahead_reads_back_as_written needs Ahead: "S-AHEAD-1";
                    what_is_ahead_is_replaced_or_left needs Ahead: "S-AHEAD-2";
                    a_reset_forgets_what_is_ahead needs Ahead: "S-AHEAD-3";
                    a_refused_commit_leaves_what_is_ahead needs Ahead: "S-OFFSET-2" "S-OFFSET-3";
                    what_is_ahead_is_kept_or_the_store_says_not: "S-AHEAD-4";
                }
                counters {
                    counts_add_up: "S-COUNT-1";
                    lanes_count_apart: "S-COUNT-2";
                    large_counts_are_exact: "S-COUNT-3";
                }
                dead_letters {
                    a_letter_reads_back_as_written: "S-LETTER-1";
                    the_first_letter_of_a_position_stays: "S-LETTER-2";
                    a_letter_of_the_source_is_kept_once: "S-LETTER-3";
                    lanes_keep_their_letters_apart: "S-LETTER-4";
                    letters_are_filtered_and_limited_in_order: "S-LETTER-5";
                    every_part_of_a_filter_holds: "S-LETTER-6";
                    a_refused_commit_keeps_no_letter needs AtomicCommit: "S-OFFSET-2" "S-OFFSET-3";
                }
                parked {
                    a_parked_envelope_reads_back_as_written: "S-PARK-1";
                    envelopes_and_keys_come_in_the_order_of_parking: "S-PARK-2";
                    parking_again_keeps_the_place: "S-PARK-3";
                    what_is_unparked_is_gone: "S-PARK-4";
                    lanes_park_apart: "S-PARK-5";
                    nothing_but_a_commit_moves_parked_envelopes: "S-PARK-6";
                    a_refused_commit_parks_nothing needs AtomicCommit: "S-OFFSET-2" "S-OFFSET-3";
                }
                management {
                    a_flag_is_unset_then_set_then_lifted: "S-MANAGE-1";
                    flags_of_a_name_and_of_its_lanes_are_apart: "S-MANAGE-2";
                    flags_and_lanes_are_independent: "S-MANAGE-3";
                    a_flag_tells_since_when: "S-MANAGE-4";
                    a_lane_is_paused_by_its_flag_or_its_name: "S-MANAGE-5";
                }
                requests {
                    ids_increase_and_are_never_given_twice: "S-MANAGE-6";
                    requests_are_listed_oldest_first_and_whole: "S-MANAGE-7";
                    a_request_needs_neither_row_nor_owner: "S-MANAGE-8";
                    a_request_is_answered_once: "S-MANAGE-9";
                    an_answer_to_nothing_changes_nothing: "S-MANAGE-10";
                    a_request_is_withdrawn_until_it_is_answered: "S-MANAGE-11";
                    a_refused_commit_answers_nothing needs AtomicCommit: "S-OFFSET-2" "S-OFFSET-3";
                }
                reports {
                    a_report_reads_back_as_written: "S-REPORT-1";
                    only_the_last_claim_says_something: "S-REPORT-2";
                    reports_and_progress_are_apart: "S-REPORT-3";
                    a_survey_tells_all_that_is_kept: "S-REPORT-4";
                    a_report_outlives_the_store needs Reopen: "S-REPORT-1" "S-DURABLE-1";
                }
                durable {
                    everything_committed_is_there_after_opening_again needs Reopen: "S-DURABLE-1";
                    fencing_outlives_the_store needs Reopen: "S-DURABLE-2";
                    ids_of_requests_outlive_the_store needs Reopen: "S-MANAGE-6" "S-DURABLE-1";
                }
                older {
                    what_an_older_version_wrote_is_there needs Migrate: "S-DURABLE-3";
                    an_older_store_can_what_a_new_one_can needs Migrate: "S-DURABLE-3";
                }
                killed_commits {
                    a_kill_before_a_commit_leaves_nothing needs OtherProcess: "S-DURABLE-4";
                    a_kill_after_a_commit_leaves_all needs OtherProcess: "S-DURABLE-4";
                    a_kill_among_commits_leaves_whole_ones needs OtherProcess: "S-DURABLE-4";
                }
            }
            transactional {
                transactions {
                    a_commit_writes_everything: "S-TX-1";
                    what_is_not_committed_is_not_there: "S-TX-2";
                    a_rollback_brings_rows_back: "S-TX-2";
                    a_transaction_opens_only_at_what_is_expected: "S-TX-3";
                    a_superseded_claim_opens_no_transaction: "S-TX-4";
                    a_refused_commit_rolls_back: "S-TX-5";
                    a_take_over_meets_a_whole_transaction: "S-TX-6";
                    a_transaction_without_an_offset_leaves_it: "S-TX-7";
                    a_failed_transaction_leaves_nothing_and_blocks_nothing: "S-TX-8";
                    a_transaction_sees_its_own_writes: "S-TX-9";
                    transactions_of_several_lanes_take_turns: "S-TX-10";
                }
                transaction_commits {
                    a_commit_in_a_transaction_parks_and_answers: "S-TX-11";
                    what_is_ahead_is_written_in_a_transaction needs Ahead: "S-TX-11";
                    a_reset_in_a_transaction_is_a_reset: "S-TX-11";
                    a_refused_commit_in_a_transaction_keeps_nothing: "S-TX-5" "S-TX-11";
                }
                read_model {
                    making_a_table_again_changes_nothing: "S-ROW-1";
                    a_table_of_another_shape_is_refused: "S-ROW-2";
                    a_column_of_another_type_is_refused: "S-ROW-2";
                    columns_are_known_by_their_names: "S-ROW-2";
                    a_missing_table_is_refused: "S-ROW-3";
                    a_table_of_another_owner_is_refused: "S-ROW-21";
                    every_tenant_has_a_table_with_its_own_owner: "S-ROW-21";
                    an_owner_that_was_rolled_back_is_none: "S-ROW-21";
                    tables_of_tenants_are_apart: "S-ROW-4";
                    names_are_only_names: "S-ROW-5";
                    an_empty_batch_changes_nothing: "S-ROW-6";
                    indexes_change_no_rows: "S-ROW-22";
                }
                values {
                    values_read_back_as_written: "S-ROW-7";
                    every_type_can_be_a_key: "S-ROW-8";
                    a_key_has_several_columns: "S-ROW-8";
                    a_table_may_be_nothing_but_its_key: "S-ROW-9";
                    a_null_that_is_not_allowed_is_refused: "S-ROW-10";
                }
                effects {
                    every_pair_of_answers_does_what_it_says: "S-ROW-11";
                    a_change_leaves_other_columns: "S-ROW-12";
                    what_existed_is_reported_in_order: "S-ROW-13";
                    scopes_are_deleted_before_the_effects: "S-ROW-14";
                    a_batch_may_be_large: "S-ROW-15";
                    batches_take_effect_in_the_order_of_the_calls: "S-ROW-16";
                    random_batches_equal_a_plain_fold: "S-ROW-11" "S-ROW-12";
                }
                sums {
                    integers_are_added_exactly: "S-ROW-17";
                    doubles_are_added_as_ieee_754: "S-ROW-18";
                    reals_are_added_as_ieee_754: "S-ROW-18";
                    numerics_are_added_exactly: "S-ROW-19";
                    numerics_stay_within_their_limits: "S-ROW-19";
                    a_null_counts_as_its_default: "S-ROW-20";
                }
                guard {
                    an_unknown_entity_has_no_number: "S-GUARD-1";
                    numbers_come_in_the_order_of_the_question: "S-GUARD-2";
                    the_last_record_is_remembered: "S-GUARD-3";
                    scopes_are_apart: "S-GUARD-4";
                    numbers_outlive_the_rows: "S-GUARD-5";
                    entities_are_whole_texts: "S-GUARD-6";
                    a_rollback_forgets_numbers: "S-GUARD-7";
                    many_entities_fit_one_call: "S-GUARD-8";
                    the_guard_is_shared_by_handles: "S-GUARD-9";
                    the_version_tells_what_others_recorded: "S-GUARD-10";
                }
                settled_letters {
                    names_increase_and_are_never_given_twice: "S-LETTER-7";
                    a_settled_letter_is_gone_and_counted_anew: "S-LETTER-8";
                    a_letter_of_the_source_counts_nothing_when_it_goes: "S-LETTER-8";
                    a_letter_that_failed_again_stays_in_its_place: "S-LETTER-9";
                    what_is_settled_and_not_committed_is_as_before: "S-LETTER-10";
                    a_savepoint_takes_back_what_came_after_it: "S-LETTER-11";
                    the_owner_goes_on_while_letters_are_settled: "S-LETTER-12";
                }
                declarations {
                    a_declaration_reads_back_as_written: "S-DECLARE-1";
                    a_deployment_is_conditional: "S-DECLARE-2";
                    a_withdrawn_declaration_stays: "S-DECLARE-3";
                    tables_are_migrated_with_their_rows: "S-DECLARE-4";
                    what_is_more_than_an_addition_is_refused: "S-DECLARE-5";
                }
                durable_views {
                    views_and_numbers_are_there_after_opening_again needs Reopen: "S-DURABLE-1";
                    owners_of_tables_outlive_the_store needs Reopen: "S-ROW-21" "S-DURABLE-1";
                }
                killed_transactions {
                    a_kill_in_a_transaction_leaves_nothing needs OtherProcess: "S-DURABLE-5";
                    a_kill_after_a_transaction_leaves_all needs OtherProcess: "S-DURABLE-5";
                    a_kill_among_transactions_leaves_whole_ones needs OtherProcess: "S-DURABLE-5";
                }
            }
        }
    };
}

macro_rules! need {
    () => {
        None
    };
    ($need:ident) => {
        Some(Capability::$need)
    };
}

macro_rules! list {
    ([] $($suite:ident {
        $($theme:ident { $($case:ident $(needs $need:ident)? : $($rule:literal)+;)+ })+
    })+) => {
        &[$($($(
            Case {
                suite: stringify!($suite),
                theme: stringify!($theme),
                name: stringify!($case),
                rules: &[$($rule),+],
                needs: need!($($need)?),
            },
        )+)+)+]
    };
}

/// Every case.
pub const CASES: &[Case] = crate::for_each_store_case! { [list] };
