//! Examples of the library; `tests/` runs them.

pub mod first_projection;
pub mod guides;
pub mod replay;
