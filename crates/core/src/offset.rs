//! A position as it is stored.

use std::borrow::Cow;
use std::fmt;

use crate::{Error, Position, ProjectionId, Result};

/// A position as it is stored: its text, and the manifest that names the text's format.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Offset {
    /// Names the format of `text`; see [`Position::MANIFEST`].
    pub manifest: Cow<'static, str>,
    /// The position, as its source writes it.
    pub text: String,
}

impl Offset {
    /// Writes a position down.
    #[must_use]
    pub fn of<P: Position>(position: &P) -> Self {
        let mut text = String::new();
        position.write_to(&mut text);
        Self {
            manifest: Cow::Borrowed(P::MANIFEST),
            text,
        }
    }

    /// Replaces this offset by `position`, keeping the buffer.
    pub fn set<P: Position>(&mut self, position: &P) {
        self.manifest = Cow::Borrowed(P::MANIFEST);
        self.text.clear();
        position.write_to(&mut self.text);
    }

    /// Reads the position of `lane` back.
    ///
    /// # Errors
    /// [`Error::ForeignOffset`] when another kind of source wrote it, [`Error::OffsetCodec`] when
    /// the text is damaged.
    pub fn position<P: Position>(&self, lane: &ProjectionId) -> Result<P> {
        if self.manifest != P::MANIFEST {
            return Err(Error::ForeignOffset {
                lane: lane.clone(),
                stored: self.manifest.to_string(),
                provider: P::MANIFEST,
            });
        }
        P::parse(&self.text)
    }
}

impl Clone for Offset {
    fn clone(&self) -> Self {
        Self {
            manifest: self.manifest.clone(),
            text: self.text.clone(),
        }
    }

    /// Keeps the buffer: progress is copied at every save.
    fn clone_from(&mut self, source: &Self) {
        match (&mut self.manifest, &source.manifest) {
            // That of a source's own positions: there is nothing to copy and nothing to let go.
            (Cow::Borrowed(kept), Cow::Borrowed(manifest)) => *kept = manifest,
            (kept, manifest) => kept.clone_from(manifest),
        }
        self.text.clear();
        self.text.push_str(&source.text);
    }
}

impl fmt::Display for Offset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A position whose type is not named: it can be written down, nothing else.
///
/// Handlers and observers get positions in this form, so that they need no type parameter for a
/// coordinate that most of them only log.
pub trait OffsetText: Sync {
    /// The offset of this position. Allocates; meant for logs, tokens and dead letters.
    fn offset(&self) -> Offset;
}

impl<P: Position> OffsetText for P {
    fn offset(&self) -> Offset {
        Offset::of(self)
    }
}

impl OffsetText for Offset {
    fn offset(&self) -> Offset {
        self.clone()
    }
}
