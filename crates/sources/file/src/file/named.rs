//! What a source is told to read.

use std::path::Path;
use std::sync::Arc;

use projectionist_core::Result;

use super::latest::latest;
use super::matched::MatchedFiles;
use super::opened::OpenFile;
use super::pattern::FilePattern;
use super::rotated::RotatedPath;
use super::series::{Begin, Series};
use super::{FilePosition, tail::FileTail};
use projectionist_core::contract::Mode;

/// What a source is told to read.
#[derive(Clone, Debug)]
pub(super) enum Named {
    /// The file at a path.
    Path(Arc<Path>),
    /// The files that match a pattern.
    Pattern(Arc<FilePattern>),
}

impl Named {
    pub(super) fn path(&self) -> &Path {
        match self {
            Self::Path(path) => path,
            Self::Pattern(pattern) => pattern.whole(),
        }
    }

    fn series(&self) -> Box<dyn Series> {
        match self {
            Self::Path(path) => Box::new(RotatedPath::new(Arc::clone(path))),
            Self::Pattern(pattern) => Box::new(MatchedFiles::new(Arc::clone(pattern))),
        }
    }

    /// Reads what follows `from`.
    pub(super) fn tail(
        &self,
        from: Option<FilePosition>,
        mode: Mode,
        block_bytes: usize,
    ) -> FileTail {
        FileTail::new(self.series(), from, mode, block_bytes)
    }

    /// Before the first byte of a file that is there and holds something, so that it is found when it
    /// was rotated before anything of it is settled. Blocks.
    pub(super) fn earliest(&self) -> Result<Option<FilePosition>> {
        let open = match self {
            Self::Path(path) => OpenFile::start(path)?,
            // A file that comes before the first one is the first one then.
            Self::Pattern(_) => None,
        };
        // A compressed file does not grow, so it is not rotated.
        let open = open.filter(|open| open.packing().is_none());
        let head = open.map(OpenFile::present_head).transpose()?;
        let head = head.filter(|head| head.length() > 0);
        Ok(head.map(FilePosition::start))
    }

    /// The position behind the last complete line that is there. Blocks.
    pub(super) fn latest(&self, block_bytes: u64) -> Result<FilePosition> {
        let last = match self {
            Self::Path(path) => OpenFile::start(path)?,
            Self::Pattern(pattern) => MatchedFiles::new(Arc::clone(pattern)).last()?,
        };
        latest(last, block_bytes)
    }

    /// How many bytes stand behind `low`; `None` when that cannot be told. Blocks.
    pub(super) fn bytes_behind(&self, low: Option<&FilePosition>) -> Result<Option<u64>> {
        let mut series = self.series();
        let open = match series.begin(low, Mode::Live)? {
            Begin::With(open) => open,
            Begin::Empty => return Ok(Some(0)),
            Begin::Missing => return Ok(None),
        };
        let Some(after) = series.bytes_after(&open)? else {
            return Ok(None);
        };
        let read = low.map_or(0, |low| low.byte);
        Ok(open
            .packing()
            .is_none()
            .then_some(open.length()?.saturating_sub(read) + after))
    }
}
