//! The dashboard in a browser, before a real run of the program: every button is clicked, and what
//! it does is looked for in the store and in the tables, not on the page alone.
//!
//! Needs Chromium and its driver, which `cargo xtask test` brings.

#[path = "../common/mod.rs"]
mod common;

mod browser;
mod commands;
mod letters;
mod looks;
mod reaching;
mod rebuild;
mod rebuild_desk;
mod scene;
mod token;
mod watching;
