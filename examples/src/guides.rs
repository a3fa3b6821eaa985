//! The Rust code of the guides, run as documentation tests.
//!
//! A guide that shows code that does not compile, or that does not what the guide says, fails the
//! tests.

#[doc = include_str!("../../docs/guides/delivery.md")]
pub mod delivery {}

#[doc = include_str!("../../docs/guides/groups.md")]
pub mod groups {}

#[doc = include_str!("../../docs/guides/handlers.md")]
pub mod handlers {}

#[doc = include_str!("../../docs/guides/idempotent-handlers.md")]
pub mod idempotent_handlers {}

#[doc = include_str!("../../docs/guides/management.md")]
pub mod management {}

#[doc = include_str!("../../docs/guides/recovery.md")]
pub mod recovery {}

#[doc = include_str!("../../docs/guides/side-effects-and-rebuilds.md")]
pub mod side_effects_and_rebuilds {}

#[doc = include_str!("../../docs/guides/testing.md")]
pub mod testing {}

#[doc = include_str!("../../docs/guides/writing-a-source.md")]
pub mod writing_a_source {}

#[doc = include_str!("../../docs/guides/writing-a-store.md")]
pub mod writing_a_store {}
