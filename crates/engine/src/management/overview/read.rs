//! Puts an overview together from what a store keeps.

use std::collections::BTreeMap;

use projectionist_core::contract::{DeclarationStore, OwnerReportStore, StoredDeclaration};
use projectionist_core::{
    Clock, ManagementRequest, Pause, PauseScope, ProjectionId, Result, SetPause, Survey,
    SurveyedLane, Timestamp,
};

use super::lane::LaneOverview;
use super::liveness::Processes;

/// All projections of a store as they stand.
#[derive(Clone, Debug, PartialEq)]
pub struct Overview {
    /// When it was taken, by the clock of whoever took it.
    pub taken_at: Timestamp,
    /// Every lane, ordered by name and key; and every projection without one that is declared or
    /// of which something was asked.
    pub lanes: Vec<LaneOverview>,
}

/// A lane's address; without a key that of a projection which has none.
type Address = (String, Option<String>);

impl Overview {
    /// Takes an overview of a store: a few statements, however many lanes there are.
    ///
    /// # Errors
    /// The store's own.
    pub async fn read<S>(store: &S, clock: &dyn Clock) -> Result<Self>
    where
        S: OwnerReportStore + DeclarationStore,
    {
        let declarations = store.declarations().await?;
        let survey = store.survey().await?;
        Ok(Self::of(survey, &declarations, clock.now()))
    }

    /// The overview of what a survey found at `now`; `declared` may be empty where a store keeps no
    /// declarations.
    #[must_use]
    pub fn of(survey: Survey, declared: &[StoredDeclaration], now: Timestamp) -> Self {
        let Survey {
            lanes: rows,
            pauses,
            requests,
        } = survey;
        let mut lanes = BTreeMap::new();
        let mut processes = Processes::default();
        for SurveyedLane { id, row, report } in rows {
            let (name, key) = (id.name().to_owned(), id.key().to_owned());
            let address = (name.clone(), Some(key.clone()));
            let lane = LaneOverview::of_row((name, key), row, report, &mut processes, now);
            lanes.insert(address, lane);
        }
        add_requests(&mut lanes, requests);
        add_declared(&mut lanes, declared);
        add_pauses(&mut lanes, pauses);
        Self {
            taken_at: now,
            lanes: lanes.into_values().collect(),
        }
    }

    /// The lanes of a projection, or the one with that key.
    pub fn lanes_of<'a>(
        &'a self,
        name: &'a str,
        key: Option<&'a str>,
    ) -> impl Iterator<Item = &'a LaneOverview> {
        let lanes = self.lanes.iter();
        lanes.filter(move |lane| lane.name == name && (key.is_none() || lane.key.as_deref() == key))
    }
}

fn add_requests(
    lanes: &mut BTreeMap<Address, LaneOverview>,
    requests: Vec<(ProjectionId, ManagementRequest)>,
) {
    for (id, request) in requests {
        let (name, key) = (id.name().to_owned(), Some(id.key().to_owned()));
        let lane = lanes.entry((name.clone(), key.clone()));
        let lane = lane.or_insert_with(|| {
            LaneOverview::not_started(name, key, "it has not run; something was asked of it")
        });
        lane.requests.push(request);
    }
}

fn add_declared(lanes: &mut BTreeMap<Address, LaneOverview>, declared: &[StoredDeclaration]) {
    for kept in declared {
        let name = &kept.declaration.projection;
        if !has_lanes(lanes, name) {
            let reason = "it is declared and has not run";
            let lane = LaneOverview::not_started(name.clone(), None, reason);
            lanes.insert((name.clone(), None), lane);
        }
        if kept.withdrawn {
            of_name(lanes, name).for_each(LaneOverview::withdraw);
        }
    }
}

fn add_pauses(lanes: &mut BTreeMap<Address, LaneOverview>, pauses: Vec<SetPause>) {
    // The flag of all lanes comes before those of its lanes, which are named where both are set.
    for SetPause { name, key, since } in pauses {
        let reason = "it has not run, and is paused already";
        match key {
            None => {
                if !has_lanes(lanes, &name) {
                    let lane = LaneOverview::not_started(name.clone(), None, reason);
                    lanes.insert((name.clone(), None), lane);
                }
                let scope = PauseScope::AllLanes;
                of_name(lanes, &name).for_each(|lane| lane.pause = Some(Pause { scope, since }));
            }
            Some(key) => {
                let address = (name.clone(), Some(key.clone()));
                let lane = lanes
                    .entry(address)
                    .or_insert_with(|| LaneOverview::not_started(name, Some(key), reason));
                let scope = PauseScope::Lane;
                lane.pause = Some(Pause { scope, since });
            }
        }
    }
}

fn has_lanes(lanes: &mut BTreeMap<Address, LaneOverview>, name: &str) -> bool {
    of_name(lanes, name).next().is_some()
}

/// The entries of a name.
fn of_name<'a>(
    lanes: &'a mut BTreeMap<Address, LaneOverview>,
    name: &'a str,
) -> impl Iterator<Item = &'a mut LaneOverview> {
    lanes
        .range_mut((name.to_owned(), None)..)
        .map(|(_, lane)| lane)
        .take_while(move |lane| lane.name == name)
}
