//! What of a lane is settled, and what of that is stored.

pub(crate) mod lane_progress;

pub(crate) use lane_progress::{Admission, LaneProgress};
