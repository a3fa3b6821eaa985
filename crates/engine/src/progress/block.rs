//! A stretch of delivered records: the piece that a window is made of.

/// The records of a block while they are told apart: one bit each.
pub(super) const RECORDS: usize = 64;

/// No block.
pub(super) const NONE: u32 = u32::MAX;

/// A stretch of records with successive delivery indices.
///
/// It begins as up to [`RECORDS`] records that are told apart. When all of them are settled only
/// its two ends are kept, and settled neighbours become one stretch: what is settled costs nothing,
/// however much it is.
#[derive(Debug)]
pub(super) struct Block<P> {
    /// The delivery index of the first record.
    pub(super) start: u64,
    pub(super) records: Records<P>,
    /// The blocks before and behind it.
    pub(super) previous: u32,
    pub(super) next: u32,
}

/// The records of a block.
#[derive(Debug)]
pub(super) enum Records<P> {
    /// Told apart: the positions, and a bit for each that is settled.
    Each { positions: Vec<P>, settled: u64 },
    /// So many, all settled, from the first position to the last.
    All { count: u64, first: P, last: P },
    /// The block is not in use.
    Free,
}

impl<P> Block<P> {
    /// The place of a delivery index in this block.
    ///
    /// `None` where the records are not told apart any more.
    pub(super) fn place(&self, index: u64) -> Option<usize> {
        let Records::Each { positions, .. } = &self.records else {
            return None;
        };
        let place = usize::try_from(index.checked_sub(self.start)?).ok()?;
        (place < positions.len()).then_some(place)
    }

    /// Whether the first record is settled.
    pub(super) fn starts_settled(&self) -> bool {
        match &self.records {
            Records::Each { settled, .. } => settled & 1 == 1,
            Records::All { .. } => true,
            Records::Free => false,
        }
    }

    /// Whether the last record is settled, of a block that has another one behind it.
    pub(super) fn ends_settled(&self) -> bool {
        match &self.records {
            Records::Each { settled, .. } => settled >> (RECORDS - 1) == 1,
            Records::All { .. } => true,
            Records::Free => false,
        }
    }
}
