//! Stores that do less than the one they stand before: one that can do less, and one that dies.

mod crash;
mod crash_handler;
mod crash_plan;
mod forward;
mod gate;
mod low_water;

pub use crash::CrashStore;
pub use crash_handler::CrashHandler;
pub use crash_plan::CrashPoint;
pub use low_water::{BetweenSteps, LowWaterStore};
