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

#[derive(Debug, Default)]
struct Script {
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
        }
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

    async fn meet(&self, verb: Verb) -> Result<Option<Fault>> {
        let mut changed = self.changed.subscribe();
        self.lock().calls.push(verb);
        loop {
            changed.mark_unchanged();
            if !self.lock().held.contains(&verb) {
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
            pass(delay).await;
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

    fn took_effect(&self, claim: &Claim, commit: &Commit) {
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
fn answer<T>(verb: Verb, fault: Option<Fault>, done: T) -> Result<T> {
    match fault {
        Some(Fault::AnswerLost) => Err(away(verb, true)),
        _ => Ok(done),
    }
}

impl OffsetStore for SteeredStore {
    async fn claim(&self, request: &ClaimRequest) -> Result<ClaimOutcome> {
        let fault = self.meet(Verb::Claim).await?;
        answer(Verb::Claim, fault, self.inner.claim(request).await?)
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
        let fault = self.meet(Verb::Commit).await?;
        self.inner.commit_in(tx, claim, commit).await?;
        self.took_effect(claim, commit);
        answer(Verb::Commit, fault, ())
    }

    async fn rollback(&self, tx: Tx) -> Result<()> {
        self.inner.rollback(tx).await
    }
}
