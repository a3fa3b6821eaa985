//! A source that a test steers.

use std::fmt::Debug;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::stream::{self, BoxStream, StreamExt};
use projectionist_core::contract::{Mode, SourceProvider};
use projectionist_core::{BoxError, Error, Malformed, Result, SourceItem};
use tokio::sync::watch;

use crate::{TestEnvelope, TestPosition};

type Item<E> = SourceItem<TestEnvelope<E>, TestPosition>;

/// A source that a test steers. A clone is the same source.
#[derive(Clone, Debug)]
pub struct TestSource<E> {
    state: Arc<Mutex<State<E>>>,
    changed: watch::Sender<()>,
    inclusive: bool,
}

#[derive(Debug)]
struct State<E> {
    items: Vec<Item<E>>,
    completed: bool,
    fail_next_open: Option<String>,
    /// A running stream fails once when it stands behind this position.
    fail_behind: Option<(u64, String)>,
    opened: usize,
}

impl<E> TestSource<E> {
    /// A source of these events, at the positions 1, 2, 3 and so on.
    #[must_use]
    pub fn of(events: impl IntoIterator<Item = E>) -> Self {
        let source = Self {
            state: Arc::new(Mutex::new(State {
                items: Vec::new(),
                completed: false,
                fail_next_open: None,
                fail_behind: None,
                opened: 0,
            })),
            changed: watch::Sender::new(()),
            inclusive: false,
        };
        for event in events {
            source.push(event);
        }
        source
    }

    /// The same source, delivering the position it is opened behind once more.
    #[must_use]
    pub fn inclusive(mut self) -> Self {
        self.inclusive = true;
        self
    }

    /// Adds an event behind the last item.
    pub fn push(&self, event: E) {
        self.push_item(|position| SourceItem::Envelope(TestEnvelope::at(position, event)));
    }

    /// Adds a record that is no envelope behind the last item.
    pub fn push_malformed(&self, reason: &str, raw: &'static [u8]) {
        self.push_item(|position| {
            SourceItem::Malformed(Malformed {
                position: TestPosition(position),
                place: format!("item {position}"),
                reason: reason.to_owned(),
                raw: raw.into(),
            })
        });
    }

    /// Adds an envelope as it is, also one that breaks the order.
    pub fn push_envelope(&self, envelope: TestEnvelope<E>) {
        self.lock().items.push(SourceItem::Envelope(envelope));
        self.changed.send_replace(());
    }

    /// Ends the streams behind their last item, also followed ones.
    pub fn complete(&self) {
        self.lock().completed = true;
        self.changed.send_replace(());
    }

    /// The next `open` fails.
    pub fn fail_next_open(&self, reason: &str) {
        self.lock().fail_next_open = Some(reason.to_owned());
    }

    /// The stream that stands behind `position` next fails, once.
    pub fn fail_behind(&self, position: u64, reason: &str) {
        self.lock().fail_behind = Some((position, reason.to_owned()));
        self.changed.send_replace(());
    }

    /// How often it was opened.
    #[must_use]
    pub fn opened(&self) -> usize {
        self.lock().opened
    }

    fn push_item(&self, item: impl FnOnce(u64) -> Item<E>) {
        let mut state = self.lock();
        let last = state.items.last().map_or(0, |last| position_of(last).0);
        state.items.push(item(last + 1));
        drop(state);
        self.changed.send_replace(());
    }

    fn lock(&self) -> MutexGuard<'_, State<E>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn position_of<E>(item: &Item<E>) -> TestPosition {
    match item {
        SourceItem::Envelope(envelope) => envelope.position,
        SourceItem::Malformed(malformed) => malformed.position,
    }
}

/// What a stream finds at its place.
enum Found<E> {
    Item(Item<E>),
    Failure(String),
    End,
    Nothing,
}

impl<E: Clone> State<E> {
    fn find(&mut self, next: usize, mode: Mode) -> Found<E> {
        let behind = match next.checked_sub(1) {
            Some(last) => self.items.get(last).map(position_of),
            None => Some(TestPosition(0)),
        };
        if let Some((position, _)) = &self.fail_behind
            && behind == Some(TestPosition(*position))
            && let Some((_, reason)) = self.fail_behind.take()
        {
            return Found::Failure(reason);
        }
        match self.items.get(next) {
            Some(item) => Found::Item(item.clone()),
            None if self.completed || mode == Mode::Current => Found::End,
            None => Found::Nothing,
        }
    }
}

impl<E: Clone + Debug + Send + Sync + 'static> SourceProvider for TestSource<E> {
    type Envelope = TestEnvelope<E>;
    type Position = TestPosition;
    type Stream = BoxStream<'static, Result<Item<E>>>;

    async fn open(&self, from: Option<TestPosition>, mode: Mode) -> Result<Self::Stream> {
        let mut state = self.lock();
        state.opened += 1;
        if let Some(reason) = state.fail_next_open.take() {
            return Err(failure("open the test source", reason));
        }
        let is_before = |item: &Item<E>| match from {
            Some(from) if self.inclusive => position_of(item) < from,
            Some(from) => position_of(item) <= from,
            None => false,
        };
        let first = state.items.iter().position(|item| !is_before(item));
        let first = first.unwrap_or(state.items.len());
        drop(state);
        let (source, changed) = (self.clone(), self.changed.subscribe());
        let items = stream::unfold(
            (source, changed, first),
            move |(source, mut changed, next)| async move {
                loop {
                    changed.mark_unchanged();
                    let found = source.lock().find(next, mode);
                    match found {
                        Found::Item(item) => return Some((Ok(item), (source, changed, next + 1))),
                        Found::Failure(reason) => {
                            let error = failure("read the test source", reason);
                            return Some((Err(error), (source, changed, next)));
                        }
                        Found::End => return None,
                        Found::Nothing => changed.changed().await.ok()?,
                    }
                }
            },
        );
        Ok(items.boxed())
    }

    fn position(&self, envelope: &TestEnvelope<E>) -> TestPosition {
        envelope.position
    }

    fn encode(&self, envelope: &TestEnvelope<E>, out: &mut Vec<u8>) {
        out.extend_from_slice(format!("{:?}", envelope.event).as_bytes());
    }
}

fn failure(action: &str, reason: String) -> Error {
    Error::Source {
        action: action.to_owned(),
        retryable: true,
        source: BoxError::from(reason),
    }
}
