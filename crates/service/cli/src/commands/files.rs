//! Files of events, as the source of a projection.

use std::path::Path;

use projectionist_apply::DeclaredCodec;
use projectionist_core::{LaneState, Offset, Position};
use projectionist_source_file::{FilePosition, FileSource};

use super::deployment::absolute;
use crate::exit::Failure;
use crate::place::Source;

/// A source of the events in these files.
///
/// # Errors
/// For standard input, which cannot be read twice, and for a pattern that is none.
pub(super) fn file_source(
    source: &Source,
    codec: DeclaredCodec,
) -> Result<FileSource<DeclaredCodec>, Failure> {
    match source {
        Source::File(path) => Ok(FileSource::new(path, codec)),
        Source::Files(pattern) => Ok(FileSource::matching(pattern, codec)?),
        Source::StandardInput => Err(Failure::usage(STANDARD_INPUT)),
    }
}

const STANDARD_INPUT: &str = "standard input cannot be read again from its beginning; write the events \
                              into a file and name that with --from FILE";

/// The same source, as it is named from every folder.
pub(super) fn from_anywhere(source: &Source) -> Source {
    match source {
        Source::File(path) => Source::File(absolute(path).into()),
        Source::Files(pattern) => Source::Files(absolute(Path::new(pattern))),
        Source::StandardInput => Source::StandardInput,
    }
}

/// A place among all that a lane of files has read: the generation of the file, and a byte of it.
pub(super) type Place = (u32, u64);

/// The place of a position.
pub(super) fn place_of(position: &FilePosition) -> Place {
    (position.generation, position.byte)
}

/// The position that an offset holds; `None` for one of another kind of source.
pub(super) fn position_of(offset: &Offset) -> Option<FilePosition> {
    if offset.manifest != FilePosition::MANIFEST {
        return None;
    }
    FilePosition::parse(&offset.text).ok()
}

/// Refuses to read a file from its beginning whose first events stand in files that were rotated
/// away: what is left of it does not make the table that is in use.
pub(super) fn refuse_rotated(name: &str, lane: &LaneState) -> Result<(), Failure> {
    match lane.offset.as_ref().and_then(position_of) {
        Some(at) if at.generation > 0 && at.file_name().is_none() => Err(Failure::usage(format!(
            "projection {name} has followed its file through {} rotation(s), and its first events \
             stand in files of other names; join them, the oldest first, into one file and name that \
             with --from FILE",
            at.generation
        ))),
        _ => Ok(()),
    }
}

/// The source that a target keeps.
pub(super) fn kept_source(text: &str) -> Result<Source, Failure> {
    text.parse().map_err(Failure::usage)
}
