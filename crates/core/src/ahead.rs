//! What is settled above the low-water mark.

use std::borrow::Cow;
use std::fmt;

use crate::words::{read_words, write_words};
use crate::{Error, Result};

/// What is settled above the low-water mark of a lane, as it is stored.
///
/// A lane that is handled in order has none. One that is handled by key, or whose flow gives
/// envelopes back out of order, stores here what a next run need not repeat.
///
/// Each range names two delivered positions: every record that the source delivers from the first
/// to the last, both included, is settled. Ranges increase and do not touch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ahead {
    /// Names the format of the positions; see [`Position::MANIFEST`](crate::Position::MANIFEST).
    pub manifest: Cow<'static, str>,
    /// The ranges, in the order of the lane.
    pub ranges: Vec<SettledRange>,
}

/// Two positions as text, between which every delivered record is settled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettledRange {
    /// The first settled position.
    pub first: String,
    /// The last settled position.
    pub last: String,
}

impl Ahead {
    /// Whether nothing above the low-water mark is settled.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Reads the stored form.
    ///
    /// # Errors
    /// [`Error::Damaged`] when the text is not one that `Display` writes.
    pub fn parse(text: &str) -> Result<Self> {
        let damaged = || Error::Damaged {
            what: "list of what is settled ahead".to_owned(),
            text: text.to_owned(),
        };
        let words = read_words(text).ok_or_else(damaged)?;
        let (manifest, texts) = words.split_first().ok_or_else(damaged)?;
        let (pairs, rest) = texts.as_chunks::<2>();
        if !rest.is_empty() {
            return Err(damaged());
        }
        let ranges = pairs.iter().map(|[first, last]| SettledRange {
            first: first.clone(),
            last: last.clone(),
        });
        Ok(Self {
            manifest: Cow::Owned(manifest.clone()),
            ranges: ranges.collect(),
        })
    }
}

impl fmt::Display for Ahead {
    /// The stored form: the manifest, then the two positions of each range, parted by spaces. A
    /// space within a position is written `%20`, and `%` itself `%25`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let positions = self
            .ranges
            .iter()
            .flat_map(|range| [range.first.as_str(), range.last.as_str()]);
        write_words(f, std::iter::once(self.manifest.as_ref()).chain(positions))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_read_back_as_written() {
        let range = |first: &str, last: &str| SettledRange {
            first: first.into(),
            last: last.into(),
        };
        for ranges in [
            vec![],
            vec![range("7", "9")],
            vec![range("a b", "%"), range("", " ")],
        ] {
            let ahead = Ahead {
                manifest: "any".into(),
                ranges,
            };
            assert_eq!(Ahead::parse(&ahead.to_string()).unwrap(), ahead);
        }
    }

    #[test]
    fn half_a_range_is_refused() {
        assert!(matches!(Ahead::parse("any 7"), Err(Error::Damaged { .. })));
        assert!(matches!(
            Ahead::parse("any 7 %2"),
            Err(Error::Damaged { .. })
        ));
    }
}
