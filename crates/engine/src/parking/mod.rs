//! Parking: an envelope that cannot be handled waits with the later ones of its key, while all
//! other keys go on.
//!
//! [`config`] says when and how much is parked, [`rule`] is the part of a delivery that decides
//! whether anything is, and [`lot`] knows which keys of a lane are parked now and when each is
//! tried again. [`steps`] writes down what a commit parks and lets go. The loops of the deliveries
//! do the rest.

pub mod config;
pub(crate) mod lot;
pub mod rule;
pub(crate) mod steps;

pub use config::ParkConfig;
pub(crate) use lot::Lot;
pub use rule::{NoParking, ParkRule, Parking, ParkingDelivery};
