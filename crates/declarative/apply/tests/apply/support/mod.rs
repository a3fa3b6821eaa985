//! What the tests share: programs, records, a runner over the memory store, and an oracle.

pub(crate) mod bits;
pub(crate) mod case;
pub(crate) mod operations;
pub(crate) mod oracle;
pub(crate) mod program;
pub(crate) mod random;
pub(crate) mod records;
pub(crate) mod runner;
pub(crate) mod things;
pub(crate) mod values;
