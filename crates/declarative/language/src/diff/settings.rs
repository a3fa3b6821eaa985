//! Changes of what a projection is set to.

use super::change::{Changes, Class};
use crate::model::{Projection, Sequence};

pub(super) fn compare(changes: &mut Changes<'_>, old: &Projection, new: &Projection) {
    if old.sequence != new.sequence {
        let (what, why) = match new.sequence {
            Sequence::None => (
                "`sequence` is none",
                "events that were skipped as stale would have been applied",
            ),
            Sequence::Guarded => (
                "`sequence` is none no more",
                "nobody has kept the numbers of the events that were applied",
            ),
        };
        changes.push(Class::NeedsRebuild, what, why);
    }
    if old.start != new.start {
        changes.push(
            Class::Additive,
            "`start` is another",
            "it holds for a projection that has not run; this one goes on where it is",
        );
    }
    if old.on_gap != new.on_gap {
        changes.push(
            Class::Additive,
            "`on_gap` is another",
            "it holds from now on",
        );
    }
    if old.retries != new.retries {
        changes.push(
            Class::Additive,
            "`data_retries` or `max_retries` is another",
            "it holds from now on",
        );
    }
}
