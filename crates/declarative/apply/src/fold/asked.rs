//! Events that wait to be told whether a row was there.

/// Events that wait to be told whether a row was there, in one chain an effect.
#[derive(Debug, Default)]
pub(super) struct AskedEvents {
    entries: Vec<Asked>,
}

/// The last event of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct AskedRef(u32);

/// An event that waits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    pub(super) event: u32,
    pub(super) rule: Rule,
    before: Option<AskedRef>,
}

/// What becomes of an event, as the row was there or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// It is ignored when the row was there: an insert.
    IgnoredIfThere,
    /// It is ignored when the row was missing.
    IgnoredIfMissing,
    /// It is at fault when the row was missing.
    RefusedIfMissing,
}

impl AskedEvents {
    pub(super) fn clear(&mut self) {
        self.entries.clear();
    }

    /// Adds an event behind those of a chain.
    pub(super) fn add(&mut self, before: Option<AskedRef>, event: u32, rule: Rule) -> AskedRef {
        let index = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        self.entries.push(Asked {
            event,
            rule,
            before,
        });
        AskedRef(index)
    }

    /// The events of a chain, the last one first.
    pub(super) fn chain(&self, last: AskedRef) -> impl Iterator<Item = Asked> {
        let entry = |at: AskedRef| self.entries.get(at.0 as usize).copied();
        std::iter::successors(entry(last), move |asked| asked.before.and_then(entry))
    }
}
