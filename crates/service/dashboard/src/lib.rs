//! The dashboard: pages that show and operate projections through the admin endpoint.
//!
//! Plain HTML, CSS and JavaScript modules under `pages/`, compiled into the program as they are:
//! nothing is built, and a page asks no other host for anything. [`asset`] finds a file by its
//! path.

mod assets;

pub use assets::{Asset, asset, assets};
