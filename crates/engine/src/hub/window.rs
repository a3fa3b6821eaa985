//! The records that a shared pass keeps, and where each of its readers stands in them.

use std::collections::VecDeque;
use std::sync::Arc;

use projectionist_core::SourceItem;
use projectionist_core::contract::SourceProvider;

use super::HubConfig;

/// A record as it is shared.
pub(super) type Item<P> = SourceItem<Arc<<P as SourceProvider>::Envelope>, Position<P>>;

pub(super) type Position<P> = <P as SourceProvider>::Position;

/// A record with its position.
pub(super) struct Entry<P: SourceProvider> {
    pub(super) position: Position<P>,
    pub(super) item: Item<P>,
    bytes: usize,
}

impl<P: SourceProvider> Entry<P> {
    pub(super) fn new(provider: &P, item: SourceItem<P::Envelope, Position<P>>) -> Self {
        match item {
            SourceItem::Envelope(envelope) => Self {
                position: provider.position(&envelope),
                bytes: provider.size_bytes(&envelope),
                item: SourceItem::Envelope(Arc::new(envelope)),
            },
            SourceItem::Malformed(malformed) => Self {
                position: malformed.position.clone(),
                bytes: malformed.raw.len(),
                item: SourceItem::Malformed(malformed),
            },
        }
    }
}

impl<P: SourceProvider> Clone for Entry<P> {
    fn clone(&self) -> Self {
        let item = match &self.item {
            SourceItem::Envelope(envelope) => SourceItem::Envelope(Arc::clone(envelope)),
            SourceItem::Malformed(malformed) => SourceItem::Malformed(malformed.clone()),
        };
        Self {
            position: self.position.clone(),
            item,
            bytes: self.bytes,
        }
    }
}

/// The last records of a pass, numbered from 0 by their delivery.
pub(super) struct Window<P: SourceProvider> {
    entries: VecDeque<Entry<P>>,
    /// The number of the first record that is kept.
    first: u64,
    bytes: usize,
    /// Everything behind this position is kept or still to come.
    behind: Option<Position<P>>,
}

impl<P: SourceProvider> Window<P> {
    /// Nothing was read yet of what is behind `from`.
    pub(super) fn behind(from: Option<Position<P>>) -> Self {
        Self {
            entries: VecDeque::new(),
            first: 0,
            bytes: 0,
            behind: from,
        }
    }

    /// The number of the record that is read next.
    pub(super) fn next(&self) -> u64 {
        self.first + self.entries.len() as u64
    }

    /// The number of the first record behind `position`; `None` when it may be one that is not kept
    /// any more.
    pub(super) fn find(&self, position: Option<&Position<P>>) -> Option<u64> {
        if self.behind.as_ref() > position {
            return None;
        }
        let before = |entry: &Entry<P>| Some(&entry.position) <= position;
        Some(self.first + self.entries.partition_point(before) as u64)
    }

    /// Appends up to `limit` records from number `from` on to `out`; gives how many.
    pub(super) fn copy(&self, from: u64, limit: usize, out: &mut VecDeque<Entry<P>>) -> u64 {
        let skipped = usize::try_from(from.saturating_sub(self.first)).unwrap_or(usize::MAX);
        let before = out.len();
        out.extend(self.entries.iter().skip(skipped).take(limit).cloned());
        (out.len() - before) as u64
    }

    /// Whether another record may be kept.
    pub(super) fn has_room(&self, config: &HubConfig) -> bool {
        self.entries.is_empty()
            || (self.entries.len() < config.max_records && self.bytes < config.max_bytes)
    }

    /// Lets go of the first record that is kept, when its number is below `needed`.
    pub(super) fn forget_one(&mut self, needed: u64) -> bool {
        if self.first >= needed {
            return false;
        }
        let Some(entry) = self.entries.pop_front() else {
            return false;
        };
        self.first += 1;
        self.bytes -= entry.bytes;
        self.behind = Some(entry.position);
        true
    }

    pub(super) fn push(&mut self, entry: Entry<P>) {
        self.bytes += entry.bytes;
        self.entries.push_back(entry);
    }

    /// The number of the first record that is kept.
    pub(super) fn first(&self) -> u64 {
        self.first
    }
}
