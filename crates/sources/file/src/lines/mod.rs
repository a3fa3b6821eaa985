//! From blocks of bytes to envelopes: the part that both sources share.

mod blocks;
mod partial;
mod splitter;
mod stream;

pub(crate) use blocks::{Block, BlockSource, LastLine};
pub(crate) use splitter::LineSplitter;
pub(crate) use stream::LineStream;
