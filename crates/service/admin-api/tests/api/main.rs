//! The endpoint over plain HTTP: who is answered, within which limits, and what the answers hold.

mod ask;
mod commands;
mod desk;
mod hosts;
mod limits;
mod openapi;
mod origins;
mod readiness;
mod secrets;
mod tokens;
mod watching;
