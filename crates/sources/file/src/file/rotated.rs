//! A path whose file may be rotated: the file there, and those that it was before.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use projectionist_core::Result;
use projectionist_core::contract::Mode;

use super::FilePosition;
use super::anchor::{Anchor, FileId, Mismatch};
use super::family::{Family, Member};
use super::opened::OpenFile;
use super::series::{Begin, Series, refuse_packed};
use crate::fault::{Fault, file_error};

/// How often a look at the files is made again because they were renamed meanwhile; then it is
/// left to the next look.
const LOOKS: usize = 20;

/// What came of opening another file in place of one.
type Opened = std::result::Result<OpenFile, Mismatch>;

/// What is at the path.
enum AtPath {
    /// The file that is read.
    This,
    Another,
    None,
}

/// A path whose file may be rotated.
pub(super) struct RotatedPath {
    path: Arc<Path>,
    /// The rotated files that were there when nothing was: they came before the beginning.
    known: Option<HashSet<FileId>>,
}

impl RotatedPath {
    pub(super) fn new(path: Arc<Path>) -> Self {
        Self { path, known: None }
    }

    fn fail(&self, fault: Fault) -> projectionist_core::Error {
        fault.into_error(self.path.display())
    }

    /// Lets `look` see the rotated files until they were the same before and after; `None` when
    /// they were not for long.
    fn settled<T>(&self, mut look: impl FnMut(&Family) -> Result<T>) -> Result<Option<T>> {
        for _ in 0..LOOKS {
            let family = Family::list(&self.path)?;
            let seen = look(&family);
            if Family::list(&self.path)?.is_as(&family) {
                return seen.map(Some);
            }
        }
        Ok(None)
    }

    /// The file at the path, at its beginning, when it holds something.
    fn present(&self, mode: Mode) -> Result<Begin> {
        let Some(open) = OpenFile::start(&self.path)? else {
            return Ok(Begin::Missing);
        };
        refuse_packed(&open, mode)?;
        Ok(match open.is_empty()? {
            true => Begin::Empty,
            false => Begin::With(Box::new(open)),
        })
    }

    /// The first file of a lane that stands nowhere yet: one that was rotated since the first look,
    /// or the one at the path.
    fn first(&mut self, mode: Mode) -> Result<Begin> {
        if mode == Mode::Current {
            return self.present(mode);
        }
        let known = match self.known.take() {
            Some(known) => known,
            None => {
                let family = Family::list(&self.path)?;
                family.members().iter().map(|member| member.id).collect()
            }
        };
        let begin = self.settled(|family| {
            let new = family.after(None, &known);
            let new = new.map_err(|fault| self.fail(fault))?;
            match first_filled(new)? {
                Some(first) => Ok(Begin::With(first)),
                None => self.present(mode),
            }
        });
        self.known = Some(known);
        Ok(begin?.unwrap_or(Begin::Empty))
    }

    /// The file that `position` stands in: the one at the path, or what it was rotated to.
    fn resume(&self, position: &FilePosition, mode: Mode) -> Result<Begin> {
        let begin = self.settled(|family| {
            let mismatch = match OpenFile::behind(&self.path, position)? {
                Some(Ok(open)) => {
                    refuse_packed(&open, mode)?;
                    return Ok(Begin::With(Box::new(open)));
                }
                Some(Err(mismatch)) => Some(mismatch),
                None if mode == Mode::Current => return Ok(Begin::Missing),
                None => None,
            };
            let found = self.find(family, position.byte, |path| {
                OpenFile::behind(path, position)
            })?;
            match (found, mismatch) {
                (Some((_, open)), _) => Ok(Begin::With(Box::new(open))),
                // Nothing of it was settled, so nothing is lost with it.
                (None, Some(_)) if position.byte == 0 => self.present(mode),
                (None, Some(mismatch)) => Err(self.fail(mismatch.fault(&self.path))),
                (None, None) => Ok(Begin::Missing),
            }
        })?;
        Ok(begin.unwrap_or(Begin::Missing))
    }

    /// The one member of the family that holds what was read up to `byte`. One that is not
    /// compressed is preferred: while it is being compressed there are two.
    fn find<'a>(
        &self,
        family: &'a Family,
        byte: u64,
        open: impl Fn(&Path) -> Result<Option<Opened>>,
    ) -> Result<Option<(&'a Member, OpenFile)>> {
        let mut found: Vec<(&Member, OpenFile)> = Vec::new();
        for member in family.members() {
            let opened = match open(&member.path) {
                Ok(Some(Ok(opened))) => opened,
                Ok(Some(Err(_)) | None) => continue,
                // It may be half written still.
                Err(_) if member.is_packed() => continue,
                Err(error) => return Err(error),
            };
            if found.iter().all(|(_, other)| other.id() != opened.id()) {
                found.push((member, opened));
            }
        }
        if found.iter().any(|(_, open)| open.packing().is_none()) {
            found.retain(|(_, open)| open.packing().is_none());
        }
        if found.len() > 1 {
            let candidates = found.iter().map(|(member, _)| member.name.clone());
            return Err(self.fail(Fault::Ambiguous {
                path: self.path.to_path_buf(),
                byte,
                candidates: candidates.collect(),
            }));
        }
        Ok(found.pop())
    }

    /// Whether there is a file at the path, and whether it is `open`.
    fn at_path(&self, open: &OpenFile) -> Result<AtPath> {
        match fs::metadata(&self.path) {
            Ok(found) if FileId::of(&found) == open.id() => Ok(AtPath::This),
            Ok(_) => Ok(AtPath::Another),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(AtPath::None),
            Err(error) => Err(file_error(self.path.display(), error)),
        }
    }

    /// What `open` is called now; `None` when it is the file at the path.
    fn place_of<'a>(&self, open: &OpenFile, family: &'a Family) -> Result<Option<&'a Member>> {
        let gone = match self.at_path(open)? {
            AtPath::This => return Ok(None),
            AtPath::Another => false,
            AtPath::None => true,
        };
        let mut members = family.members().iter();
        if let Some(member) = members.find(|member| member.id == open.id()) {
            return Ok(Some(member));
        }
        // It may have been compressed meanwhile.
        let byte = open.read_bytes();
        let found = match open.anchor().is_anything() {
            true => None,
            false => self.find(family, byte, |path| open.copy_at(path))?,
        };
        let moved = || {
            self.fail(Fault::Moved {
                path: self.path.to_path_buf(),
                gone,
                byte,
            })
        };
        found.map(|(member, _)| Some(member)).ok_or_else(moved)
    }
}

impl Series for RotatedPath {
    fn name(&self) -> &Path {
        &self.path
    }

    fn begin(&mut self, from: Option<&FilePosition>, mode: Mode) -> Result<Begin> {
        let Some(from) = from else {
            return self.first(mode);
        };
        if let Some(name) = from.file_name() {
            return Err(self.fail(Fault::OtherSource {
                path: self.path.to_path_buf(),
                of: Some(name.to_owned()),
            }));
        }
        if !Anchor::of(from).is_anything() {
            return self.resume(from, mode);
        }
        Ok(match self.first(mode)? {
            Begin::With(mut open) => {
                open.generation = from.generation;
                Begin::With(open)
            }
            nothing => nothing,
        })
    }

    fn after(&mut self, open: &OpenFile, mode: Mode) -> Result<Option<OpenFile>> {
        // Nearly always; then nothing is listed.
        if let AtPath::This = self.at_path(open)? {
            return Ok(None);
        }
        let next = self.settled(|family| {
            let Some(place) = self.place_of(open, family)? else {
                return Ok(None);
            };
            let rotated = family.after(Some(place), &HashSet::new());
            let rotated = rotated.map_err(|fault| self.fail(fault))?;
            match first_filled(rotated)? {
                Some(next) => Ok(Some(*next)),
                None => Ok(match self.present(mode)? {
                    Begin::With(next) => Some(*next),
                    Begin::Empty | Begin::Missing => None,
                }),
            }
        })?;
        Ok(next.flatten())
    }

    fn leave(&mut self, open: &OpenFile, next: &mut OpenFile) -> Result<()> {
        next.generation = open.generation + 1;
        Ok(())
    }

    fn in_place_of(&mut self, open: &OpenFile, mismatch: Mismatch) -> Result<OpenFile> {
        let byte = open.read_bytes();
        let copy = self.settled(|family| {
            let found = self.find(family, byte, |path| open.copy_at(path))?;
            Ok(found.map(|(_, copy)| copy))
        })?;
        let copy = match copy.flatten() {
            // Nothing of it was read, so nothing of it is missed.
            None if byte == 0 => OpenFile::start(open.path())?.map(|anew| open.anew(anew)),
            copy => copy,
        };
        copy.ok_or_else(|| self.fail(mismatch.fault(open.path())))
    }

    fn bytes_after(&mut self, open: &OpenFile) -> Result<Option<u64>> {
        if let AtPath::This = self.at_path(open)? {
            return Ok(Some(0));
        }
        let length = |path: &Path| fs::metadata(path).map_or(0, |about| about.len());
        self.settled(|family| {
            let Some(place) = self.place_of(open, family)? else {
                return Ok(0);
            };
            let rotated = family.after(Some(place), &HashSet::new());
            let rotated = rotated.map_err(|fault| self.fail(fault))?;
            let rotated: u64 = rotated.iter().map(|member| member.length).sum();
            Ok(rotated + length(&self.path))
        })
    }
}

/// Opens the first of these files that holds something, at its beginning. One that was moved
/// meanwhile is not opened: then the family is looked at again.
fn first_filled(members: Vec<&Member>) -> Result<Option<Box<OpenFile>>> {
    for member in members {
        if let Some(open) = OpenFile::start(&member.path)?
            && open.id() == member.id
            && !open.is_empty()?
        {
            return Ok(Some(Box::new(open)));
        }
    }
    Ok(None)
}
