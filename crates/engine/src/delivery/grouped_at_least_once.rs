//! Grouped at-least-once: a whole group, then its last offset.

use std::marker::PhantomData;

use projectionist_core::contract::{GroupedHandler, OffsetStore, SourceProvider};

use super::Delivery;
use super::group_call::WithoutTransaction;
use super::groups::{GroupRules, run_groups};
use super::incarnation::{Incarnation, RunResult};
use super::unit_of_work::BeforeCommit;
use crate::NoParking;

/// Grouped at-least-once: a group is handled before its last position is saved, and the next one
/// is handled after that. A crash repeats at most one group.
#[derive(Clone, Debug)]
pub struct GroupedAtLeastOnce<F> {
    pub(crate) factory: F,
    pub(crate) rules: GroupRules,
}

impl<P, S, F, H> Delivery<P, S> for GroupedAtLeastOnce<F>
where
    P: SourceProvider,
    S: OffsetStore,
    F: Fn() -> H + Send + Sync + 'static,
    H: GroupedHandler<P::Envelope>,
{
    type Parks = NoParking;

    async fn run(&self, run: &mut Incarnation<'_, P, S>) -> RunResult<P> {
        let factory = || WithoutTransaction {
            handler: (self.factory)(),
            types: PhantomData,
        };
        run_groups(run, &factory, self.rules, BeforeCommit).await
    }
}
