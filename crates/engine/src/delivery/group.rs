//! Collects envelopes into groups.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::ops::Range;
use std::pin::pin;
use std::task::{Context, Poll};
use std::time::Duration;

use projectionist_core::contract::SourceProvider;
use projectionist_core::{Counters, DeadLetter, Defect, Result, SourceItem};
use tokio::time::{Instant, sleep_until};

use super::feed::Fill;
use super::incarnation::Incarnation;
use super::letters::{not_vouched_for, skipped_by_command};
use crate::management::order::SkipOrder;
use crate::progress::Admission;
use crate::progress::lane_progress::regressed;
use crate::signals::Interruption;

/// When a group is closed. The first limit that is met closes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupConfig {
    /// So many envelopes. Default 20.
    pub max_envelopes: usize,
    /// So many bytes, as the source counts them. Default 16 MiB.
    pub max_bytes: usize,
    /// So long after its first envelope. Default 500 ms.
    pub max_delay: Duration,
    /// So long after its first envelope when the source has nothing more at hand. Default 500 ms;
    /// shorter than `max_delay` it makes large groups while catching up and prompt ones when live.
    pub linger: Duration,
}

impl Default for GroupConfig {
    fn default() -> Self {
        let half_a_second = Duration::from_millis(500);
        Self {
            max_envelopes: 20,
            max_bytes: 16 << 20,
            max_delay: half_a_second,
            linger: half_a_second,
        }
    }
}

/// How collecting a group ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Closed {
    /// A limit was met.
    Full,
    /// The source ended; the group may be short or empty.
    SourceEnded,
    /// The run is interrupted; the group is dropped and read again.
    Interrupted(Interruption),
}

/// A record between the envelopes of a group that is not handled: it is passed when the group is.
pub(super) struct Aside<Position> {
    pub(super) position: Position,
    pub(super) counters: Counters,
    pub(super) letter: Option<DeadLetter>,
}

/// A group of envelopes, and what is passed over between them.
pub(super) struct Group<P: SourceProvider> {
    pub(super) envelopes: Vec<P::Envelope>,
    /// In the order of the lane.
    pub(super) asides: Vec<Aside<P::Position>>,
    /// The position of the last record of any kind.
    pub(super) last: Option<P::Position>,
    bytes: usize,
    /// Those who have asked for envelopes of this group to be passed over, in the order of the lane.
    pub(super) skipped: Vec<SkipOrder<P::Position>>,
    /// What came from the source and did not fit into the group any more.
    backlog: VecDeque<SourceItem<P::Envelope, P::Position>>,
}

impl<P: SourceProvider> Group<P> {
    pub(super) fn new() -> Self {
        Self {
            envelopes: Vec::new(),
            asides: Vec::new(),
            last: None,
            bytes: 0,
            skipped: Vec::new(),
            backlog: VecDeque::new(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.last.is_none()
    }

    /// Empties the group and keeps its buffers.
    pub(super) fn clear(&mut self) {
        self.envelopes.clear();
        self.asides.clear();
        self.last = None;
        self.bytes = 0;
    }

    /// Collects the next group. While it is empty, it is closed as soon as something else is `due`.
    pub(super) async fn collect<S>(
        &mut self,
        run: &mut Incarnation<'_, P, S>,
        config: &GroupConfig,
        mut due: impl FnMut(&mut Context<'_>) -> bool,
    ) -> Result<Closed> {
        let mut opened: Option<Instant> = None;
        loop {
            if let Some(interruption) = run.signals.current() {
                return Ok(Closed::Interrupted(interruption));
            }
            if !self.backlog.is_empty() {
                self.take_backlog(run, config)?;
            }
            let now = Instant::now();
            let opened_at = *opened.get_or_insert(now);
            let is_over = !self.is_empty() && now.duration_since(opened_at) >= config.max_delay;
            if is_over || !self.backlog.is_empty() || self.is_full(config) {
                return Ok(Closed::Full);
            }
            if self.is_empty() {
                opened = None;
            }
            let patience = config.linger.min(config.max_delay);
            // A time that cannot be named is not waited for.
            let deadline = opened.and_then(|opened| opened.checked_add(patience));
            match self.refill(run, deadline, &mut due).await? {
                Refill::Items => {}
                Refill::Ended => return Ok(Closed::SourceEnded),
                Refill::Quiet => return Ok(Closed::Full),
                Refill::Interrupted(interruption) => return Ok(Closed::Interrupted(interruption)),
            }
        }
    }

    fn is_full(&self, config: &GroupConfig) -> bool {
        let records = self.envelopes.len() + self.asides.len();
        // A limit of zero is met by the first record: a group without any would never end.
        records > 0 && (records >= config.max_envelopes || self.bytes >= config.max_bytes)
    }

    /// Moves items from the backlog into the group until one is left over or all are in.
    fn take_backlog<S>(
        &mut self,
        run: &mut Incarnation<'_, P, S>,
        config: &GroupConfig,
    ) -> Result<()> {
        while !self.is_full(config)
            && let Some(item) = self.backlog.pop_front()
        {
            let position = match &item {
                SourceItem::Envelope(envelope) => run.provider.position(envelope),
                SourceItem::Malformed(malformed) => malformed.position.clone(),
            };
            if self.ends_replay(run, &position) {
                self.backlog.push_front(item);
                return Ok(());
            }
            self.push(run, item, position)?;
        }
        Ok(())
    }

    /// Whether the group is a replay and `position` is none: they are not handled together.
    fn ends_replay<S>(&self, run: &Incarnation<'_, P, S>, position: &P::Position) -> bool {
        let last = self.last.as_ref();
        last.is_some_and(|last| run.progress.is_replay(last)) && !run.progress.is_replay(position)
    }

    fn push<S>(
        &mut self,
        run: &mut Incarnation<'_, P, S>,
        item: SourceItem<P::Envelope, P::Position>,
        position: P::Position,
    ) -> Result<()> {
        match &self.last {
            Some(last) if position <= *last => return Err(regressed(run.lane(), last, &position)),
            Some(_) => {}
            None if run.progress.follows(&position)? == Admission::Boundary => return Ok(()),
            None => {}
        }
        if run.progress.settled_ahead(&position) {
            // An earlier run has handled and counted it. It is passed when the group is.
            self.last = Some(position);
            return Ok(());
        }
        match item {
            SourceItem::Envelope(envelope) => {
                self.bytes += run.provider.size_bytes(&envelope);
                if let Some(skip) = run.takes_skip(&position) {
                    self.skipped.push(skip);
                    let keep = run.settings.dead_letters;
                    self.pass_over(run, &envelope, skipped_by_command(), 0, keep);
                } else {
                    self.envelopes.push(envelope);
                }
            }
            SourceItem::Malformed(malformed) => {
                self.bytes += malformed.raw.len();
                self.asides.push(Aside {
                    position: position.clone(),
                    counters: Counters {
                        malformed: 1,
                        ..Counters::ZERO
                    },
                    letter: Some(run.malformed_letter(malformed)),
                });
            }
        }
        self.last = Some(position);
        Ok(())
    }

    /// The position of the last envelope of `part`.
    pub(super) fn end_of<S>(
        &self,
        run: &Incarnation<'_, P, S>,
        part: &Range<usize>,
    ) -> Option<P::Position> {
        let end = self.envelopes[part.clone()].last();
        end.map(|end| run.provider.position(end))
    }

    /// The position that the lane reaches when `part` is settled, the last one of the group or not.
    pub(super) fn reached_by<S>(
        &self,
        run: &Incarnation<'_, P, S>,
        part: &Range<usize>,
        is_last: bool,
    ) -> Option<P::Position> {
        if is_last {
            self.last.clone()
        } else {
            self.end_of(run, part)
        }
    }

    /// Passes over an envelope when the group is passed.
    fn pass_over<S>(
        &mut self,
        run: &Incarnation<'_, P, S>,
        envelope: &P::Envelope,
        defect: Defect,
        attempts: u32,
        keep: bool,
    ) {
        let position = run.provider.position(envelope);
        let (counters, letter) = run.passed_over(envelope, defect, attempts, keep);
        let at = self
            .asides
            .partition_point(|aside| aside.position < position);
        let aside = Aside {
            position,
            counters,
            letter,
        };
        self.asides.insert(at, aside);
    }

    /// Passes over the envelopes of `part`, which stay where they are.
    pub(super) fn pass_over_part<S>(
        &mut self,
        run: &Incarnation<'_, P, S>,
        part: &Range<usize>,
        defect: &Defect,
        attempts: u32,
        keep: bool,
    ) {
        let envelopes = std::mem::take(&mut self.envelopes);
        for envelope in &envelopes[part.clone()] {
            self.pass_over(run, envelope, defect.clone(), attempts, keep);
        }
        self.envelopes = envelopes;
    }

    /// Takes the envelopes of `part`, tried so often, out of the group that their source does not
    /// vouch for any more; gives how many these are, or the interruption that ended the asking.
    pub(super) async fn verify<S>(
        &mut self,
        run: &mut Incarnation<'_, P, S>,
        part: Range<usize>,
        attempts: u32,
    ) -> Result<Result<usize, Interruption>> {
        let (mut index, mut end) = (part.start, part.end);
        let provider = run.provider;
        while index < end
            && let Some(envelope) = self.envelopes.get(index)
        {
            let position = provider.position(envelope);
            match run.vouches(&position).await? {
                Ok(true) => {
                    index += 1;
                    continue;
                }
                Ok(false) => {}
                Err(interruption) => return Ok(Err(interruption)),
            }
            end -= 1;
            let envelope = self.envelopes.remove(index);
            let keep = run.settings.dead_letters;
            self.pass_over(run, &envelope, not_vouched_for(), attempts, keep);
        }
        Ok(Ok(part.end - end))
    }

    /// Waits for items, until the deadline of the group where it has one.
    async fn refill<S>(
        &mut self,
        run: &mut Incarnation<'_, P, S>,
        deadline: Option<Instant>,
        due: &mut impl FnMut(&mut Context<'_>) -> bool,
    ) -> Result<Refill> {
        run.waiters.passed(run.progress.low());
        let ready = poll_fn(|cx| match run.feed.poll_fill(cx, &mut self.backlog) {
            Poll::Ready(filled) => Poll::Ready(Some(filled)),
            Poll::Pending => Poll::Ready(None),
        });
        if let Some(filled) = ready.await {
            run.saw(&self.backlog);
            return Ok(filled?.into());
        }
        // Nothing at hand, and no group that is being collected: everything is handled.
        let is_empty = self.is_empty();
        let _quiet = is_empty.then(|| run.shared.quiet());
        let feed = poll_fn(|cx| run.feed.poll_fill(cx, &mut self.backlog));
        let mut quiet = pin!(async {
            match deadline {
                Some(deadline) => sleep_until(deadline).await,
                None => std::future::pending().await,
            }
        });
        let due = poll_fn(|cx| {
            if is_empty && due(cx) {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        });
        let refilled = tokio::select! {
            biased;
            filled = feed => filled?.into(),
            interruption = run.signals.raised() => Refill::Interrupted(interruption),
            () = &mut quiet => Refill::Quiet,
            () = due => Refill::Quiet,
        };
        if let Refill::Items = refilled {
            run.saw(&self.backlog);
        }
        Ok(refilled)
    }
}

enum Refill {
    Items,
    Ended,
    /// The source had nothing more until the deadline.
    Quiet,
    Interrupted(Interruption),
}

impl From<Fill> for Refill {
    fn from(fill: Fill) -> Self {
        match fill {
            Fill::Items => Self::Items,
            Fill::Ended => Self::Ended,
        }
    }
}
