//! Which file of a pattern a place stands in, and what the lane has left behind.

use std::fmt;

use xxhash_rust::xxh3::xxh3_64_with_seed;

/// How many of the files that were passed last are remembered in an offset. Older ones are only
/// counted.
pub(super) const REMEMBERED: usize = 32;

/// A file of a pattern as a place remembers it, written `passed;name`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PatternFile {
    /// The name, without its folder.
    pub(super) name: Box<str>,
    /// Fingerprints of the files that were passed last, oldest first.
    pub(super) passed: Vec<u16>,
}

impl PatternFile {
    /// The first file of a lane.
    pub(super) fn first(name: &str) -> Self {
        Self {
            name: name.into(),
            passed: Vec::new(),
        }
    }

    /// The file `name`, which comes after this one, whose length is `length`.
    pub(super) fn next(&self, length: u64, name: &str) -> Self {
        let mut passed = self.passed.clone();
        if passed.len() == REMEMBERED {
            passed.remove(0);
        }
        passed.push(fingerprint(&self.name, length));
        Self {
            name: name.into(),
            passed,
        }
    }

    /// Whether the file `name` of this length is among those that were passed last.
    pub(super) fn has_passed(&self, name: &str, length: u64) -> bool {
        self.passed.contains(&fingerprint(name, length))
    }

    /// Reads what [`fmt::Display`] writes.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (digits, name) = text.split_once(';')?;
        if name.is_empty() || !digits.len().is_multiple_of(4) {
            return None;
        }
        let starts = (0..digits.len()).step_by(4);
        let passed = starts.map(|at| u16::from_str_radix(digits.get(at..at + 4)?, 16).ok());
        Some(Self {
            name: name.into(),
            passed: passed.collect::<Option<_>>()?,
        })
    }
}

impl fmt::Display for PatternFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for fingerprint in &self.passed {
            write!(f, "{fingerprint:04x}")?;
        }
        write!(f, ";{}", self.name)
    }
}

/// Tells a file that was passed from one that is new, or has changed since: 16 bits of the XXH3 of
/// its name, seeded by its length.
fn fingerprint(name: &str, length: u64) -> u16 {
    let [high, low, ..] = xxh3_64_with_seed(name.as_bytes(), length).to_be_bytes();
    u16::from_be_bytes([high, low])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_passed_file_is_known_by_name_and_length() {
        let file = PatternFile::first("a").next(10, "b").next(20, "c");
        assert!(file.has_passed("a", 10) && file.has_passed("b", 20));
        assert!(!file.has_passed("a", 11) && !file.has_passed("aa", 10));
        assert!(!file.has_passed("c", 0));
        assert_eq!(PatternFile::parse(&file.to_string()), Some(file));
    }

    #[test]
    fn only_the_last_ones_are_remembered() {
        let mut file = PatternFile::first("0");
        for number in 1..100_u64 {
            file = file.next(1, &number.to_string());
        }
        assert_eq!(file.passed.len(), REMEMBERED);
        assert!(file.has_passed("98", 1) && file.has_passed("67", 1));
    }
}
