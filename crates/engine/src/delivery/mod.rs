//! The delivery guarantees, each written once and for every store.

mod at_least_once;
mod feed;
mod group;
mod group_step;
mod grouped_exactly_once;
mod handler_slot;
mod incarnation;
mod save;
mod singles;

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};

use projectionist_core::contract::{OffsetStore, SourceProvider};

pub use at_least_once::AtLeastOnce;
pub use group::GroupConfig;
pub use grouped_exactly_once::GroupedExactlyOnce;
pub use incarnation::{End, Incarnation};
pub(crate) use incarnation::{RunContext, run_incarnation};
pub use save::SaveConfig;

/// A delivery guarantee with its handler: what a [`crate::Projection`] does with its events.
///
/// The guarantees of this crate are the only ones; the trait names them in bounds.
pub trait Delivery<P: SourceProvider, S: OffsetStore>:
    sealed::Sealed + Send + Sync + 'static
{
    /// Runs from the present position until the source ends, an interruption or a failure.
    #[doc(hidden)]
    fn run(
        &self,
        incarnation: &mut Incarnation<'_, P, S>,
    ) -> impl Future<Output = incarnation::RunResult<P>> + Send;
}

mod sealed {
    pub trait Sealed {}
    impl<F> Sealed for super::AtLeastOnce<F> {}
    impl<F> Sealed for super::GroupedExactlyOnce<F> {}
}

/// Calls an observer; a panic in it changes nothing.
pub(crate) fn observe(call: impl FnOnce()) {
    // The panic hook has told it already.
    let _panicked = catch_unwind(AssertUnwindSafe(call));
}
