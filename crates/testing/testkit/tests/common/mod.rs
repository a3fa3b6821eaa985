//! What the tests share.
#![allow(dead_code, reason = "each test program uses a part of it")]

pub(crate) mod claims;
pub(crate) mod lanes;
