//! The identity of a projection, which is also the identity of the lane it reads.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::{Error, Result};

/// Longest name or key, in bytes. The width of the columns that JVM offset stores use, so that an
/// identity can move between the two.
pub const MAX_PART_BYTES: usize = 255;

/// Name and key of one projection: `orders` / `all`, `orders` / `slices-0-255`.
///
/// The name says what is built, the key which part of the source it is built from. The pair is
/// compared as a pair: (`a`, `b-c`) and (`a-b`, `c`) are different projections.
///
/// Cloning is cheap: both parts are shared.
#[derive(Clone, Eq, PartialOrd, Ord)]
pub struct ProjectionId {
    name: Arc<str>,
    key: Arc<str>,
}

impl ProjectionId {
    /// Makes an identity.
    ///
    /// # Errors
    /// [`Error::Configuration`] when a part is blank, longer than [`MAX_PART_BYTES`], or holds a
    /// control character.
    pub fn new(name: impl AsRef<str>, key: impl AsRef<str>) -> Result<Self> {
        Ok(Self {
            name: checked("name", name.as_ref())?,
            key: checked("key", key.as_ref())?,
        })
    }

    /// What is built.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Which part of the source it is built from.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }
}

impl PartialEq for ProjectionId {
    /// Clones share their parts, and are equal without a look at the text.
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        let are_equal =
            |left: &Arc<str>, right: &Arc<str>| Arc::ptr_eq(left, right) || left == right;
        are_equal(&self.name, &other.name) && are_equal(&self.key, &other.key)
    }
}

impl Hash for ProjectionId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
        self.key.hash(state);
    }
}

fn checked(part: &str, text: &str) -> Result<Arc<str>> {
    let reason = if text.trim().is_empty() {
        "is blank".to_owned()
    } else if text.len() > MAX_PART_BYTES {
        format!(
            "has {} bytes, at most {MAX_PART_BYTES} are allowed",
            text.len()
        )
    } else if text.chars().any(char::is_control) {
        "holds a control character".to_owned()
    } else {
        return Ok(text.into());
    };
    Err(Error::Configuration {
        subject: format!("projection {part} {text:?}"),
        reason,
    })
}

impl fmt::Display for ProjectionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.name, self.key)
    }
}

impl fmt::Debug for ProjectionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ProjectionId({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_compared_as_pairs() {
        let left = ProjectionId::new("a", "b-c").unwrap();
        let right = ProjectionId::new("a-b", "c").unwrap();
        assert_ne!(left, right);
    }

    #[test]
    fn blank_long_and_control_parts_are_refused() {
        for (name, key, word) in [
            (" ", "all", "blank"),
            ("orders", "", "blank"),
            ("a\nb", "all", "control"),
            ("x", "k".repeat(256).as_str(), "256 bytes"),
        ] {
            let error = ProjectionId::new(name, key).unwrap_err().to_string();
            assert!(error.contains(word), "{error}");
        }
    }
}
