//! Counts what became of the events of a group.

/// Counts which events of a group changed nothing and which were folded away.
///
/// An applied event was **folded** when it had an effect, and each of its effects (on a row, or
/// the delete of a scope) was replaced by, or combined with, the effect of a later event of the
/// same transaction: nothing that is written is its own.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    events: Vec<Entry>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    /// How many effects stand that this event was the last to shape.
    effects: u32,
    had_effects: bool,
    ignored: bool,
}

impl Ledger {
    /// Begins a group of so many events.
    pub(crate) fn open(&mut self, events: usize) {
        self.events.clear();
        self.events.resize(events, Entry::default());
    }

    /// The number of events of the group.
    pub(crate) fn events(&self) -> usize {
        self.events.len()
    }

    /// `event` made an effect.
    pub(crate) fn own(&mut self, event: u32) {
        if let Some(entry) = self.events.get_mut(event as usize) {
            entry.effects += 1;
            entry.had_effects = true;
        }
    }

    /// An effect of `event` became another one's.
    pub(crate) fn release(&mut self, event: u32) {
        if let Some(entry) = self.events.get_mut(event as usize) {
            entry.effects = entry.effects.saturating_sub(1);
        }
    }

    /// `event` changed nothing.
    pub(crate) fn ignore(&mut self, event: u32) {
        if let Some(entry) = self.events.get_mut(event as usize) {
            entry.ignored = true;
        }
    }

    /// How many events changed nothing, and how many were folded.
    pub(crate) fn totals(&self) -> (u64, u64) {
        let (mut ignored, mut folded) = (0, 0);
        for entry in &self.events {
            ignored += u64::from(entry.ignored);
            folded += u64::from(!entry.ignored && entry.had_effects && entry.effects == 0);
        }
        (ignored, folded)
    }
}
