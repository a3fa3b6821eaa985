//! The names of the metrics and of their labels. What each one means stands in
//! [`METRICS`](crate::METRICS).

/// Events that commits settled, by [`OUTCOME`].
pub const EVENTS: &str = "persistence_projection_events_total";

/// Events that reached a projection.
pub const EVENTS_READ: &str = "persistence_projection_events_read_total";

/// Events that were passed over, dead letters included. Has the label [`PROJECTION`] only.
pub const EVENTS_SKIPPED: &str = "persistence_projection_events_skipped_total";

/// Events that were parked.
pub const EVENTS_PARKED: &str = "persistence_projection_events_parked_total";

/// Parked events that were let go.
pub const EVENTS_UNPARKED: &str = "persistence_projection_events_unparked_total";

/// Applied events that were folded into a later write.
pub const EVENTS_FOLDED: &str = "persistence_projection_events_folded_total";

/// Records that are no envelopes.
pub const RECORDS_MALFORMED: &str = "persistence_projection_records_malformed_total";

/// Events that are parked now.
pub const PARKED_EVENTS: &str = "persistence_projection_parked_events";

/// Keys that are parked now.
pub const PARKED_KEYS: &str = "persistence_projection_parked_keys";

/// Commits that the store has carried out.
pub const COMMITS: &str = "persistence_projection_commits_total";

/// When the last commit was.
pub const LAST_COMMIT: &str = "persistence_projection_last_commit_timestamp_seconds";

/// How many events a lane is behind its source.
pub const LAG_EVENTS: &str = "persistence_projection_lag_events";

/// How long ago the last handled event happened, while there are others behind it.
pub const LAG_SECONDS: &str = "persistence_projection_lag_seconds";

/// Attempts of handlers that failed. Has the label [`PROJECTION`] only.
pub const FAILURES: &str = "persistence_projection_failures_total";

/// Whether a failure streak is open. Has the label [`PROJECTION`] only.
pub const STALLED: &str = "persistence_projection_stalled";

/// Attempts that took longer than the handler's time limit.
pub const HANDLER_TIMEOUTS: &str = "persistence_projection_handler_timeouts_total";

/// Runs that failed and were followed by another one.
pub const RESTARTS: &str = "persistence_projection_restarts_total";

/// Projections that ended, by [`OUTCOME`].
pub const ENDED: &str = "persistence_projection_ended_total";

/// Claims that were granted.
pub const CLAIMS_GRANTED: &str = "persistence_projection_claims_granted_total";

/// Claims that were lost.
pub const CLAIMS_LOST: &str = "persistence_projection_claims_lost_total";

/// What a lane does now, by [`STATE_LABEL`].
pub const STATE: &str = "persistence_projection_state";

/// Whether a lane waits for another owner.
pub const STANDING_BY: &str = "persistence_projection_standing_by";

/// Whether a lane is paused.
pub const PAUSED: &str = "persistence_projection_paused";

/// Commands of management that were answered, by [`OUTCOME`].
pub const MANAGEMENT_COMMANDS: &str = "persistence_projection_management_commands_total";

/// The label that holds the name of the projection.
pub const PROJECTION: &str = "projection";

/// The label that holds the key of the lane.
pub const KEY: &str = "key";

/// The label that tells how something came out.
pub const OUTCOME: &str = "outcome";

/// The label that holds a [`LaneActivity`](crate::LaneActivity).
pub const STATE_LABEL: &str = "state";
