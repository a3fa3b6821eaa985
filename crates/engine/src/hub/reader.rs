//! One subscriber's way through a source: with the shared pass, or alone.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::Arc;

use futures::stream::{self, BoxStream, StreamExt};
use projectionist_core::Result;
use projectionist_core::contract::{Mode, SourceProvider};

use super::pass::{Membership, Taken};
use super::shared_error::share;
use super::source::{Reading, Shared};
use super::window::{Entry, Item, Position};
use crate::delivery::feed::{Feed, Fill};

/// One subscriber's way through a source.
pub(super) struct Reader<P: SourceProvider> {
    hub: Arc<Shared<P>>,
    mode: Mode,
    /// What was delivered last, or behind what it began.
    last: Option<Position<P>>,
    /// What is not delivered again.
    screen: Screen,
    membership: Option<Membership<P>>,
    /// Its own stream, while it reads alone.
    own: Option<Feed<P>>,
    /// It reads alone to the end.
    stays_alone: bool,
    buffer: VecDeque<Entry<P>>,
    has_ended: bool,
    _reading: Reading<P>,
}

/// What of the next records is not delivered, as it was delivered before.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Screen {
    /// Nothing: what the source delivers is judged by whoever reads.
    Open,
    /// All up to the last position. The first one behind it opens the screen.
    Behind,
    /// The last position, if it comes first.
    Boundary,
}

/// What one step of the way gives.
enum Step {
    /// There may be records in the buffer.
    On,
    End,
}

impl<P: SourceProvider> Reader<P> {
    /// Begins behind `from`.
    pub(super) async fn begin(
        hub: Arc<Shared<P>>,
        from: Option<Position<P>>,
        mode: Mode,
    ) -> Result<Self> {
        let reading = Reading::of(&hub);
        let mut membership = hub.enter(from.as_ref(), mode);
        let (mut own, mut screen) = (None, Screen::Open);
        if membership.is_alone() {
            own = Some(Feed::new(hub.provider.open(from.clone(), mode).await?));
        } else {
            membership.opened().await?;
            if !membership.begins_at(from.as_ref()) {
                screen = Screen::Behind;
            }
        }
        Ok(Self {
            hub,
            mode,
            last: from,
            screen,
            membership: Some(membership),
            own,
            stays_alone: false,
            buffer: VecDeque::new(),
            has_ended: false,
            _reading: reading,
        })
    }

    pub(super) fn into_stream(self) -> BoxStream<'static, Result<Item<P>>> {
        // Boxed: the reader moves with every item.
        let reader = Box::new(self);
        let items = stream::unfold(reader, |mut reader| async move {
            let item = reader.next().await?;
            Some((item, reader))
        });
        items.boxed()
    }

    async fn next(&mut self) -> Option<Result<Item<P>>> {
        loop {
            if let Some(entry) = self.buffer.pop_front() {
                if self.screens(&entry.position) {
                    continue;
                }
                self.last = Some(entry.position);
                return Some(Ok(entry.item));
            }
            if self.has_ended {
                return None;
            }
            let step = if self.own.is_some() {
                self.read_alone().await
            } else {
                self.read_shared().await
            };
            match step {
                Ok(Step::On) => {}
                Ok(Step::End) => self.has_ended = true,
                Err(error) => {
                    self.has_ended = true;
                    return Some(Err(error));
                }
            }
        }
    }

    /// Whether a record was delivered before.
    fn screens(&mut self, position: &Position<P>) -> bool {
        let screen = self.screen;
        let known = match screen {
            Screen::Open => return false,
            Screen::Behind => Some(position) <= self.last.as_ref(),
            Screen::Boundary => Some(position) == self.last.as_ref(),
        };
        if !known || screen == Screen::Boundary {
            self.screen = Screen::Open;
        }
        known
    }

    async fn read_shared(&mut self) -> Result<Step> {
        let Some(membership) = &mut self.membership else {
            return self.part(false).await;
        };
        match membership.take(&mut self.buffer).await {
            Taken::Items => Ok(Step::On),
            Taken::Detached => self.part(false).await,
            // It ended where the source did when the pass began, which was before this one.
            Taken::End(Ok(())) if self.mode == Mode::Current && !membership.is_gathered => {
                self.part(true).await
            }
            Taken::End(Ok(())) => Ok(Step::End),
            Taken::End(Err(error)) => Err(share(&error)),
        }
    }

    /// Goes on alone.
    async fn part(&mut self, for_good: bool) -> Result<Step> {
        let provider = &self.hub.provider;
        let stream = provider.open(self.last.clone(), self.mode).await?;
        self.own = Some(Feed::new(stream));
        self.screen = Screen::Boundary;
        self.stays_alone = for_good;
        if for_good {
            self.membership = None;
        }
        Ok(Step::On)
    }

    async fn read_alone(&mut self) -> Result<Step> {
        if !self.stays_alone && self.joins() {
            self.own = None;
            self.screen = Screen::Behind;
            return Ok(Step::On);
        }
        let Some(feed) = &mut self.own else {
            return Ok(Step::On);
        };
        let mut items = VecDeque::new();
        let filled = poll_fn(|cx| feed.poll_fill(cx, &mut items)).await?;
        let provider = self.hub.provider.as_ref();
        let entries = items.into_iter().map(|item| Entry::new(provider, item));
        self.buffer.extend(entries);
        Ok(match filled {
            Fill::Items => Step::On,
            Fill::Ended => Step::End,
        })
    }

    /// Joins the shared pass, if that is near.
    fn joins(&mut self) -> bool {
        let last = self.last.as_ref();
        let joined = self.membership.as_ref().and_then(|one| one.rejoin(last));
        if let Some(is_shared) = joined {
            return is_shared;
        }
        // The pass that it knew is over.
        self.membership = self.hub.enter_again(last, self.mode);
        self.membership.as_ref().is_some_and(|one| !one.is_alone())
    }
}
