//! What can be set about applying a declared projection.

/// Limits of one [`DeclaredHandler`](crate::DeclaredHandler).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ApplyOptions {
    /// For how many different tenants one run applies events; default 1,000. An event of one
    /// tenant more becomes a dead letter of class
    /// [`Tenant`](projectionist_core::ErrorClass::Tenant), so that a faulty producer cannot fill
    /// the target with tables. The table of the events without a tenant is not counted.
    pub max_tenants: usize,
    /// Of how many entities the last applied sequence number is remembered in memory; default
    /// 200,000, which is about 20 MB with short names. Others are read from the store. Fewer than
    /// two switch the cache off.
    pub guard_cache_entries: usize,
}

impl Default for ApplyOptions {
    fn default() -> Self {
        Self {
            max_tenants: 1_000,
            guard_cache_entries: 200_000,
        }
    }
}
