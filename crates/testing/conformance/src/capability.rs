//! What a store may decline: the closed list of reasons why a case does not run.

/// What some cases need and not every store can.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Capability {
    /// The store can be closed and opened again with what it kept.
    Reopen,
}
