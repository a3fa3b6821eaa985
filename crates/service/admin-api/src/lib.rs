//! The admin endpoint: what running projections do, and commands to them, over HTTP.
//!
//! An [`AdminServer`] answers on an address that an [`AdminConfig`] describes. It knows no store:
//! what it shows and does goes through an [`AdminDesk`], which the program implements. [`view`]
//! holds what travels as JSON, [`watch`] reads the desk at most once a second for everybody, [`guard`]
//! refuses those who must not ask, and `routes` is the table of addresses with its OpenAPI
//! document.

pub mod config;
pub mod connections;
pub mod desk;
pub mod error;
pub mod guard;
pub mod page;
mod routes;
pub mod server;
pub mod token;
pub mod view;
pub mod watch;

pub use config::{AdminConfig, AdminLimits};
pub use desk::{AdminDesk, DeskAnswer};
pub use error::{AdminError, ErrorCode};
pub use page::{Page, Pages};
pub use server::AdminServer;
pub use token::AdminToken;
