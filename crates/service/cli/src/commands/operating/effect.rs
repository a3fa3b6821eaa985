//! What follows when a lane is moved: what is read again, what is passed over, and what the guard
//! means for that.

use projectionist_core::contract::DeclarationStore;
use projectionist_core::{Offset, Position};
use projectionist_language::model::Sequence;
use projectionist_source_file::FilePosition;
use projectionist_store_sqlite::SqliteStore;

use crate::commands::deployment::deployed_programs;
use crate::exit::Failure;

/// What keeps events from being applied twice that are read again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Guarding {
    /// The events have sequence numbers, and each entity remembers its last one.
    Numbers,
    /// The projection is declared with `sequence: none`.
    Nothing,
    /// The projection is no declared one: its handler must bear it.
    Handler,
}

impl Guarding {
    /// How the projection `name` is guarded.
    pub(super) async fn of(store: &SqliteStore, name: &str) -> Result<Self, Failure> {
        let kept = store.declarations().await?;
        if !kept.iter().any(|kept| kept.declaration.projection == name) {
            return Ok(Self::Handler);
        }
        let programs = deployed_programs(store).await?;
        let projections = programs.iter().flat_map(|program| &program.projections);
        let declared = projections.into_iter().find(|one| *one.name == *name);
        Ok(match declared.map(|declared| &declared.sequence) {
            Some(Sequence::None) => Self::Nothing,
            _ => Self::Numbers,
        })
    }

    fn what_is_read_again(self) -> &'static str {
        match self {
            Self::Numbers => {
                "its events have sequence numbers: those that were applied count as stale and \
                 change no row, so nothing is applied twice. Rows are built anew by `rebuild`, or \
                 by a run into a new target"
            }
            Self::Nothing => {
                "the projection has `sequence: none`: what is read again is applied again, and \
                 increments count twice. Rows are built anew by `rebuild`, or by a run into a new \
                 target"
            }
            Self::Handler => "the handler gets these events again, as a replay: it must bear that",
        }
    }
}

/// Whether an offset can be a place of its source, as far as this program knows the source.
///
/// # Errors
/// Why not.
pub(super) fn check(to: &Offset) -> Result<(), String> {
    match to.manifest.as_ref() {
        FilePosition::MANIFEST => {
            let parsed = FilePosition::parse(&to.text);
            parsed.map(drop).map_err(|error| error.to_string())
        }
        _ => Ok(()),
    }
}

/// What a move from one offset to another means, a sentence each.
pub(super) fn sentences(
    from: Option<&Offset>,
    to: Option<&Offset>,
    guarding: Guarding,
) -> Vec<String> {
    let (from, to) = (Place::of(from), Place::of(to));
    match (from, to) {
        (Place::File(from), Place::File(to)) if to.0 < from.0 => vec![
            again(to.1, from.1),
            guarding.what_is_read_again().to_owned(),
        ],
        (Place::File(from), Place::File(to)) if to.0 > from.0 => vec![format!(
            "line(s) {} to {} are passed over: their events are never applied",
            from.1 + 1,
            to.1
        )],
        (Place::Other, Place::File((0, _))) => vec![
            "everything is read again".to_owned(),
            guarding.what_is_read_again().to_owned(),
        ],
        (Place::Other, _) | (_, Place::Other) => vec![
            "what stands between the two is read again when the lane moves back, and passed over \
             when it moves on"
                .to_owned(),
            guarding.what_is_read_again().to_owned(),
        ],
        _ => Vec::new(),
    }
}

fn again(after: u64, up_to: u64) -> String {
    format!("line(s) {} to {up_to} are read again", after + 1)
}

/// An offset as far as this program knows its format.
#[derive(Clone, Copy)]
enum Place {
    /// So many bytes and lines of a file; the beginning has none.
    File((u64, u64)),
    Other,
}

impl Place {
    fn of(offset: Option<&Offset>) -> Self {
        let Some(offset) = offset else {
            return Self::File((0, 0));
        };
        let is_file = offset.manifest == FilePosition::MANIFEST;
        let parsed = is_file.then(|| FilePosition::parse(&offset.text));
        match parsed {
            Some(Ok(place)) => Self::File((place.byte, place.line)),
            _ => Self::Other,
        }
    }
}
