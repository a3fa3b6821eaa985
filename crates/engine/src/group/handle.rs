//! Speaks with the projections of a group.

use std::sync::Arc;

use futures::future::join_all;
use projectionist_core::{Error, ProjectionId};

use super::GroupFailure;
use crate::{Completion, ProjectionHandle, ProjectionReport, ProjectionStatus};

/// Speaks with the projections of a group: with one by its key, or with all.
///
/// Dropping it asks all of them to stop and waits for nothing, as dropping a
/// [`ProjectionHandle`] does.
#[derive(Debug)]
pub struct ProjectionGroupHandle {
    instances: Vec<ProjectionHandle>,
}

impl ProjectionGroupHandle {
    pub(super) fn new(instances: Vec<ProjectionHandle>) -> Self {
        Self { instances }
    }

    /// The projection of that key; the first one where projections of several names share it.
    #[must_use]
    pub fn instance(&self, key: &str) -> Option<&ProjectionHandle> {
        self.instances.iter().find(|one| one.id().key() == key)
    }

    /// The projection of that identity.
    #[must_use]
    pub fn find(&self, id: &ProjectionId) -> Option<&ProjectionHandle> {
        self.instances.iter().find(|one| one.id() == id)
    }

    /// All projections, in the order in which the group was given them.
    pub fn instances(&self) -> impl ExactSizeIterator<Item = &ProjectionHandle> {
        self.instances.iter()
    }

    /// What each projection does at the moment.
    #[must_use]
    pub fn statuses(&self) -> Vec<(ProjectionId, ProjectionStatus)> {
        let statuses = self.instances();
        statuses
            .map(|one| (one.id().clone(), one.status()))
            .collect()
    }

    /// Everything that there is to know about each projection at the moment, or why it cannot be
    /// told: see [`ProjectionHandle::report`].
    pub async fn reports(&self) -> Vec<(ProjectionId, Result<ProjectionReport, Arc<Error>>)> {
        self.each(ProjectionHandle::report).await
    }

    /// Pauses each projection by the flag of its own lane; see [`ProjectionHandle::pause`]. Lanes
    /// of the same names that run elsewhere go on: the flag of a whole name is
    /// [`ProjectionManagement::pause`](crate::ProjectionManagement::pause) without a key.
    ///
    /// # Errors
    /// The projections that could not be paused; the others are.
    pub async fn pause_all(&self) -> Result<(), GroupFailure> {
        let paused = self.each(ProjectionHandle::pause).await;
        GroupFailure::check(None, paused).map(drop)
    }

    /// Lifts what [`pause_all`](Self::pause_all) has set; see [`ProjectionHandle::resume`].
    ///
    /// # Errors
    /// The projections that could not be resumed, such as those whose whole name is paused; the
    /// others are.
    pub async fn resume_all(&self) -> Result<(), GroupFailure> {
        let resumed = self.each(ProjectionHandle::resume).await;
        GroupFailure::check(None, resumed).map(drop)
    }

    /// Asks all projections to stop; see [`ProjectionHandle::stop`].
    pub fn stop_all(&self) {
        self.instances.iter().for_each(ProjectionHandle::stop);
    }

    /// Waits for the end of all projections: completed when every one is.
    ///
    /// # Errors
    /// All that failed, and why.
    pub async fn wait(&self) -> Result<Completion, GroupFailure> {
        let ended = self.each(ProjectionHandle::wait).await;
        let ended = GroupFailure::check(None, ended)?;
        let all = ended.iter().all(|one| *one == Completion::Completed);
        Ok(if all {
            Completion::Completed
        } else {
            Completion::Stopped
        })
    }

    /// Asks all projections to stop and waits for the end of all.
    ///
    /// # Errors
    /// As [`wait`](Self::wait).
    pub async fn stop_and_wait(&self) -> Result<Completion, GroupFailure> {
        self.stop_all();
        self.wait().await
    }

    /// Asks every projection the same, all at once.
    async fn each<'a, T, F: Future<Output = T>>(
        &'a self,
        ask: impl Fn(&'a ProjectionHandle) -> F,
    ) -> Vec<(ProjectionId, T)> {
        let asked = self
            .instances
            .iter()
            .map(|one| (one.id().clone(), ask(one)));
        join_all(asked.map(async |(id, answer)| (id, answer.await))).await
    }
}
