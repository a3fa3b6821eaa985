//! What became of the events, as columns for people. Their names for programs are those of an
//! overview.

use projectionist_core::Counters;
pub(super) use projectionist_engine::management::overview::counters_as_json as as_json;

/// A heading and the count under it.
pub(super) type Count = (&'static str, fn(&Counters) -> u64);

const ALWAYS: [Count; 2] = [("READ", |c| c.read), ("APPLIED", |c| c.applied)];

const WHERE_MET: [Count; 10] = [
    ("UNMATCHED", |c| c.unmatched),
    ("FILTERED", |c| c.filtered),
    ("IGNORED", |c| c.ignored),
    ("STALE", |c| c.stale),
    ("SKIPPED", |c| c.skipped),
    ("DEAD LETTERS", |c| c.dead_lettered),
    ("PARKED", Counters::parked),
    ("PENDING", Counters::pending),
    ("FOLDED", |c| c.folded),
    ("MALFORMED", |c| c.malformed),
];

/// The columns for these lanes. A count that is zero everywhere has none, so that a line stays
/// short enough to be read.
pub(super) fn columns(lanes: &[&Counters]) -> Vec<Count> {
    let met = |(_, of): &Count| lanes.iter().any(|counters| of(counters) > 0);
    ALWAYS
        .into_iter()
        .chain(WHERE_MET.into_iter().filter(met))
        .collect()
}
