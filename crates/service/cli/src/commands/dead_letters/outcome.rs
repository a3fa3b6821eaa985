//! What became of a dead letter, in one word and a sentence.

use projectionist_core::{Counters, Defect};

/// What became of a dead letter, or would become of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It went: its event counts as what the word says.
    Settled(&'static str),
    /// It went: somebody gave it up.
    Discarded,
    /// It is kept with this reason.
    FailedAgain(Defect),
    /// It is kept: a later event of its entity was applied.
    Superseded { sequence: i64, last: i64 },
    /// It is kept: nobody said that it may be applied without knowing what came after it.
    NeedsForce,
    /// It is kept: the file does not declare its projection.
    NotDeclared,
    /// It is kept: the record is no event.
    Malformed,
    /// Somebody else settled it meanwhile.
    Gone,
}

impl Outcome {
    /// What a settled event counts as.
    pub(super) fn settled(counters: &Counters) -> Self {
        let words = [
            ("unmatched", counters.unmatched),
            ("filtered", counters.filtered),
            ("ignored", counters.ignored),
            ("stale", counters.stale),
        ];
        let met = words.into_iter().find(|(_, count)| *count > 0);
        Self::Settled(met.map_or("applied", |(word, _)| word))
    }

    /// The word for it, which is also its name in JSON.
    pub(super) fn word(&self) -> &'static str {
        match self {
            Self::Settled(word) => word,
            Self::Discarded => "discarded",
            Self::FailedAgain(_) => "failed_again",
            Self::Superseded { .. } => "superseded",
            Self::NeedsForce => "needs_force",
            Self::NotDeclared => "not_declared",
            Self::Malformed => "malformed",
            Self::Gone => "gone",
        }
    }

    /// Why it was kept, and what to do; for those that went, only what is not plain.
    pub(super) fn detail(&self) -> Option<String> {
        Some(match self {
            Self::Settled("stale") => {
                "an event with the same number was applied: this one is a repetition".to_owned()
            }
            Self::Settled("unmatched") => {
                "the projection does not name events of this type".to_owned()
            }
            Self::Settled(_) | Self::Discarded => return None,
            Self::FailedAgain(defect) => defect.error.clone(),
            Self::Superseded { sequence, last } => format!(
                "number {sequence} is too late: number {last} of its entity was applied; to have \
                 it in the table, use `projectionist rebuild` with a file that can apply it, or a \
                 new target, else discard it"
            ),
            Self::NeedsForce => {
                "the projection has `sequence: none` and cannot tell whether a later event was \
                 applied; add --force if that does no harm"
                    .to_owned()
            }
            Self::NotDeclared => {
                "the file does not declare its projection; name the file that does, or discard it"
                    .to_owned()
            }
            Self::Malformed => "the record is no event: it can only be discarded".to_owned(),
            Self::Gone => "somebody else settled it meanwhile".to_owned(),
        })
    }
}
