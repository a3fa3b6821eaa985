//! The files of a pattern as one lane.

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;

use projectionist_core::Result;
use projectionist_core::contract::Mode;

use super::FilePosition;
use super::anchor::{Anchor, Mismatch};
use super::opened::OpenFile;
use super::passed::PatternFile;
use super::pattern::{FilePattern, Match};
use super::series::{Begin, Series, refuse_packed};
use crate::fault::Fault;

/// After how many looks the folder is listed though nothing says that it has changed: the time of
/// its last change is coarse, and files that were passed may grow.
const LIST_EVERY: u32 = 10;

/// The files of a pattern, in the order of their names.
pub(super) struct MatchedFiles {
    pattern: Arc<FilePattern>,
    /// The files before the one that is read, with the length that was read of each.
    behind: HashMap<String, u64>,
    /// The empty files between the one that is read and the next one.
    skipped: Vec<Match>,
    /// Looks since the folder was listed.
    looks: u32,
    /// When the folder had changed last when it was listed last. `None` lists it at the next look.
    listed: Option<(i64, i64)>,
}

impl MatchedFiles {
    pub(super) fn new(pattern: Arc<FilePattern>) -> Self {
        Self {
            pattern,
            behind: HashMap::new(),
            skipped: Vec::new(),
            looks: 0,
            listed: None,
        }
    }

    fn fail(&self, fault: Fault) -> projectionist_core::Error {
        fault.into_error(self.pattern.whole().display())
    }

    fn out_of_order(&self, name: &str, reached: &str) -> projectionist_core::Error {
        self.fail(Fault::OutOfOrder {
            path: self.pattern.path_of(name),
            reached: reached.to_owned(),
        })
    }

    /// The first of `files` that holds something; those before it are remembered as skipped.
    fn first_of(&mut self, files: &[Match], mode: Mode) -> Result<Option<OpenFile>> {
        self.skipped.clear();
        for file in files {
            if file.length > 0
                && let Some(mut open) = OpenFile::start(&self.pattern.path_of(&file.name))?
            {
                refuse_packed(&open, mode)?;
                if !open.is_empty()? {
                    open.file = Some(Arc::new(PatternFile::first(&file.name)));
                    return Ok(Some(open));
                }
            }
            self.skipped.push(file.clone());
        }
        Ok(None)
    }

    /// The first file of a lane that stands nowhere yet.
    fn first(&mut self, generation: u32, mode: Mode) -> Result<Begin> {
        let files = self.pattern.list()?;
        let Some(mut open) = self.first_of(&files, mode)? else {
            let is_missing = files.is_empty();
            return Ok(if is_missing {
                Begin::Missing
            } else {
                Begin::Empty
            });
        };
        open.generation = generation;
        self.pass(None, &mut open);
        Ok(Begin::With(Box::new(open)))
    }

    /// Counts what was passed before `next`: `left`, and the files that were skipped for it.
    fn pass(&mut self, left: Option<(PatternFile, u64)>, next: &mut OpenFile) {
        let Some(reached) = next.file.clone() else {
            return;
        };
        let mut left = left;
        for file in self.skipped.drain(..) {
            let passed = match &left {
                Some((left, length)) => left.next(*length, &file.name),
                None => PatternFile::first(&file.name),
            };
            next.generation += 1;
            left = Some((passed, file.length));
            self.behind.insert(file.name, file.length);
        }
        if let Some((left, length)) = left {
            next.file = Some(Arc::new(left.next(length, &reached.name)));
        }
    }

    /// The file that `position` stands in.
    fn resume(&mut self, position: &FilePosition, mode: Mode) -> Result<Begin> {
        let Some(file) = &position.file else {
            let path = self.pattern.whole().to_owned();
            return Err(self.fail(Fault::OtherSource { path, of: None }));
        };
        let files = self.pattern.list()?;
        let before: Vec<&Match> = files.iter().filter(|one| *one.name < *file.name).collect();
        if let Some(new) = not_passed(file, position.generation, &before) {
            return Err(self.out_of_order(&new.name, &file.name));
        }
        self.behind = before
            .iter()
            .map(|file| (file.name.clone(), file.length))
            .collect();
        let path = self.pattern.path_of(&file.name);
        match OpenFile::behind(&path, position)? {
            Some(Ok(open)) => {
                refuse_packed(&open, mode)?;
                Ok(Begin::With(Box::new(open)))
            }
            Some(Err(mismatch)) => Err(self.fail(mismatch.fault(&path))),
            None => {
                let byte = position.byte;
                Err(self.fail(Fault::Removed { path, byte }))
            }
        }
    }

    /// The files that match, when the folder may have changed since it was listed last.
    fn list_again(&mut self) -> Result<Option<Vec<Match>>> {
        let changed = fs::metadata(self.pattern.folder());
        let changed = changed.map_or((0, 0), |about| (about.mtime(), about.mtime_nsec()));
        self.looks += 1;
        if self.listed == Some(changed) && self.looks < LIST_EVERY {
            return Ok(None);
        }
        self.looks = 0;
        self.listed = Some(changed);
        self.pattern.list().map(Some)
    }

    /// An error when a file before `open` is new or has changed.
    fn check_behind(&mut self, files: &[Match], open: &OpenFile) -> Result<()> {
        let Some(reached) = &open.file else {
            return Ok(());
        };
        let before = files.iter().filter(|file| *file.name < *reached.name);
        let mut behind = HashMap::new();
        for file in before {
            match self.behind.remove(&file.name) {
                Some(length) if length == file.length => {
                    behind.insert(file.name.clone(), length);
                }
                _ => return Err(self.out_of_order(&file.name, &reached.name)),
            }
        }
        // Those that were removed are forgotten: one that comes again is a new one.
        self.behind = behind;
        let replaced = |file: &&Match| *file.name == *reached.name && file.id != open.id();
        match files.iter().find(replaced) {
            None => Ok(()),
            Some(_) => Err(self.fail(Fault::Moved {
                path: open.path().to_owned(),
                gone: false,
                byte: open.read_bytes(),
            })),
        }
    }

    /// The last file that is there, as a lane has it that passed all before it.
    pub(super) fn last(&mut self) -> Result<Option<OpenFile>> {
        let files = self.pattern.list()?;
        let Some((last, before)) = files.split_last() else {
            return Ok(None);
        };
        let mut file: Option<(PatternFile, u64)> = None;
        for one in before.iter().chain([last]) {
            let next = match &file {
                Some((file, length)) => file.next(*length, &one.name),
                None => PatternFile::first(&one.name),
            };
            file = Some((next, one.length));
        }
        let mut open = OpenFile::start(&self.pattern.path_of(&last.name))?;
        if let Some(open) = &mut open {
            open.generation = u32::try_from(before.len()).unwrap_or(u32::MAX);
            open.file = file.map(|(file, _)| Arc::new(file));
        }
        Ok(open)
    }
}

impl Series for MatchedFiles {
    fn name(&self) -> &Path {
        self.pattern.whole()
    }

    fn begin(&mut self, from: Option<&FilePosition>, mode: Mode) -> Result<Begin> {
        match from {
            None => self.first(0, mode),
            Some(from) if from.file.is_none() && Anchor::of(from).is_anything() => {
                self.first(from.generation, mode)
            }
            Some(from) => self.resume(from, mode),
        }
    }

    fn after(&mut self, open: &OpenFile, mode: Mode) -> Result<Option<OpenFile>> {
        let Some(files) = self.list_again()? else {
            return Ok(None);
        };
        self.check_behind(&files, open)?;
        let Some(reached) = &open.file else {
            return Ok(None);
        };
        let begin = files.partition_point(|file| *file.name <= *reached.name);
        let following = files.get(begin..).unwrap_or_default();
        if !following.is_empty() {
            // It may be filled, or another one may follow, without a change of the folder.
            self.listed = None;
        }
        self.first_of(following, mode)
    }

    fn leave(&mut self, open: &OpenFile, next: &mut OpenFile) -> Result<()> {
        let Some(left) = open.file.as_deref() else {
            return Ok(());
        };
        // What was read, not what is there: what is added to it later must not seem to be read.
        let length = match open.packing() {
            Some(_) => open.length()?,
            None => open.read_bytes(),
        };
        self.behind.insert(left.name.to_string(), length);
        next.generation = open.generation + 1;
        self.pass(Some((left.clone(), length)), next);
        self.listed = None;
        Ok(())
    }

    fn in_place_of(&mut self, open: &OpenFile, mismatch: Mismatch) -> Result<OpenFile> {
        Err(self.fail(mismatch.fault(open.path())))
    }

    fn bytes_after(&mut self, open: &OpenFile) -> Result<Option<u64>> {
        let Some(reached) = &open.file else {
            return Ok(None);
        };
        let files = self.pattern.list()?;
        let following = files.iter().filter(|file| *file.name > *reached.name);
        Ok(Some(following.map(|file| file.length).sum()))
    }
}

/// The newest of the files `before` a place that was not passed as it is now, as far as the place
/// remembers; `generation` files were passed.
fn not_passed<'a>(file: &PatternFile, generation: u32, before: &[&'a Match]) -> Option<&'a Match> {
    let has_passed = |one: &&&Match| file.has_passed(&one.name, one.length);
    // What is older than all that is remembered is only counted.
    let oldest = before.iter().position(|one| has_passed(&one));
    let mut unknown = before.iter().enumerate().rev();
    let newest = unknown.find(|(_, one)| !has_passed(one));
    let (at, newest) = newest?;
    let counted = (generation as usize).saturating_sub(file.passed.len());
    let is_older = oldest.is_none_or(|oldest| at < oldest);
    match is_older && at < counted {
        true => None,
        false => Some(newest),
    }
}
