//! The Rust code of the guides, run as documentation tests.
//!
//! A guide that shows code that does not compile, or that does not what the guide says, fails the
//! tests.

#[doc = include_str!("../../docs/guides/delivery.md")]
pub mod delivery {}

#[doc = include_str!("../../docs/guides/writing-a-source.md")]
pub mod writing_a_source {}

#[doc = include_str!("../../docs/guides/writing-a-store.md")]
pub mod writing_a_store {}
