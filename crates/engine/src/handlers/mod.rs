//! Kinds of handlers beyond the plain one, as handlers: so that every delivery that takes a
//! [`Handler`](projectionist_core::contract::Handler) takes them too.
//!
//! [`stateful`] hands a state from one envelope to the next, [`actor_backed`] asks an actor to
//! handle them, and [`SpawnedActor`] is such an actor on a task of its own.

mod actor_backed;
mod spawned_actor;
mod stateful;

pub use actor_backed::{ActorBacked, ActorError, actor_backed};
pub use spawned_actor::SpawnedActor;
pub use stateful::{Stateful, stateful};
