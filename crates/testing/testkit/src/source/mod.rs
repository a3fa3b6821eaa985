//! A source that a test steers.

mod provider;
mod script;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use projectionist_core::{Malformed, SourceItem};
use tokio::sync::watch;

use crate::{TestEnvelope, TestPosition};
use script::{OpenFault, Script, StreamFault};

/// What the source delivers.
pub(crate) type Item<E> = SourceItem<TestEnvelope<E>, TestPosition>;

/// A source that a test steers. A clone is the same source.
#[derive(Clone, Debug)]
pub struct TestSource<E> {
    script: Arc<Mutex<Script<E>>>,
    changed: watch::Sender<()>,
    inclusive: bool,
    envelope_bytes: usize,
}

impl<E> TestSource<E> {
    /// A source of these events, at the positions 1, 2, 3 and so on.
    #[must_use]
    pub fn of(events: impl IntoIterator<Item = E>) -> Self {
        let source = Self {
            script: Arc::new(Mutex::new(Script::default())),
            changed: watch::Sender::new(()),
            inclusive: false,
            envelope_bytes: 0,
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

    /// The same source, saying that each envelope keeps `bytes` in memory.
    #[must_use]
    pub fn with_envelope_bytes(mut self, bytes: usize) -> Self {
        self.envelope_bytes = bytes;
        self
    }

    /// Adds an event behind the last item.
    pub fn push(&self, event: E) {
        self.push_item(|position| SourceItem::Envelope(TestEnvelope::at(position, event)));
    }

    /// Adds a record that is no envelope behind the last item.
    pub fn push_malformed(&self, reason: &str, raw: &'static [u8]) {
        self.push_item(|position| malformed(position, reason, raw));
    }

    /// Adds an envelope as it is, also one that breaks the order.
    pub fn push_envelope(&self, envelope: TestEnvelope<E>) {
        self.push_as_it_is(SourceItem::Envelope(envelope));
    }

    /// Adds a record that is no envelope at this position, also one that breaks the order.
    pub fn push_malformed_at(&self, position: u64, reason: &str, raw: &'static [u8]) {
        self.push_as_it_is(malformed(position, reason, raw));
    }

    /// Ends the streams behind their last item, also followed ones.
    pub fn complete(&self) {
        self.lock().completed = true;
        self.tell_change();
    }

    /// The next `open` fails.
    pub fn fail_next_open(&self, reason: &str) {
        self.fail_open(reason, true);
    }

    /// The next `open` fails, and says that trying again cannot help.
    pub fn fail_next_open_for_good(&self, reason: &str) {
        self.fail_open(reason, false);
    }

    /// The next `open` never returns.
    pub fn hang_next_open(&self) {
        self.lock().open_faults.push_back(OpenFault::Hang);
    }

    /// The stream that stands behind `position` next fails, once.
    pub fn fail_behind(&self, position: u64, reason: &str) {
        self.plan(position, StreamFault::Fail(reason.to_owned()));
    }

    /// The stream that stands behind `position` next panics, once.
    pub fn panic_behind(&self, position: u64) {
        self.plan(position, StreamFault::Panic);
    }

    /// How often it was opened.
    #[must_use]
    pub fn opened(&self) -> usize {
        self.lock().opened_behind.len()
    }

    /// The positions behind which it was opened; `None` for the first record.
    #[must_use]
    pub fn opened_behind(&self) -> Vec<Option<u64>> {
        self.lock().opened_behind.clone()
    }

    fn fail_open(&self, reason: &str, retryable: bool) {
        let reason = reason.to_owned();
        let fault = OpenFault::Fail { reason, retryable };
        self.lock().open_faults.push_back(fault);
    }

    fn plan(&self, position: u64, fault: StreamFault) {
        self.lock().stream_faults.push((position, fault));
        self.tell_change();
    }

    fn push_item(&self, item: impl FnOnce(u64) -> Item<E>) {
        let mut script = self.lock();
        let last = script.items.last().map_or(0, |last| position_of(last).0);
        script.items.push(item(last + 1));
        drop(script);
        self.tell_change();
    }

    fn push_as_it_is(&self, item: Item<E>) {
        self.lock().items.push(item);
        self.tell_change();
    }

    fn tell_change(&self) {
        self.changed.send_replace(());
    }

    fn lock(&self) -> MutexGuard<'_, Script<E>> {
        self.script.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn malformed<E>(position: u64, reason: &str, raw: &'static [u8]) -> Item<E> {
    SourceItem::Malformed(Malformed {
        position: TestPosition(position),
        place: format!("item {position}"),
        reason: reason.to_owned(),
        raw: raw.into(),
    })
}

fn position_of<E>(item: &Item<E>) -> TestPosition {
    match item {
        SourceItem::Envelope(envelope) => envelope.position,
        SourceItem::Malformed(malformed) => malformed.position,
    }
}
