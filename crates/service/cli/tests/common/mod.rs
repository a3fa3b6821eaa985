//! What the tests of the program share: the program as a process, a plain client of the target, a
//! world of events, and what must become of it.
#![allow(
    dead_code,
    unused_imports,
    unreachable_pub,
    reason = "every test binary uses a part of it"
)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a helper of tests fails its test"
)]

pub mod client;
pub mod events;
pub mod oracle;
pub mod place;
pub mod process;
pub mod profile_events;
pub mod profile_oracle;
pub mod random;
pub mod wait;
pub mod worked;
pub mod world;

pub use client::Client;
pub use place::Place;
pub use process::{Ended, Running};
pub use random::Random;
pub use wait::eventually;
pub use worked::watched;
