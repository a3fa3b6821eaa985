//! Grouped exactly-once: a group, its offset and its counters in one transaction.

use std::marker::PhantomData;

use projectionist_core::contract::{
    GroupedTransactionalHandler, SourceProvider, TransactionalOffsetStore,
};

use super::Delivery;
use super::group_call::InGroups;
use super::groups::{GroupRules, run_groups};
use super::incarnation::{Incarnation, RunResult};
use super::unit_of_work::InTransaction;
use crate::NoParking;

/// Grouped exactly-once: a group is handled in the transaction that also moves the lane.
#[derive(Clone, Debug)]
pub struct GroupedExactlyOnce<F> {
    pub(crate) factory: F,
    pub(crate) rules: GroupRules,
}

impl<P, S, F, H> Delivery<P, S> for GroupedExactlyOnce<F>
where
    P: SourceProvider,
    S: TransactionalOffsetStore,
    F: Fn() -> H + Send + Sync + 'static,
    H: GroupedTransactionalHandler<P::Envelope, S::Tx>,
{
    type Parks = NoParking;

    async fn run(&self, run: &mut Incarnation<'_, P, S>) -> RunResult<P> {
        let factory = || InGroups {
            handler: (self.factory)(),
            types: PhantomData,
        };
        run_groups(run, &factory, self.rules, InTransaction).await
    }
}
