//! The delivery guarantees, each written once and for every store.

mod at_least_once;
mod at_most_once;
mod conclusion;
mod exactly_once;
pub(crate) mod feed;
mod flow;
mod group;
mod group_call;
mod group_step;
mod grouped_at_least_once;
mod grouped_exactly_once;
pub(crate) mod groups;
mod handler_slot;
mod incarnation;
mod keyed;
pub mod kinds;
pub(crate) mod letters;
mod parked_groups;
mod parked_singles;
mod parking_loop;
mod save;
mod single_call;
mod singles;
mod unit_of_work;

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};

use projectionist_core::contract::{OffsetStore, SourceProvider};

use crate::parking::ParkRule;

pub use at_least_once::{AtLeastOnce, SettledAtLeastOnce};
pub use at_most_once::AtMostOnce;
pub use exactly_once::ExactlyOnce;
pub use flow::{FlowAtLeastOnce, FlowConfig, FlowFault};
pub use group::GroupConfig;
pub use grouped_at_least_once::GroupedAtLeastOnce;
pub use grouped_exactly_once::GroupedExactlyOnce;
pub use incarnation::{End, Incarnation};
pub(crate) use incarnation::{RunContext, run_incarnation};
pub use keyed::{KeyedAtLeastOnce, KeyedConfig};
pub use save::SaveConfig;

/// A delivery guarantee with its handler: what a [`crate::Projection`] does with its events.
///
/// The guarantees of this crate are the only ones; the trait names them in bounds.
pub trait Delivery<P: SourceProvider, S: OffsetStore>:
    sealed::Sealed + Send + Sync + 'static
{
    /// Whether and how it parks envelopes.
    #[doc(hidden)]
    type Parks: ParkRule<P, S>;

    /// Runs from the present position until the source ends, an interruption or a failure.
    #[doc(hidden)]
    fn run(
        &self,
        incarnation: &mut Incarnation<'_, P, S>,
    ) -> impl Future<Output = incarnation::RunResult<P>> + Send;
}

mod sealed {
    pub trait Sealed {}
    impl<F, R> Sealed for super::AtLeastOnce<F, R> {}
    impl<F, R> Sealed for super::SettledAtLeastOnce<F, R> {}
    impl<F> Sealed for super::AtMostOnce<F> {}
    impl<F, R> Sealed for super::ExactlyOnce<F, R> {}
    impl<F> Sealed for super::FlowAtLeastOnce<F> {}
    impl<F> Sealed for super::GroupedAtLeastOnce<F> {}
    impl<F> Sealed for super::GroupedExactlyOnce<F> {}
}

/// Calls an observer; a panic in it changes nothing.
pub(crate) fn observe(call: impl FnOnce()) {
    // The panic hook has told it already.
    let _panicked = catch_unwind(AssertUnwindSafe(call));
}
