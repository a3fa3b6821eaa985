//! Moves a lane: foresees what follows, refuses what is unsafe, and tells what was done.

use projectionist_core::{Error, Offset, Position};
use projectionist_engine::{LaneOverview, Liveness, Overview, ProjectionManagement};
use projectionist_source_file::StreamPosition;
use serde_json::json;

use super::effect::{self, Guarding};
use super::report::{Outcome, Report};
use super::{held_by, identity, is_run, one_lane, open};
use crate::args::operating::{Addressed, Moving};
use crate::exit::Failure;

/// The word for no offset.
const NONE: &str = "none";

/// A move of a lane that someone wants.
pub(in crate::commands) struct Move<'a> {
    pub(in crate::commands) command: &'static str,
    pub(in crate::commands) addressed: &'a Addressed,
    pub(in crate::commands) moving: &'a Moving,
    /// The text of the new offset; `None` for the beginning.
    pub(in crate::commands) to: Option<&'a str>,
}

/// A move, put together.
struct Planned {
    lane: LaneOverview,
    expected: Option<Option<Offset>>,
    to: Option<Offset>,
    guarding: Guarding,
}

/// Moves the lane, or tells what would follow.
pub(in crate::commands) async fn carry_out(asked: &Move<'_>) -> Result<(), Failure> {
    let store = open(&asked.addressed.store)?;
    let overview = Overview::read(&store, &projectionist_core::SystemClock).await?;
    let lane = one_lane(&overview, asked.addressed)?;
    let guarding = Guarding::of(&store, &asked.addressed.name).await?;
    let outcome = match plan(asked, lane.clone(), guarding) {
        Err(reason) => Outcome::refused(lane.key.as_deref(), reason),
        Ok(planned) if asked.moving.asking.dry_run => foreseen(&planned),
        Ok(planned) => {
            let management = ProjectionManagement::new(store);
            let management = management.with_patience(asked.moving.asking.wait);
            moved(&management, &planned).await?
        }
    };
    let outcome = outcome.with(json!({
        "offset_before": lane.offset.as_ref().map(|offset| &offset.text),
        "offset_after": asked.to,
    }));
    let report = Report {
        command: asked.command,
        addressed: asked.addressed,
        dry_run: asked.moving.asking.dry_run,
        outcomes: vec![outcome],
    };
    report.print()
}

/// The move, or why it is refused.
fn plan(asked: &Move<'_>, lane: LaneOverview, guarding: Guarding) -> Result<Planned, String> {
    let stored = lane.offset.as_ref();
    let manifest = asked.moving.manifest.as_deref();
    let manifest = manifest.or(stored.map(|offset| offset.manifest.as_ref()));
    let offset = |text: &str| -> Result<Offset, String> {
        let unknown =
            "the lane holds no offset, so its format is not known; name it with --manifest";
        let manifest = manifest.ok_or(unknown)?;
        Ok(Offset {
            manifest: manifest.to_owned().into(),
            text: text.to_owned(),
        })
    };
    let to = asked.to.map(offset).transpose()?;
    let expected = match asked.moving.expect.as_deref() {
        None => None,
        Some(NONE) => Some(None),
        Some(text) => Some(Some(offset(text)?)),
    };
    if let Some(expected) = &expected
        && expected.as_ref() != stored
    {
        let show = |offset: Option<&Offset>| offset.map_or(NONE.to_owned(), ToString::to_string);
        let (found, expected) = (show(stored), show(expected.as_ref()));
        return Err(format!(
            "the lane holds `{found}`, not `{expected}`: nothing was changed"
        ));
    }
    if let (Some(stored), Some(to)) = (stored, &to)
        && stored.manifest != to.manifest
    {
        return Err(format!(
            "the offset has the format `{}`, the lane's source writes `{}`; use an offset of that \
             source, as `offset get` tells it",
            to.manifest, stored.manifest
        ));
    }
    if stored.is_some_and(|stored| stored.manifest == StreamPosition::MANIFEST) {
        return Err(
            "a stream is read once and never resumed, so no offset of it means anything to a \
             later run; feed it whole again, the guard passes over what was applied"
                .to_owned(),
        );
    }
    if let Some(to) = &to {
        effect::check(to)?;
    }
    if lane.counters.parked() > 0 && !is_run(&lane) {
        return Err(
            "envelopes are parked, and only a running owner knows which of them would be read \
             again; start the projection, and ask it"
                .to_owned(),
        );
    }
    Ok(Planned {
        lane,
        expected,
        to,
        guarding,
    })
}

impl Planned {
    fn sentences(&self) -> Vec<String> {
        let from = self.lane.offset.as_ref();
        effect::sentences(from, self.to.as_ref(), self.guarding)
    }

    fn change(&self) -> String {
        let show = |offset: Option<&Offset>| offset.map_or(NONE.to_owned(), ToString::to_string);
        let (from, to) = (show(self.lane.offset.as_ref()), show(self.to.as_ref()));
        format!("from {from} to {to}")
    }
}

fn foreseen(planned: &Planned) -> Outcome {
    let lane = &planned.lane;
    let how = match lane.owner.as_ref().map(|owner| owner.liveness) {
        Some(Liveness::Alive) => format!(
            "{}; it would be asked, and obeys within a second",
            held_by(lane)
        ),
        Some(Liveness::Silent) => format!(
            "{}: it would be asked; unless it wakes, or its claim is over, it is taken back",
            held_by(lane)
        ),
        Some(Liveness::Dead) | None => format!("{}: it would be moved at once", held_by(lane)),
    };
    let mut details = vec![planned.change(), how];
    details.extend(planned.sentences());
    Outcome::done(lane.key.as_deref(), "would move", details)
}

async fn moved(
    management: &ProjectionManagement<projectionist_store_sqlite::SqliteStore>,
    planned: &Planned,
) -> Result<Outcome, Failure> {
    let lane = &planned.lane;
    let (id, key) = (identity(lane)?, lane.key.as_deref());
    let moved = match (planned.expected.clone(), planned.to.clone()) {
        (None, Some(to)) => management.set_offset(&id, to).await,
        (None, None) => management.clear_offset(&id).await,
        (Some(expected), Some(to)) => management.compare_and_set_offset(&id, expected, to).await,
        (Some(expected), None) => management.compare_and_clear_offset(&id, expected).await,
    };
    match moved {
        Ok(()) => {
            let mut details = vec![planned.change()];
            details.extend(planned.sentences());
            Ok(Outcome::done(key, "moved", details))
        }
        Err(Error::Refused { reason, .. }) => Ok(Outcome::refused(key, reason)),
        Err(Error::Held { .. }) => Ok(Outcome::refused(key, not_answered(lane))),
        Err(error) => Err(error.into()),
    }
}

/// What is said when the owner of a lane did not answer.
pub(in crate::commands) fn not_answered(lane: &LaneOverview) -> String {
    format!(
        "{}, and did not answer in time: what was asked is taken back, and nothing was changed. \
         Stop that process and ask again, or wait until its claim is over",
        held_by(lane)
    )
}
