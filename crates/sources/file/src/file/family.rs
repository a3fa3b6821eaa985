//! The files that stand beside a path and bear its name: what rotation made of earlier ones.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use projectionist_core::Result;

use super::anchor::FileId;
use crate::fault::{Fault, file_error};

/// The most digits of a rotation's number; a longer one is a date.
const NUMBER_DIGITS: usize = 5;

/// What the name of a file says about its place among the rotated ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Rotation {
    /// A number: the higher, the older.
    Numbered(u32),
    /// A date or a time: the later in the alphabet, the newer.
    Dated(String),
    /// Nothing.
    None,
}

/// A file beside the path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) path: PathBuf,
    pub(super) name: String,
    pub(super) id: FileId,
    pub(super) length: u64,
    pub(super) rotation: Rotation,
    /// The time of the last write, in seconds and nanoseconds.
    written: (i64, i64),
}

impl Member {
    /// Whether its name says that it is compressed.
    pub(super) fn is_packed(&self) -> bool {
        unpacked_name(&self.name) != self.name
    }

    /// Whether this file was written after `other`, as far as both names and times tell.
    fn is_after(&self, other: &Self) -> std::result::Result<bool, Fault> {
        let by_time = self.written.cmp(&other.written);
        let by_name = match (&self.rotation, &other.rotation) {
            (Rotation::Numbered(this), Rotation::Numbered(other)) => other.cmp(this),
            (Rotation::Dated(this), Rotation::Dated(other)) => this.cmp(other),
            _ => Ordering::Equal,
        };
        match (by_name, by_time) {
            (Ordering::Equal, Ordering::Equal) => Ok(self.name > other.name),
            (Ordering::Equal, by_time) => Ok(by_time == Ordering::Greater),
            (Ordering::Greater, Ordering::Less) | (Ordering::Less, Ordering::Greater) => {
                Err(Fault::Unordered {
                    path: other.path.clone(),
                    other: self.name.clone(),
                    is_later: by_name == Ordering::Greater,
                })
            }
            (by_name, _) => Ok(by_name == Ordering::Greater),
        }
    }
}

/// The files beside a path that bear its name.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Family(Vec<Member>);

impl Family {
    /// Lists them. While files are renamed a list may miss one or have it twice: one that
    /// [is as](Self::is_as) the next one does not.
    pub(super) fn list(path: &Path) -> Result<Self> {
        let folder = match path.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        let fail = |error| file_error(folder.display(), error);
        let Some(name) = path.file_name().and_then(OsStr::to_str) else {
            return Ok(Self(Vec::new()));
        };
        let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            // A folder that must not be listed can hold a file that may be read.
            Err(error) if is_absent(&error) || error.kind() == io::ErrorKind::PermissionDenied => {
                return Ok(Self(Vec::new()));
            }
            Err(error) => return Err(fail(error)),
        };
        let mut members = Vec::new();
        for entry in entries {
            let entry = entry.map_err(fail)?;
            let file_name = entry.file_name();
            let Some(other) = file_name.to_str() else {
                continue;
            };
            if other == name || !other.starts_with(stem) {
                continue;
            }
            let about = match fs::metadata(entry.path()) {
                Ok(about) if about.is_file() => about,
                Ok(_) => continue,
                // It was moved since, or points nowhere.
                Err(error) if is_absent(&error) => continue,
                Err(error) => return Err(file_error(entry.path().display(), error)),
            };
            members.push(Member {
                path: entry.path(),
                name: other.to_owned(),
                id: FileId::of(&about),
                length: about.len(),
                rotation: rotation(name, other),
                written: (about.mtime(), about.mtime_nsec()),
            });
        }
        members.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(Self(members))
    }

    /// All of them, by name.
    pub(super) fn members(&self) -> &[Member] {
        &self.0
    }

    /// Whether the same files stand there under the same names, whatever was written to them.
    pub(super) fn is_as(&self, other: &Self) -> bool {
        let names = |family: &Self| -> Vec<(String, FileId)> {
            let members = family.0.iter();
            members
                .map(|member| (member.name.clone(), member.id))
                .collect()
        };
        names(self) == names(other)
    }

    /// The rotated files that hold something, came after `member`, or all where there is none, and
    /// are not `known`; oldest first.
    pub(super) fn after(
        &self,
        member: Option<&Member>,
        known: &HashSet<FileId>,
    ) -> std::result::Result<Vec<&Member>, Fault> {
        let mut after: Vec<&Member> = Vec::new();
        for other in &self.0 {
            let is_empty = other.length == 0 || other.rotation == Rotation::None;
            if is_empty || known.contains(&other.id) || self.is_being_packed(other) {
                continue;
            }
            if let Some(member) = member
                && (other.id == member.id || !other.is_after(member)?)
            {
                continue;
            }
            let mut place = after.len();
            while let Some(earlier) = place.checked_sub(1).and_then(|at| after.get(at))
                && earlier.is_after(other)?
            {
                place -= 1;
            }
            after.insert(place, other);
        }
        Ok(after)
    }

    /// Whether `member` is the compressed form of another one that still is there.
    fn is_being_packed(&self, member: &Member) -> bool {
        let plain = unpacked_name(&member.name);
        member.is_packed() && self.0.iter().any(|other| other.name == plain)
    }
}

fn is_absent(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
}

/// The name of a file before it was compressed.
fn unpacked_name(name: &str) -> &str {
    let endings = [".gz", ".zst", ".zstd"];
    let plain = endings.iter().find_map(|ending| name.strip_suffix(ending));
    plain.unwrap_or(name)
}

/// What `other` says about its place among the rotated files of `name`: between stem and ending, or
/// behind the whole name, or behind the stem alone, there is a separator and then a number, or a
/// date or time.
fn rotation(name: &str, other: &str) -> Rotation {
    let other = unpacked_name(other);
    let (stem, ending) = match name.split_once('.') {
        Some((stem, ending)) => (stem, format!(".{ending}")),
        None => (name, String::new()),
    };
    let behind_name = other.strip_prefix(name);
    let between = || other.strip_prefix(stem)?.strip_suffix(&ending);
    let behind_stem = || other.strip_prefix(stem);
    let Some(added) = behind_name.or_else(between).or_else(behind_stem) else {
        return Rotation::None;
    };
    let separators = ['.', '-', '_'];
    let Some(added) = added.strip_prefix(separators) else {
        return Rotation::None;
    };
    let is_digit = |byte: u8| byte.is_ascii_digit();
    if !added.bytes().any(is_digit) {
        return Rotation::None;
    }
    if added.bytes().all(is_digit) && added.len() <= NUMBER_DIGITS {
        return added.parse().map_or(Rotation::None, Rotation::Numbered);
    }
    let is_time = |byte: u8| is_digit(byte) || b"-_.:+TZ".contains(&byte);
    match added.bytes().all(is_time) {
        true => Rotation::Dated(added.to_owned()),
        false => Rotation::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_a_number_or_a_time() {
        let name = "events.jsonl";
        for (other, number) in [
            ("events.jsonl.1", 1),
            ("events.jsonl.12", 12),
            ("events.jsonl.2.gz", 2),
            ("events.jsonl-3", 3),
            ("events.4.jsonl", 4),
            ("events.4.jsonl.zst", 4),
            ("events.5", 5),
        ] {
            assert_eq!(rotation(name, other), Rotation::Numbered(number), "{other}");
        }
        for (other, time) in [
            ("events.jsonl-20240625", "20240625"),
            ("events.jsonl.2024-06-25", "2024-06-25"),
            ("events-2024-06-25T10:00:00Z.jsonl", "2024-06-25T10:00:00Z"),
            ("events.jsonl-20240625.gz", "20240625"),
        ] {
            let expected = Rotation::Dated(time.to_owned());
            assert_eq!(rotation(name, other), expected, "{other}");
        }
        for other in [
            "events.jsonl.old",
            "events.jsonl.bak",
            "events.json",
            "events2.jsonl",
            "events-schema.jsonl",
            "events",
        ] {
            assert_eq!(rotation(name, other), Rotation::None, "{other}");
        }
    }

    fn member(name: &str, second: i64) -> Member {
        let about = fs::metadata(".").unwrap();
        Member {
            path: name.into(),
            name: name.to_owned(),
            id: FileId::of(&about),
            length: 1,
            rotation: rotation("events.jsonl", name),
            written: (second, 0),
        }
    }

    #[test]
    fn names_and_times_decide_what_is_later_and_must_agree() {
        let is_after = |one: (&str, i64), other: (&str, i64)| {
            member(one.0, one.1).is_after(&member(other.0, other.1))
        };
        assert!(is_after(("events.1", 7), ("events.2", 6)).unwrap());
        assert!(is_after(("events.1", 7), ("events.2", 7)).unwrap());
        assert!(!is_after(("events.10", 7), ("events.2", 7)).unwrap());
        assert!(is_after(("events-20240102", 7), ("events-20240101", 7)).unwrap());
        assert!(is_after(("events.1", 7), ("events.old", 6)).unwrap());
        assert!(is_after(("events.1", 5), ("events.2", 6)).is_err());
        assert!(is_after(("events.2", 7), ("events.1", 6)).is_err());
    }
}
