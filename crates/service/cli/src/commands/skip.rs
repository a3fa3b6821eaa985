//! Passes over the event that a projection cannot handle now.

use projectionist_core::{Error, Offset, SystemClock};
use projectionist_engine::{LaneOverview, Liveness, Overview, ProjectionManagement};
use serde_json::json;

use super::operating::{self, Outcome, Report, held_by, not_answered};
use crate::args::operating::{Addressed, SkipArguments};
use crate::exit::Failure;

pub(crate) fn execute(arguments: &SkipArguments) -> Result<(), Failure> {
    super::run::blocking_runtime()?.block_on(skip(arguments))
}

async fn skip(arguments: &SkipArguments) -> Result<(), Failure> {
    let SkipArguments {
        addressed,
        asking,
        offset,
    } = arguments;
    let store = operating::open(&addressed.store)?;
    let overview = Overview::read(&store, &SystemClock).await?;
    let lane = lane(&overview, addressed)?;
    let key = lane.key.as_deref();
    let outcome = match event(&lane, offset.as_deref()) {
        Err(reason) => Outcome::refused(key, reason),
        Ok(at) if asking.dry_run => {
            let details = vec![told(&lane, &at), held_by(&lane)];
            Outcome::done(key, "would be passed over", details).with(json!({ "offset": at.text }))
        }
        Ok(at) => {
            let management = ProjectionManagement::new(store).with_patience(asking.wait);
            let id = operating::identity(&lane)?;
            let skipped = management.skip(&id, at.clone()).await;
            let outcome = match skipped {
                Ok(()) => Outcome::done(key, "passed over", vec![told(&lane, &at)]),
                Err(Error::Refused { reason, .. }) => Outcome::refused(key, reason),
                Err(Error::Held { .. }) => Outcome::refused(key, not_answered(&lane)),
                Err(error) => return Err(error.into()),
            };
            outcome.with(json!({ "offset": at.text }))
        }
    };
    let report = Report {
        command: "skip",
        addressed,
        dry_run: asking.dry_run,
        outcomes: vec![outcome],
    };
    report.print()
}

/// The lane that is meant: the one of several that fails now, where no key is given.
fn lane(overview: &Overview, addressed: &Addressed) -> Result<LaneOverview, Failure> {
    if addressed.key.is_none() {
        let lanes = overview.lanes_of(&addressed.name, None);
        let mut failing = lanes.filter(|lane| lane.failing.is_some());
        if let (Some(lane), None) = (failing.next(), failing.next()) {
            return Ok(lane.clone());
        }
    }
    operating::one_lane(overview, addressed)
}

/// The position of the event, or why it cannot be passed over.
fn event(lane: &LaneOverview, asked: Option<&str>) -> Result<Offset, String> {
    match lane.owner.as_ref().map(|owner| owner.liveness) {
        Some(Liveness::Alive | Liveness::Silent) => {}
        Some(Liveness::Dead) | None => {
            let held = held_by(lane);
            return Err(format!(
                "{held}, and an event is passed over by whoever runs the projection; start it, and \
                 ask when it fails"
            ));
        }
    }
    let failing = lane.failing.as_ref().map(|failing| &failing.offset);
    match (asked, failing) {
        (None, Some(failing)) => Ok(failing.clone()),
        (None, None) => Err(format!(
            "no event fails at the moment: it is {}",
            lane.condition.words()
        )),
        (Some(text), failing) => {
            let known = failing.or(lane.offset.as_ref());
            let manifest = known.map(|offset| offset.manifest.clone());
            let manifest = manifest.ok_or_else(|| {
                "the lane has no offset yet, so the format of one is not known; leave --offset \
                 out to pass over the event that fails"
                    .to_owned()
            })?;
            let text = text.to_owned();
            Ok(Offset { manifest, text })
        }
    }
}

/// Which event it is, and what was wrong with it.
fn told(lane: &LaneOverview, at: &Offset) -> String {
    let error = lane.last_error.as_ref();
    let error = error.filter(|error| error.offset.as_ref() == Some(at));
    match error {
        Some(error) => format!("the event at {at}, which failed with: {}", error.text),
        None => format!("the event at {at}"),
    }
}
