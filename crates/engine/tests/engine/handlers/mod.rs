//! Kinds of handlers beyond the plain one: stateful handlers, and handlers that ask an actor.

mod actor;
mod actor_faults;
mod actors;
mod stateful;
