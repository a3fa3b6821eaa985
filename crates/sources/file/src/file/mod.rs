//! Files of lines: one that may grow and be rotated, or several.

mod anchor;
mod before;
mod blocks;
mod content;
mod family;
mod first_at;
mod head;
mod identity;
mod latest;
mod mark;
mod matched;
mod named;
mod opened;
mod passed;
mod pattern;
mod position;
mod rotated;
mod series;
mod source;
mod tail;
mod waiting;

pub use content::Packing;
pub use identity::FileIdentity;
pub use position::FilePosition;
pub use source::{FileSource, FileStream};
