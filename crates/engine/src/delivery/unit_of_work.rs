//! What a group is handled in: a transaction of the store, or nothing but a commit afterwards.

use std::future::Future;

use projectionist_core::contract::{OffsetStore, TransactionalOffsetStore};
use projectionist_core::{Claim, Commit, Offset, Result};

/// What a group is handled in. The guarantee of a grouped delivery is decided here alone.
pub(super) trait UnitOfWork<S>: Send + Sync + 'static {
    /// What is lent to the handler.
    type Tx: Send + 'static;

    /// Whether what the handler wrote is undone by a [`rollback`](Self::rollback).
    const UNDOES: bool;

    fn begin(
        store: &S,
        claim: &Claim,
        expected: Option<&Offset>,
    ) -> impl Future<Output = Result<Self::Tx>> + Send;
    fn commit(
        store: &S,
        tx: Self::Tx,
        claim: &Claim,
        commit: &Commit,
    ) -> impl Future<Output = Result<()>> + Send;
    fn rollback(store: &S, tx: Self::Tx) -> impl Future<Output = Result<()>> + Send;
}

/// Exactly-once: the handler writes in the transaction that moves the lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct InTransaction;

impl<S: TransactionalOffsetStore> UnitOfWork<S> for InTransaction {
    type Tx = S::Tx;
    const UNDOES: bool = true;

    fn begin(
        store: &S,
        claim: &Claim,
        expected: Option<&Offset>,
    ) -> impl Future<Output = Result<S::Tx>> + Send {
        store.begin(claim, expected)
    }
    fn commit(
        store: &S,
        tx: S::Tx,
        claim: &Claim,
        commit: &Commit,
    ) -> impl Future<Output = Result<()>> + Send {
        store.commit_in(tx, claim, commit)
    }
    fn rollback(store: &S, tx: S::Tx) -> impl Future<Output = Result<()>> + Send {
        store.rollback(tx)
    }
}

/// At-least-once: the handler writes where it likes, and the lane is moved afterwards.
#[derive(Clone, Copy, Debug)]
pub(super) struct BeforeCommit;

impl<S: OffsetStore> UnitOfWork<S> for BeforeCommit {
    type Tx = ();
    const UNDOES: bool = false;

    async fn begin(_: &S, _: &Claim, _: Option<&Offset>) -> Result<()> {
        Ok(())
    }
    fn commit(
        store: &S,
        (): (),
        claim: &Claim,
        commit: &Commit,
    ) -> impl Future<Output = Result<()>> + Send {
        store.commit(claim, commit)
    }
    async fn rollback(_: &S, (): ()) -> Result<()> {
        Ok(())
    }
}
