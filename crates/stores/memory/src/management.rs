//! Pause flags, and requests to the owner of a lane.

use std::collections::{BTreeMap, HashMap};

use projectionist_core::contract::{ManagementStore, PauseFlag};
use projectionist_core::{
    LaneManagement, ManagementCommand, ManagementRequest, Pause, PauseScope, ProjectionId,
    RequestAnswer, RequestId, Result,
};

use crate::MemoryStore;

/// The flags by name and key; the key is `None` for all lanes of a name.
pub(crate) type Flags = BTreeMap<(String, Option<String>), PauseFlag>;

/// What was asked of the owners of lanes.
#[derive(Debug, Default)]
pub(crate) struct Requests {
    /// Those without an answer by lane, oldest first.
    open: HashMap<ProjectionId, Vec<ManagementRequest>>,
    answers: HashMap<RequestId, RequestAnswer>,
    last_id: u64,
}

impl Requests {
    /// Those of all lanes without an answer, oldest first.
    pub(crate) fn all_open(&self) -> Vec<(ProjectionId, ManagementRequest)> {
        let lanes = self.open.iter();
        let each =
            lanes.flat_map(|(lane, open)| open.iter().map(|one| (lane.clone(), one.clone())));
        let mut all: Vec<_> = each.collect();
        all.sort_unstable_by_key(|(_, request)| request.id);
        all
    }

    /// Writes down the answers of a commit of `lane`, where they are the first ones to a request
    /// of that lane.
    pub(crate) fn answer(&mut self, lane: &ProjectionId, answers: &[RequestAnswer]) {
        for answer in answers {
            let Some(open) = self.open.get_mut(lane) else {
                return;
            };
            let Some(index) = open.iter().position(|request| request.id == answer.id) else {
                continue;
            };
            open.remove(index);
            self.answers.insert(answer.id, answer.clone());
        }
    }
}

impl ManagementStore for MemoryStore {
    async fn pause_flag(&self, name: &str, key: Option<&str>) -> Result<Option<PauseFlag>> {
        let state = self.lock().await;
        Ok(state.flags.get(&address(name, key)).cloned())
    }

    async fn set_paused(&self, name: &str, key: Option<&str>, paused: bool) -> Result<()> {
        let mut state = self.lock().await;
        let since = self.clock().now();
        let flag = PauseFlag { paused, since };
        let kept = state
            .flags
            .entry(address(name, key))
            .or_insert(flag.clone());
        // Saying again what is so already does not make it younger.
        if kept.paused != paused {
            *kept = flag;
        }
        Ok(())
    }

    async fn management(&self, lane: &ProjectionId) -> Result<LaneManagement> {
        let state = self.lock().await;
        let pause = |scope, key| {
            let flag = state.flags.get(&address(lane.name(), key))?;
            let since = flag.since;
            flag.paused.then_some(Pause { scope, since })
        };
        Ok(LaneManagement {
            pause: pause(PauseScope::Lane, Some(lane.key()))
                .or_else(|| pause(PauseScope::AllLanes, None)),
            requests: state.requests.open.get(lane).cloned().unwrap_or_default(),
        })
    }

    async fn request(&self, lane: &ProjectionId, command: &ManagementCommand) -> Result<RequestId> {
        let mut state = self.lock().await;
        let requests = &mut state.requests;
        requests.last_id += 1;
        let id = RequestId(requests.last_id);
        let open = requests.open.entry(lane.clone()).or_default();
        open.push(ManagementRequest {
            id,
            command: command.clone(),
            requested_at: self.clock().now(),
        });
        Ok(id)
    }

    async fn answer(&self, request: RequestId) -> Result<Option<RequestAnswer>> {
        Ok(self.lock().await.requests.answers.get(&request).cloned())
    }

    async fn withdraw(&self, request: RequestId) -> Result<bool> {
        let mut state = self.lock().await;
        for open in state.requests.open.values_mut() {
            if let Some(index) = open.iter().position(|kept| kept.id == request) {
                open.remove(index);
                return Ok(true);
            }
        }
        Ok(false)
    }
}

fn address(name: &str, key: Option<&str>) -> (String, Option<String>) {
    (name.to_owned(), key.map(ToOwned::to_owned))
}
