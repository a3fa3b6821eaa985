//! CEL, the language of expressions that are more than a path or a literal.
//!
//! [`Program::compile`] reads an expression once: the `cel` crate parses it, and everything that can
//! be wrong is found here, with its place in the text. What an expression reads of the event is
//! known then: every path becomes a variable of its own, so that an evaluation looks up those places
//! and decodes nothing else. [`Program::evaluate`] runs it over whatever implements [`Lookup`].
//!
//! The same event always gives the same value: there is no clock, no randomness, and keys of maps
//! come in their order. No evaluation runs without bound, whatever the event holds (`budget`).

mod budget;
mod chain;
mod check;
mod coalesce;
mod compile;
mod decode;
mod encode;
mod error;
mod functions;
mod lookup;
mod loops;
mod or_of_places;
mod path_text;
mod program;
mod resolver;
mod signature;
mod syntax;
mod syntax_fault;
mod variable;
mod wrong_call;

pub use error::CelError;
pub use lookup::{Found, Lookup};
pub use program::{Outcome, Program};

pub(crate) use compile::{Compiled, compile};
pub(crate) use or_of_places::is_or_of_places;
