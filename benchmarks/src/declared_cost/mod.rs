//! What the parts of declared projections cost: an expression, each stage of an event's way, ten
//! projections instead of one, and tables of unlike shape.

pub mod apply;
pub mod discard;
pub mod expressions;
pub mod files;
pub mod input;
pub mod loops;
pub mod orders;
pub mod shapes;
pub mod stages;
