//! A store that a test steers: it counts, holds, fails and forgets what it is asked.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use projectionist_core::contract::{OffsetStore, TransactionalOffsetStore};
use projectionist_core::{
    Claim, ClaimOutcome, ClaimRequest, Commit, Error, LaneState, Offset, ProjectionId, Result,
};
use projectionist_store_memory::{MemoryStore, Tx};
use projectionist_testkit::pass;
use tokio::sync::watch;

/// The calls that can be steered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verb {
    Claim,
    Renew,
    Release,
    Begin,
    Commit,
    Load,
    Manage,
    Report,
}

/// What a call meets instead of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The store refuses, and nothing took effect.
    Refused,
    /// The store refuses for good: trying again cannot help.
    RefusedForGood,
    /// The call took effect and its answer is lost.
    AnswerLost,
    /// The call panics.
    Panics,
}

/// Hears what takes effect in the store behind a steered one, at that moment.
pub trait Listener: std::fmt::Debug + Send + Sync {
    /// A claim was granted, whether or not the one who asked hears of it.
    fn claimed(&self, claim: &Claim);
    /// A commit is on its way.
    fn commit_asked(&self);
    /// A commit took effect.
    fn committed(&self, claim: &Claim, commit: &Commit);
    /// The pause flag of a lane, or of all lanes of a name, was set.
    fn flagged(&self, key: Option<&str>, paused: bool);
}

#[derive(Debug, Default)]
struct Script {
    /// The process is gone: see [`SteeredStore::die`].
    dead: bool,
    calls: Vec<Verb>,
    held: Vec<Verb>,
    delays: Vec<(Verb, Duration)>,
    faults: Vec<(Verb, Fault)>,
    /// The epoch and the offset of every commit that took effect, in their order.
    history: Vec<(u64, Option<u64>)>,
}

/// A [`MemoryStore`] behind a script. A clone is a handle on the same store with the same script;
/// [`SteeredStore::beside`] has one of its own, as another process has another connection.
#[derive(Clone, Debug)]
pub struct SteeredStore {
    pub inner: MemoryStore,
    script: Arc<Mutex<Script>>,
    changed: watch::Sender<()>,
    pub(super) listener: Option<Arc<dyn Listener>>,
}

impl Default for SteeredStore {
    fn default() -> Self {
        Self::over(MemoryStore::new())
    }
}

impl SteeredStore {
    pub fn over(inner: MemoryStore) -> Self {
        Self {
            inner,
            script: Arc::default(),
            changed: watch::Sender::new(()),
            listener: None,
        }
    }

    /// The same store, told of by `listener`.
    pub fn heard_by(self, listener: Arc<dyn Listener>) -> Self {
        Self {
            listener: Some(listener),
            ..self
        }
    }

    /// The process of this connection dies: nothing that it asks takes effect from now on or is
    /// answered, and a transaction that it holds is dropped.
    pub fn die(&self) {
        self.lock().dead = true;
        self.changed.send_replace(());
    }

    pub fn is_dead(&self) -> bool {
        self.lock().dead
    }

    /// Waits until the process has died.
    pub async fn died(&self) {
        let mut changed = self.changed.subscribe();
        while !self.is_dead() {
            changed.changed().await.unwrap();
        }
    }

    /// Nothing that was planned happens any more.
    pub fn heal(&self) {
        let mut script = self.lock();
        script.held.clear();
        script.delays.clear();
        script.faults.clear();
        drop(script);
        self.changed.send_replace(());
    }

    /// The same store by another connection.
    pub fn beside(&self) -> Self {
        Self::over(self.inner.clone())
    }

    /// Calls of `verb` wait until [`Self::let_go`].
    pub fn hold(&self, verb: Verb) {
        self.lock().held.push(verb);
    }

    pub fn let_go(&self, verb: Verb) {
        self.lock().held.retain(|held| *held != verb);
        self.changed.send_replace(());
    }

    /// Calls of `verb` take so long from now on.
    pub fn slow_down(&self, verb: Verb, delay: Duration) {
        let mut script = self.lock();
        script.delays.retain(|(slow, _)| *slow != verb);
        script.delays.push((verb, delay));
    }

    /// The next call of `verb` meets `fault`.
    pub fn plan(&self, verb: Verb, fault: Fault) {
        self.lock().faults.push((verb, fault));
    }

    /// How often `verb` was called, also where it is held.
    pub fn count(&self, verb: Verb) -> usize {
        let script = self.lock();
        script.calls.iter().filter(|call| **call == verb).count()
    }

    /// The epoch and the offset of every commit that took effect through this connection.
    pub fn history(&self) -> Vec<(u64, Option<u64>)> {
        self.lock().history.clone()
    }

    /// The offsets of [`Self::history`].
    pub fn saved(&self) -> Vec<u64> {
        let history = self.history();
        history
            .into_iter()
            .filter_map(|(_, offset)| offset)
            .collect()
    }

    fn lock(&self) -> MutexGuard<'_, Script> {
        self.script.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) async fn meet(&self, verb: Verb) -> Result<Option<Fault>> {
        let mut changed = self.changed.subscribe();
        self.lock().calls.push(verb);
        loop {
            changed.mark_unchanged();
            if self.is_dead() || !self.lock().held.contains(&verb) {
                break;
            }
            changed.changed().await.unwrap();
        }
        let delay = {
            let script = self.lock();
            let slow = script.delays.iter().find(|(slow, _)| *slow == verb);
            slow.map(|(_, delay)| *delay)
        };
        if let Some(delay) = delay {
            tokio::select! {
                () = pass(delay) => {}
                () = self.died() => {}
            }
        }
        if self.is_dead() {
            if verb == Verb::Commit {
                // So that a transaction is dropped. Whatever is asked next is not answered.
                return Err(away(verb, true));
            }
            return std::future::pending().await;
        }
        let fault = {
            let mut script = self.lock();
            let index = script.faults.iter().position(|(at, _)| *at == verb);
            index.map(|index| script.faults.remove(index).1)
        };
        match fault {
            Some(Fault::Refused) => Err(away(verb, true)),
            Some(Fault::RefusedForGood) => Err(away(verb, false)),
            Some(Fault::Panics) => panic!("the store panics in {verb:?}"),
            other => Ok(other),
        }
    }

    fn asks_commit(&self) {
        if let Some(listener) = &self.listener {
            listener.commit_asked();
        }
    }

    fn took_effect(&self, claim: &Claim, commit: &Commit) {
        if let Some(listener) = &self.listener {
            listener.committed(claim, commit);
        }
        let offset = commit.offset.as_ref();
        let offset = offset.map(|offset| offset.text.parse().unwrap());
        self.lock().history.push((claim.epoch.0, offset));
    }
}

fn away(verb: Verb, retryable: bool) -> Error {
    Error::Store {
        action: format!("{verb:?}"),
        retryable,
        source: "the store is away".into(),
    }
}

/// What the caller hears of a call that took effect.
pub(super) fn answer<T>(verb: Verb, fault: Option<Fault>, done: T) -> Result<T> {
    match fault {
        Some(Fault::AnswerLost) => Err(away(verb, true)),
        _ => Ok(done),
    }
}

impl OffsetStore for SteeredStore {
    async fn claim(&self, request: &ClaimRequest) -> Result<ClaimOutcome> {
        let fault = self.meet(Verb::Claim).await?;
        let outcome = self.inner.claim(request).await?;
        if let (ClaimOutcome::Granted { claim, .. }, Some(listener)) = (&outcome, &self.listener) {
            listener.claimed(claim);
        }
        answer(Verb::Claim, fault, outcome)
    }

    async fn renew(&self, claim: &Claim, ttl: Duration) -> Result<()> {
        let fault = self.meet(Verb::Renew).await?;
        answer(Verb::Renew, fault, self.inner.renew(claim, ttl).await?)
    }

    async fn release(&self, claim: &Claim) -> Result<()> {
        let fault = self.meet(Verb::Release).await?;
        answer(Verb::Release, fault, self.inner.release(claim).await?)
    }

    async fn commit(&self, claim: &Claim, commit: &Commit) -> Result<()> {
        self.asks_commit();
        let fault = self.meet(Verb::Commit).await?;
        self.inner.commit(claim, commit).await?;
        self.took_effect(claim, commit);
        answer(Verb::Commit, fault, ())
    }

    async fn lane(&self, lane: &ProjectionId) -> Result<Option<LaneState>> {
        let fault = self.meet(Verb::Load).await?;
        answer(Verb::Load, fault, self.inner.lane(lane).await?)
    }

    async fn lanes(&self) -> Result<Vec<(ProjectionId, LaneState)>> {
        self.inner.lanes().await
    }
}

impl TransactionalOffsetStore for SteeredStore {
    type Tx = Tx;

    async fn begin(&self, claim: &Claim, expected: Option<&Offset>) -> Result<Tx> {
        let fault = self.meet(Verb::Begin).await?;
        answer(Verb::Begin, fault, self.inner.begin(claim, expected).await?)
    }

    async fn commit_in(&self, tx: Tx, claim: &Claim, commit: &Commit) -> Result<()> {
        self.asks_commit();
        let fault = self.meet(Verb::Commit).await?;
        self.inner.commit_in(tx, claim, commit).await?;
        self.took_effect(claim, commit);
        answer(Verb::Commit, fault, ())
    }

    async fn rollback(&self, tx: Tx) -> Result<()> {
        self.inner.rollback(tx).await
    }
}
