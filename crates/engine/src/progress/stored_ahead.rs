//! What the row of a lane says is settled ahead, and what it is to say.

use std::collections::VecDeque;

use projectionist_core::{Ahead, Commit, Offset, Position, ProjectionId, Result, SettledRange};

use super::window::Window;

/// What the row of a lane says is settled ahead, and what it is to say.
#[derive(Debug)]
pub(super) struct StoredAhead<P> {
    /// The ranges that the row held when the run began and that the lane has not passed yet.
    coming: VecDeque<(P, P)>,
    /// The ranges that the row holds when the last commit is taken.
    written: Vec<(P, P)>,
    /// A commit that was to write them was not taken.
    lost: bool,
    scratch: Vec<(P, P)>,
    /// The buffers of a commit that has nothing to write.
    spare: Option<Ahead>,
}

impl<P: Position> StoredAhead<P> {
    /// What the row tells. A range that `low` has passed says nothing new.
    pub(super) fn load(lane: &ProjectionId, ahead: &Ahead, low: Option<&P>) -> Result<Self> {
        let position = |text: &String| {
            let (manifest, text) = (ahead.manifest.clone(), text.clone());
            Offset { manifest, text }.position::<P>(lane)
        };
        let ranges = ahead.ranges.iter();
        let written = ranges
            .map(|range| Ok((position(&range.first)?, position(&range.last)?)))
            .collect::<Result<Vec<_>>>()?;
        let coming = written
            .iter()
            .filter(|(_, last)| low.is_none_or(|low| last > low))
            .cloned()
            .collect();
        Ok(Self {
            coming,
            written,
            lost: false,
            scratch: Vec::new(),
            spare: None,
        })
    }

    /// Whether the lane has passed all that an earlier run has settled.
    pub(super) fn is_passed(&self) -> bool {
        self.coming.is_empty()
    }

    /// Whether the record at `position` was settled by an earlier run.
    pub(super) fn contains(&self, position: &P) -> bool {
        if self.is_passed() {
            return false;
        }
        let at = self.coming.partition_point(|(_, last)| last < position);
        let range = self.coming.get(at);
        range.is_some_and(|(first, _)| first <= position)
    }

    /// Whether nothing is settled ahead, nothing is to be said about it, and `commit` says nothing.
    #[inline]
    pub(super) fn is_settled_with(&self, window: &Window<P>, commit: &Commit) -> bool {
        window.ahead() == 0
            && self.coming.is_empty()
            && self.written.is_empty()
            && !self.lost
            && commit.ahead.is_none()
    }

    /// Puts into `commit` what is settled ahead, when the row does not hold it yet: what the window
    /// has, and what the row held behind `reached`, the last record that the lane has come to.
    pub(super) fn fill(&mut self, window: &Window<P>, reached: Option<&P>, commit: &mut Commit) {
        if let Some(buffers) = commit.ahead.take() {
            self.spare = Some(buffers);
        }
        let is_empty = self.coming.is_empty() && self.written.is_empty();
        if window.ahead() == 0 && is_empty && !self.lost {
            return;
        }
        while let Some((_, last)) = self.coming.front()
            && reached.is_some_and(|reached| last <= reached)
        {
            self.coming.pop_front();
        }
        let ranges = &mut self.scratch;
        ranges.clear();
        window.each_range(|first, last| ranges.push((first.clone(), last.clone())));
        for (first, last) in &self.coming {
            match ranges.last_mut() {
                // The lane stands within this range: the window has its beginning.
                Some((_, end)) if first <= end => end.clone_from(last),
                _ => ranges.push((first.clone(), last.clone())),
            }
        }
        if *ranges == self.written && !self.lost {
            return;
        }
        std::mem::swap(&mut self.scratch, &mut self.written);
        self.lost = false;
        let mut ahead = self.spare.take().unwrap_or_default();
        write(&self.written, &mut ahead);
        commit.ahead = Some(ahead);
    }

    /// A commit that was to write them was not taken: the next one does.
    pub(super) fn lost(&mut self) {
        self.lost = true;
    }
}

/// Writes the ranges down into buffers that are there.
fn write<P: Position>(ranges: &[(P, P)], ahead: &mut Ahead) {
    ahead.manifest = P::MANIFEST.into();
    ahead.ranges.truncate(ranges.len());
    while ahead.ranges.len() < ranges.len() {
        let (first, last) = (String::new(), String::new());
        ahead.ranges.push(SettledRange { first, last });
    }
    for ((first, last), text) in ranges.iter().zip(&mut ahead.ranges) {
        text.first.clear();
        first.write_to(&mut text.first);
        text.last.clear();
        last.write_to(&mut text.last);
    }
}
