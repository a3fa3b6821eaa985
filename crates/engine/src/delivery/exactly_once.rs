//! Exactly-once: an envelope, its offset and its counters in one transaction.

use std::marker::PhantomData;
use std::time::Duration;

use projectionist_core::contract::{
    SourceProvider, TransactionalHandler, TransactionalOffsetStore,
};

use super::Delivery;
use super::group::GroupConfig;
use super::group_call::OneByOne;
use super::groups::{GroupRules, run_parking_groups};
use super::incarnation::{Incarnation, RunResult};
use super::unit_of_work::InTransaction;
use crate::parking::{NoParking, ParkRule};

/// Exactly-once: every envelope is handled in the transaction that also moves the lane.
#[derive(Clone, Debug)]
pub struct ExactlyOnce<F, R = NoParking> {
    pub(crate) factory: F,
    pub(crate) parking: R,
}

/// A group of one, which waits for nothing.
const ONE: GroupConfig = GroupConfig {
    max_envelopes: 1,
    max_bytes: usize::MAX,
    max_delay: Duration::ZERO,
    linger: Duration::ZERO,
};

impl<P, S, F, H, R> Delivery<P, S> for ExactlyOnce<F, R>
where
    P: SourceProvider,
    S: TransactionalOffsetStore,
    F: Fn() -> H + Send + Sync + 'static,
    H: TransactionalHandler<P::Envelope, S::Tx>,
    R: ParkRule<P, S>,
{
    type Parks = R;

    async fn run(&self, run: &mut Incarnation<'_, P, S>) -> RunResult<P> {
        let factory = || OneByOne {
            handler: (self.factory)(),
            types: PhantomData,
        };
        let rules = GroupRules {
            group: ONE,
            ..GroupRules::default()
        };
        run_parking_groups(run, &factory, rules, InTransaction, &self.parking).await
    }
}
