//! What of a lane is settled, and what of that is stored.

mod block;
mod blocks;
pub(crate) mod held;
pub(crate) mod lane_progress;
mod stored_ahead;
pub(crate) mod window;
pub mod window_limits;

pub(crate) use lane_progress::{Admission, LaneProgress};
pub use window_limits::WindowLimits;
