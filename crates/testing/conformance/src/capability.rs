//! What a store may decline: the closed list of reasons why a case does not run.

/// What some cases need and not every store can.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Capability {
    /// The store keeps what is settled ahead of the offset. It declines this by its
    /// [`StoreCapabilities`](projectionist_core::contract::StoreCapabilities), nothing else.
    Ahead,
    /// A commit is one atomic step as a whole. Declined as [`Ahead`](Self::Ahead).
    AtomicCommit,
    /// The store can be closed and opened again with what it kept.
    Reopen,
    /// There are stores of an older version that must be taken over.
    Migrate,
    /// Another process can open the same store.
    OtherProcess,
}
