//! Files of events, as the source of a projection.

use std::path::Path;

use projectionist_apply::DeclaredCodec;
use projectionist_source_file::FileSource;

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

/// The source that a target keeps.
pub(super) fn kept_source(text: &str) -> Result<Source, Failure> {
    text.parse().map_err(Failure::usage)
}
