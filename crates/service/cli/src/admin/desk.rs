//! The desk of the program: shows and commands the projections of a target.

use std::sync::Arc;

use projectionist_admin_api::view::{
    DeadLetterPage, DeadLetterQuery, DeadLetterSelection, DeadLetterView, LaneStatus, LettersDone,
    OffsetView, PauseScope, RebuildStart, RebuildView, ReplayRequest,
};
use projectionist_admin_api::{AdminDesk, AdminError, DeskAnswer};
use projectionist_core::contract::OffsetStore;
use projectionist_core::{LaneState, Offset, ProjectionId};
use projectionist_engine::{ProjectionHandle, ProjectionManagement};
use projectionist_store_sqlite::SqliteStore;

use super::own_thread::{IntoAdminError, on_own_thread};
use super::{lanes, state};
use crate::commands::dead_letters::admin as letters;
use crate::commands::rebuild::Rebuilds;
use crate::exit::Failure;
use crate::place::Target;

/// Shows and commands the projections of a target: those that this process runs, and all others
/// through the store.
pub(crate) struct ProgramDesk {
    store: SqliteStore,
    target: Target,
    management: ProjectionManagement<SqliteStore>,
    handles: Arc<Vec<ProjectionHandle>>,
    rebuilds: Arc<Rebuilds>,
}

impl ProgramDesk {
    pub(crate) fn new(
        store: SqliteStore,
        target: &Target,
        handles: Arc<Vec<ProjectionHandle>>,
        rebuilds: Arc<Rebuilds>,
    ) -> Self {
        Self {
            management: ProjectionManagement::new(store.clone()),
            store,
            target: target.clone(),
            handles,
            rebuilds,
        }
    }

    /// The lane and its row; an error for one that nobody has run.
    async fn known(&self, name: &str, key: &str) -> Result<(ProjectionId, LaneState), AdminError> {
        let unknown = || {
            AdminError::not_found(
                format!("nobody has run a projection `{name}` with the key `{key}`"),
                "look at /api/projections for those that are there",
            )
        };
        let lane = ProjectionId::new(name, key).map_err(|_| unknown())?;
        let (store, id) = (self.store.clone(), lane.clone());
        let row = on_own_thread(move || async move { store.lane(&id).await }).await?;
        match row {
            Some(row) => Ok((lane, row)),
            None if self.handles.iter().any(|handle| *handle.id() == lane) => {
                Ok((lane, LaneState::default()))
            }
            None => Err(unknown()),
        }
    }

    async fn set_paused(
        &self,
        name: &str,
        key: &str,
        scope: PauseScope,
        paused: bool,
    ) -> Result<(), AdminError> {
        let (lane, _) = self.known(name, key).await?;
        let management = self.management.clone();
        on_own_thread(move || async move {
            let key = match scope {
                PauseScope::Lane => Some(lane.key()),
                PauseScope::AllLanes => None,
            };
            match paused {
                true => management.pause(lane.name(), key).await,
                false => management.resume(lane.name(), key).await,
            }
        })
        .await
    }

    /// The offset of the envelope that a lane cannot handle now. Only its owner knows.
    fn failing(&self, lane: &ProjectionId) -> Result<OffsetView, AdminError> {
        let handle = self.handles.iter().find(|handle| handle.id() == lane);
        let Some(handle) = handle else {
            return Err(AdminError::conflict(
                format!("{lane} does not run in this process, which cannot tell what fails there"),
                "ask the process that runs it, or say `at` which offset",
            ));
        };
        let (_, failure) = state::of_status(&handle.status());
        failure.and_then(|failure| failure.offset).ok_or_else(|| {
            AdminError::conflict(
                format!("{lane}: no envelope fails at the moment"),
                "skip when one does",
            )
        })
    }

    async fn skip_failing(
        &self,
        name: &str,
        key: &str,
        at: Option<&str>,
    ) -> Result<OffsetView, AdminError> {
        let (lane, row) = self.known(name, key).await?;
        let offset = match (at, self.failing(&lane)) {
            (None, failing) => failing?,
            (Some(at), Ok(failing)) if failing.text != at => {
                return Err(AdminError::conflict(
                    format!("{lane}: what fails now is {}, not {at}", failing.text),
                    "load the projection again, then skip that one",
                ));
            }
            (Some(_), Ok(failing)) => failing,
            (Some(at), Err(_)) => OffsetView::from(&offset(&lane, &row, at)?),
        };
        let (management, at) = (self.management.clone(), back(&offset));
        on_own_thread(move || async move { management.skip(&lane, at).await }).await?;
        Ok(offset)
    }

    async fn move_to(
        &self,
        name: &str,
        key: &str,
        expected: Option<Option<&str>>,
        to: Option<&str>,
    ) -> Result<(), AdminError> {
        let (lane, row) = self.known(name, key).await?;
        let of = |text: &str| offset(&lane, &row, text);
        let to = to.map(of).transpose()?;
        let expected = match expected {
            None => None,
            Some(None) => Some(None),
            Some(Some(text)) => Some(Some(of(text)?)),
        };
        let management = self.management.clone();
        on_own_thread(move || async move {
            match (expected, to) {
                (Some(expected), Some(to)) => {
                    let moved = management.compare_and_set_offset(&lane, expected, to);
                    moved.await
                }
                (None, Some(to)) => management.set_offset(&lane, to).await,
                (_, None) => management.clear_offset(&lane).await,
            }
        })
        .await
    }
}

/// An offset of a lane, which has the format of the one it holds.
fn offset(lane: &ProjectionId, row: &LaneState, text: &str) -> Result<Offset, AdminError> {
    let Some(held) = &row.offset else {
        return Err(AdminError::conflict(
            format!("{lane} holds no offset, so the format of `{text}` is unknown"),
            "let it run first; a lane without an offset begins where its file says",
        ));
    };
    Ok(Offset {
        manifest: held.manifest.clone(),
        text: text.to_owned(),
    })
}

fn back(view: &OffsetView) -> Offset {
    Offset {
        manifest: view.manifest.clone().into(),
        text: view.text.clone(),
    }
}

impl AdminDesk for ProgramDesk {
    fn lanes(&self) -> DeskAnswer<'_, Vec<LaneStatus>> {
        Box::pin(lanes::all(&self.store, &self.handles))
    }

    fn pause<'a>(&'a self, name: &'a str, key: &'a str, scope: PauseScope) -> DeskAnswer<'a, ()> {
        Box::pin(self.set_paused(name, key, scope, true))
    }

    fn resume<'a>(&'a self, name: &'a str, key: &'a str, scope: PauseScope) -> DeskAnswer<'a, ()> {
        Box::pin(self.set_paused(name, key, scope, false))
    }

    fn skip<'a>(
        &'a self,
        name: &'a str,
        key: &'a str,
        at: Option<&'a str>,
    ) -> DeskAnswer<'a, OffsetView> {
        Box::pin(self.skip_failing(name, key, at))
    }

    fn move_lane<'a>(
        &'a self,
        name: &'a str,
        key: &'a str,
        expected: Option<Option<&'a str>>,
        to: Option<&'a str>,
    ) -> DeskAnswer<'a, ()> {
        Box::pin(self.move_to(name, key, expected, to))
    }

    fn dead_letters<'a>(&'a self, query: &'a DeadLetterQuery) -> DeskAnswer<'a, DeadLetterPage> {
        let (store, target, query) = (self.store.clone(), self.target.clone(), query.clone());
        on_own_thread(move || async move { letters::page(&store, target, &query).await })
    }

    fn dead_letter(&self, id: u64) -> DeskAnswer<'_, DeadLetterView> {
        let (store, target) = (self.store.clone(), self.target.clone());
        Box::pin(async move {
            let found =
                on_own_thread(move || async move { letters::one(&store, target, id).await });
            found.await?.ok_or_else(|| {
                AdminError::not_found(
                    format!("there is no dead letter {id}"),
                    "somebody may have replayed or discarded it; list them again",
                )
            })
        })
    }

    fn replay<'a>(&'a self, request: &'a ReplayRequest) -> DeskAnswer<'a, LettersDone> {
        let (store, target, request) = (self.store.clone(), self.target.clone(), request.clone());
        on_own_thread(move || async move { letters::replay(&store, target, &request).await })
    }

    fn discard<'a>(&'a self, selection: &'a DeadLetterSelection) -> DeskAnswer<'a, LettersDone> {
        let (store, target, wanted) = (self.store.clone(), self.target.clone(), selection.clone());
        on_own_thread(move || async move { letters::discard(&store, target, &wanted).await })
    }

    fn rebuilds(&self) -> bool {
        true
    }

    fn rebuild<'a>(&'a self, name: &'a str) -> DeskAnswer<'a, RebuildView> {
        self.rebuilding(name, Asked::Progress)
    }

    fn start_rebuild<'a>(
        &'a self,
        name: &'a str,
        how: &'a RebuildStart,
    ) -> DeskAnswer<'a, RebuildView> {
        self.rebuilding(name, Asked::Start { keep: how.keep })
    }

    fn abort_rebuild<'a>(&'a self, name: &'a str) -> DeskAnswer<'a, RebuildView> {
        self.rebuilding(name, Asked::Abort)
    }

    fn revert_rebuild<'a>(&'a self, name: &'a str) -> DeskAnswer<'a, RebuildView> {
        self.rebuilding(name, Asked::Revert)
    }
}

/// What is asked of the rebuild of a projection.
enum Asked {
    Progress,
    Start { keep: bool },
    Abort,
    Revert,
}

impl ProgramDesk {
    /// Does what is asked, and tells how the rebuild stands then.
    fn rebuilding(&self, name: &str, asked: Asked) -> DeskAnswer<'static, RebuildView> {
        let (rebuilds, name) = (Arc::clone(&self.rebuilds), name.to_owned());
        on_own_thread(move || async move {
            if !rebuilds.knows(&name).await.map_err(refused)? {
                return Err(AdminError::not_found(
                    format!("the target declares no projection `{name}`"),
                    "look at /api/projections for those that are there",
                ));
            }
            let is_done = match asked {
                Asked::Progress => true,
                Asked::Start { keep } => {
                    let started = rebuilds.start(&name, keep).await;
                    started.map(|()| true).map_err(refused)?
                }
                Asked::Abort => rebuilds.abort(&name).await.map_err(refused)?,
                Asked::Revert => rebuilds.revert(&name).await.map_err(refused)?,
            };
            if !is_done {
                let what = match asked {
                    Asked::Revert => "nothing is kept that could be put back",
                    _ => "no rebuild is under way",
                };
                return Err(AdminError::conflict(
                    format!("projection {name}: {what}"),
                    "look how the rebuild stands",
                ));
            }
            rebuilds.view(&name).await.map_err(refused)
        })
    }
}

fn refused(failure: Failure) -> AdminError {
    failure.into_admin_error()
}
