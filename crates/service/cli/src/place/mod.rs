//! Where events come from and where tables go, as a person names them.

mod source;
mod target;

pub(crate) use source::Source;
pub(crate) use target::Target;
