//! Collects envelopes into groups.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use projectionist_core::contract::SourceProvider;
use projectionist_core::{Malformed, Result, SourceItem};
use tokio::time::{Instant, sleep_until};

use super::feed::Fill;
use super::incarnation::Incarnation;
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

/// A group of envelopes, and the malformed records between them.
pub(super) struct Group<P: SourceProvider> {
    pub(super) envelopes: Vec<P::Envelope>,
    pub(super) malformed: Vec<Malformed<P::Position>>,
    /// The position of the last record of any kind.
    pub(super) last: Option<P::Position>,
    bytes: usize,
    /// What came from the source and did not fit into the group any more.
    backlog: VecDeque<SourceItem<P::Envelope, P::Position>>,
}

impl<P: SourceProvider> Group<P> {
    pub(super) fn new() -> Self {
        Self {
            envelopes: Vec::new(),
            malformed: Vec::new(),
            last: None,
            bytes: 0,
            backlog: VecDeque::new(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.envelopes.is_empty() && self.malformed.is_empty()
    }

    /// Empties the group and keeps its buffers.
    pub(super) fn clear(&mut self) {
        self.envelopes.clear();
        self.malformed.clear();
        self.last = None;
        self.bytes = 0;
    }

    /// Collects the next group.
    pub(super) async fn collect<S>(
        &mut self,
        run: &mut Incarnation<'_, P, S>,
        config: &GroupConfig,
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
            match self.refill(run, deadline).await? {
                Refill::Items => {}
                Refill::Ended => return Ok(Closed::SourceEnded),
                Refill::Quiet => return Ok(Closed::Full),
                Refill::Interrupted(interruption) => return Ok(Closed::Interrupted(interruption)),
            }
        }
    }

    fn is_full(&self, config: &GroupConfig) -> bool {
        let records = self.envelopes.len() + self.malformed.len();
        // A limit of zero is met by the first record: a group without any would never end.
        records > 0 && (records >= config.max_envelopes || self.bytes >= config.max_bytes)
    }

    /// Moves items from the backlog into the group until one is left over or all are in.
    fn take_backlog<S>(&mut self, run: &Incarnation<'_, P, S>, config: &GroupConfig) -> Result<()> {
        while !self.is_full(config)
            && let Some(item) = self.backlog.pop_front()
        {
            self.push(run, item)?;
        }
        Ok(())
    }

    fn push<S>(
        &mut self,
        run: &Incarnation<'_, P, S>,
        item: SourceItem<P::Envelope, P::Position>,
    ) -> Result<()> {
        let position = match &item {
            SourceItem::Envelope(envelope) => run.provider.position(envelope),
            SourceItem::Malformed(malformed) => malformed.position.clone(),
        };
        match &self.last {
            Some(last) if position <= *last => return Err(regressed(run.lane(), last, &position)),
            Some(_) => {}
            None if run.progress.admit(&position)? == Admission::Boundary => return Ok(()),
            None => {}
        }
        match item {
            SourceItem::Envelope(envelope) => {
                self.bytes += run.provider.size_bytes(&envelope);
                self.envelopes.push(envelope);
            }
            SourceItem::Malformed(malformed) => {
                self.bytes += malformed.raw.len();
                self.malformed.push(malformed);
            }
        }
        self.last = Some(position);
        Ok(())
    }

    /// Waits for items, until the deadline of the group where it has one.
    async fn refill<S>(
        &mut self,
        run: &mut Incarnation<'_, P, S>,
        deadline: Option<Instant>,
    ) -> Result<Refill> {
        let ready = poll_fn(|cx| match run.feed.poll_fill(cx, &mut self.backlog) {
            Poll::Ready(filled) => Poll::Ready(Some(filled)),
            Poll::Pending => Poll::Ready(None),
        });
        if let Some(filled) = ready.await {
            return Ok(filled?.into());
        }
        let feed = poll_fn(|cx| run.feed.poll_fill(cx, &mut self.backlog));
        let mut quiet = pin!(async {
            match deadline {
                Some(deadline) => sleep_until(deadline).await,
                None => std::future::pending().await,
            }
        });
        tokio::select! {
            biased;
            filled = feed => Ok(filled?.into()),
            interruption = run.signals.raised() => Ok(Refill::Interrupted(interruption)),
            () = &mut quiet => Ok(Refill::Quiet),
        }
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
