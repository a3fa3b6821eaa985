//! A source that a test steers.

mod lease;
mod pace;
mod provider;
mod script;
mod verification;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use projectionist_core::{Malformed, SourceItem, Timestamp};
use tokio::sync::watch;

use crate::{Recorder, TestEnvelope, TestPosition};
pub(crate) use lease::{Lease, Terms};
pub use pace::PaceProbe;
use script::{OpenFault, Script, StreamFault};

/// What the source delivers.
pub(crate) type Item<E> = SourceItem<TestEnvelope<E>, TestPosition>;

/// A source that a test steers. A clone is the same source.
///
/// ```
/// use projectionist_testkit::TestSource;
///
/// let source = TestSource::of(["opened"]);
/// source.push_for("account-2", "opened");
/// source.push_for("account-2", "closed"); // At position 3, with the sequence number 2.
/// let pace = source.manual_pace(); // Delivers nothing before `pace.request_one()`.
/// # drop(pace);
/// ```
#[derive(Debug)]
pub struct TestSource<E> {
    script: Arc<Mutex<Script<E>>>,
    pace: PaceProbe,
    changed: watch::Sender<()>,
    inclusive: bool,
    envelope_bytes: usize,
    /// Where the source is a lane: whether this handle on it may still be read.
    lease: Option<Lease>,
}

impl<E> Clone for TestSource<E> {
    fn clone(&self) -> Self {
        Self {
            script: Arc::clone(&self.script),
            pace: self.pace.clone(),
            changed: self.changed.clone(),
            lease: self.lease.clone(),
            ..*self
        }
    }
}

impl<E> TestSource<E> {
    /// A source of these events, at the positions 1, 2, 3 and so on.
    #[must_use]
    pub fn of(events: impl IntoIterator<Item = E>) -> Self {
        let changed = watch::Sender::new(());
        let source = Self {
            script: Arc::new(Mutex::new(Script::default())),
            pace: PaceProbe::unbounded(changed.clone()),
            changed,
            inclusive: false,
            envelope_bytes: 0,
            lease: None,
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

    /// The same source, whose events happened when `created_at` says: those that are there and
    /// those that are pushed later, except where an envelope brings its own time.
    #[must_use]
    pub fn with_created_at(self, created_at: fn(&E) -> Timestamp) -> Self {
        let mut script = self.lock();
        script.created_at = Some(created_at);
        for item in &mut script.items {
            stamp(item, Some(created_at));
        }
        drop(script);
        self
    }

    /// The same source, telling `recorder` each position that it is asked to
    /// [verify](projectionist_core::contract::SourceProvider::verify), as `verify 3`: so it stands
    /// between what the handler was called.
    #[must_use]
    pub fn recorded_by(self, recorder: &Recorder<E>) -> Self {
        self.lock().recorder = Some(recorder.clone());
        self
    }

    /// The same source, vouching for its positions before and, in exactly-once, after the handler.
    /// A source begins to do so too when it is told to [refuse](Self::refuse) one; a projection
    /// asks whether it does at the beginning of a run.
    #[must_use]
    pub fn verifying(self) -> Self {
        self.lock().verification.is_on = true;
        self
    }

    /// Delivers nothing more before the probe requests it.
    #[must_use]
    pub fn manual_pace(&self) -> PaceProbe {
        self.pace.bound();
        self.pace.clone()
    }

    /// Adds an event behind the last item.
    pub fn push(&self, event: E) {
        self.push_item(|position, _| SourceItem::Envelope(TestEnvelope::at(position, event)));
    }

    /// Adds an event of an entity behind the last item, with the next sequence number of that
    /// entity.
    pub fn push_for(&self, persistence_id: &str, event: E) {
        self.push_item(|position, script| {
            let number = script.last_number(persistence_id) + 1;
            let envelope = TestEnvelope::new(position, persistence_id, number, event);
            SourceItem::Envelope(envelope)
        });
    }

    /// Adds a record that is no envelope behind the last item.
    pub fn push_malformed(&self, reason: &str, raw: &'static [u8]) {
        self.push_item(|position, _| malformed(position, reason, raw));
    }

    /// Adds an envelope as it is, also one that breaks the order.
    pub fn push_envelope(&self, envelope: TestEnvelope<E>) {
        self.push_item(|_, _| SourceItem::Envelope(envelope));
    }

    /// Adds a record that is no envelope at this position, also one that breaks the order.
    pub fn push_malformed_at(&self, position: u64, reason: &str, raw: &'static [u8]) {
        self.push_item(|_, _| malformed(position, reason, raw));
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

    /// Does not vouch for `position` from now on.
    pub fn refuse(&self, position: u64) {
        self.lock().verification.refuse(position);
    }

    /// Vouches for `position` again.
    pub fn vouch_again(&self, position: u64) {
        self.lock().verification.vouch(position);
    }

    /// The next verification fails: whether the source vouches cannot be told.
    pub fn fail_next_verification(&self, reason: &str) {
        self.lock().verification.fail_next(reason);
    }

    /// How often it was asked to verify `position`.
    #[must_use]
    pub fn verified(&self, position: u64) -> usize {
        self.lock().verification.asked(position)
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

    /// A handle on the same source that can be read as long as the lease holds.
    pub(crate) fn leased(&self, lease: Lease) -> Self {
        let lease = Some(lease);
        Self {
            lease,
            ..self.clone()
        }
    }

    /// Lets streams look again at what they may do.
    pub(crate) fn tell_change(&self) {
        self.changed.send_replace(());
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

    /// Adds the item that is made of the next position.
    fn push_item(&self, item: impl FnOnce(u64, &Script<E>) -> Item<E>) {
        let mut script = self.lock();
        let mut item = item(script.last() + 1, &script);
        stamp(&mut item, script.created_at);
        script.items.push(item);
        drop(script);
        self.tell_change();
    }

    fn lock(&self) -> MutexGuard<'_, Script<E>> {
        self.script.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Gives an event without a time the one that its source says.
fn stamp<E>(item: &mut Item<E>, created_at: Option<fn(&E) -> Timestamp>) {
    if let SourceItem::Envelope(envelope) = item {
        let time = created_at.map(|created_at| created_at(&envelope.event));
        envelope.created_at = envelope.created_at.or(time);
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
