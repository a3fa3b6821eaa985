//! What people ask of a projection, kept apart from its progress.

use std::future::Future;

use crate::{Result, Timestamp};

/// The pause flag of a projection or of one of its lanes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PauseFlag {
    /// Whether it is paused.
    pub paused: bool,
    /// Since when it is so.
    pub since: Timestamp,
}

/// Keeps what people ask of a projection.
///
/// # Contract
/// A flag belongs to one lane (name and key) or, with key `None`, to all lanes of a name. A lane
/// is paused when either says so. Flags are independent of offsets and claims: they survive a
/// cleared offset and need no owner.
///
/// # Ordering
/// The last call wins.
///
/// # Durability
/// As the store's offsets.
///
/// # Cancellation
/// A dropped future either took effect or did not.
///
/// # Errors
/// [`crate::Error::Store`] for the store's own failures.
///
/// # Example
/// ```
/// use projectionist_core::Result;
/// use projectionist_core::contract::ManagementStore;
///
/// async fn pause_all_orders<S: ManagementStore>(store: &S) -> Result<()> {
///     store.set_paused("orders", None, true).await
/// }
/// ```
pub trait ManagementStore: Send + Sync {
    /// The flag of exactly this name and key; `None` when it was never set.
    fn pause_flag(
        &self,
        name: &str,
        key: Option<&str>,
    ) -> impl Future<Output = Result<Option<PauseFlag>>> + Send;

    /// Sets the flag.
    fn set_paused(
        &self,
        name: &str,
        key: Option<&str>,
        paused: bool,
    ) -> impl Future<Output = Result<()>> + Send;
}
