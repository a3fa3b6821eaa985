//! Speaks with a running projection.

use std::sync::Arc;

use projectionist_core::{Error, ManagementCommand, Offset, ProjectionId};
use tokio::sync::{mpsc, oneshot, watch};

use crate::management::desk::{Call, Reply};
use crate::restart::shared::{Published, Shared};
use crate::{Completion, ProjectionReport, ProjectionStatus};

/// Speaks with a running projection.
///
/// Calls are taken one after the other, in the order in which they were made, also while a handler
/// runs or a retry waits. A command that has to wait for the lane, as while it is paused, does not
/// hold up the calls behind it.
///
/// Dropping it asks the projection to stop and waits for nothing: keep it, and
/// [`stop_and_wait`](Self::stop_and_wait) before the process ends.
#[derive(Debug)]
pub struct ProjectionHandle {
    id: ProjectionId,
    shared: Arc<Shared>,
    calls: mpsc::Sender<Call>,
}

/// What a call of a handle gives: its error is shared with everyone who hears of it.
type Answer<T> = Result<T, Arc<Error>>;

impl ProjectionHandle {
    pub(crate) fn new(id: ProjectionId, shared: Arc<Shared>, calls: mpsc::Sender<Call>) -> Self {
        Self { id, shared, calls }
    }

    /// The projection's identity.
    #[must_use]
    pub fn id(&self) -> &ProjectionId {
        &self.id
    }

    /// What it does at the moment.
    #[must_use]
    pub fn status(&self) -> ProjectionStatus {
        self.shared.as_it_is(self.shared.published().status)
    }

    /// Is told every change of the status.
    #[must_use]
    pub fn status_receiver(&self) -> StatusReceiver {
        StatusReceiver(self.shared.subscribe())
    }

    /// Everything that there is to know about it at the moment: status, offset, counters, lag.
    ///
    /// # Errors
    /// The store's or the source's own; [`Error::Ended`] when the projection has ended.
    pub async fn report(&self) -> Answer<ProjectionReport> {
        self.call(Call::Report).await
    }

    /// The stored offset; `None` before the first save.
    ///
    /// # Errors
    /// As [`report`](Self::report).
    pub async fn offset(&self) -> Answer<Option<Offset>> {
        self.call(Call::Offset).await
    }

    /// Moves the lane to its beginning and runs on from there: everything is handled again.
    ///
    /// # Errors
    /// As [`set_offset`](Self::set_offset).
    pub async fn clear_offset(&self) -> Answer<()> {
        self.move_lane(None, None).await
    }

    /// Moves the lane to behind `offset` and runs on from there.
    ///
    /// # Errors
    /// [`Error::Refused`] with the reason, such as an offset of another kind of source;
    /// [`Error::Ended`] when the projection has ended.
    pub async fn set_offset(&self, offset: Offset) -> Answer<()> {
        self.move_lane(None, Some(offset)).await
    }

    /// As [`set_offset`](Self::set_offset), if the lane still holds `expected`.
    ///
    /// # Errors
    /// As [`set_offset`](Self::set_offset).
    pub async fn compare_and_set_offset(
        &self,
        expected: Option<Offset>,
        offset: Offset,
    ) -> Answer<()> {
        self.move_lane(Some(expected), Some(offset)).await
    }

    async fn move_lane(&self, expected: Option<Option<Offset>>, to: Option<Offset>) -> Answer<()> {
        self.command(ManagementCommand::SetOffset { expected, to })
            .await
    }

    /// Pauses the lane until it is resumed, also across restarts of the process. Returns when the
    /// flag is stored; no envelope is begun after that, and the one in flight ends. See
    /// [`pause_and_wait`](Self::pause_and_wait).
    ///
    /// # Errors
    /// As [`report`](Self::report).
    pub async fn pause(&self) -> Answer<()> {
        self.call(|reply| Call::SetPaused(true, reply)).await
    }

    /// Pauses the lane, and returns when nothing is in flight and everything that was handled is
    /// saved.
    ///
    /// # Errors
    /// As [`report`](Self::report); [`Error::Refused`] when someone has resumed the lane meanwhile.
    pub async fn pause_and_wait(&self) -> Answer<()> {
        self.pause().await?;
        let mut status = self.status_receiver();
        let paused = |status: &ProjectionStatus| {
            matches!(
                status,
                ProjectionStatus::Paused { .. } | ProjectionStatus::StandingBy { .. }
            )
        };
        let resumed = || self.shared.wishes.pause().is_none();
        let reached = status
            .wait_for(|status| paused(status) || resumed() || status.is_terminal())
            .await;
        if paused(&reached) {
            return Ok(());
        }
        if reached.is_terminal() {
            return Err(Arc::new(Error::Ended(self.id.clone())));
        }
        let (lane, reason) = (self.id.clone(), "it was resumed meanwhile".to_owned());
        Err(Arc::new(Error::Refused { lane, reason }))
    }

    /// Lifts the pause of the lane.
    ///
    /// # Errors
    /// [`Error::Refused`] when all lanes of the projection's name are paused: the lane stays so.
    pub async fn resume(&self) -> Answer<()> {
        self.call(|reply| Call::SetPaused(false, reply)).await
    }

    /// Passes over the envelope that cannot be handled now; gives its position. It is counted and,
    /// where dead letters are kept, kept. Where a group fails, that is its last envelope:
    /// [`skip`](Self::skip) names another one of it.
    ///
    /// # Errors
    /// [`Error::Refused`] when nothing fails at the moment; [`Error::Ended`] when the projection
    /// has ended.
    pub async fn skip_current(&self) -> Answer<Offset> {
        let published = self.shared.published().status;
        let Some(at) = published.failing().cloned() else {
            let lane = self.id.clone();
            let reason = "no envelope fails at the moment".to_owned();
            return Err(Arc::new(Error::Refused { lane, reason }));
        };
        self.skip(at.clone()).await?;
        Ok(at)
    }

    /// Passes over the envelope at `offset`, which cannot be handled now or stands in the group
    /// that cannot. Returns when that is stored.
    ///
    /// # Errors
    /// As [`skip_current`](Self::skip_current).
    pub async fn skip(&self, offset: Offset) -> Answer<()> {
        self.command(ManagementCommand::Skip { at: offset }).await
    }

    /// Tries parked envelopes now instead of at the end of their delay: those of one key, or all.
    /// Returns when the order is taken up; the attempts follow at once.
    ///
    /// # Errors
    /// [`Error::Refused`] for a projection that parks nothing, and for a key of which nothing is
    /// parked.
    pub async fn retry_parked(&self, key: Option<&str>) -> Answer<()> {
        let key = key.map(ToOwned::to_owned);
        self.command(ManagementCommand::RetryParked { key }).await
    }

    /// Waits until everything up to `offset` is processed, by this owner or by another one: what
    /// its events did to the read model can be read. For as long as it takes: put a time limit
    /// around it.
    ///
    /// # Errors
    /// [`Error::ForeignOffset`] and [`Error::OffsetCodec`] for an offset of another source;
    /// [`Error::Ended`] when the projection ends before that.
    pub async fn wait_until(&self, offset: Offset) -> Answer<()> {
        self.call(|reply| Call::WaitUntil(offset, reply)).await
    }

    async fn command(&self, command: ManagementCommand) -> Answer<()> {
        self.call(|reply| Call::Command(command, reply)).await
    }

    async fn call<T>(&self, call: impl FnOnce(Reply<T>) -> Call) -> Answer<T> {
        let ended = || Arc::new(Error::Ended(self.id.clone()));
        let (reply, answer) = oneshot::channel();
        let called = self.calls.send(call(reply)).await;
        called.map_err(|_| ended())?;
        answer.await.map_err(|_| ended())?
    }

    /// Something that can ask it to stop when the handle is elsewhere.
    #[must_use]
    pub fn stop_signal(&self) -> StopSignal {
        StopSignal {
            shared: Arc::clone(&self.shared),
        }
    }

    /// Asks it to stop: the invocation in flight ends, what was handled is saved. A backoff and a
    /// retry delay end at once.
    pub fn stop(&self) {
        self.shared.signals.stop();
    }

    /// Its lane is gone: nothing more of it is committed, and what is in flight is dropped.
    pub(crate) fn abandon(&self) {
        self.shared.signals.abandon();
    }

    /// Its lane will have no more records: it completes at the end of the stream, also when it is
    /// followed.
    pub(crate) fn complete_at_end(&self) {
        self.shared.signals.let_end();
        if let ProjectionStatus::Restarting { .. } = self.shared.published().status {
            // It may have met that end already, and taken it for a failure.
            self.shared.signals.ask_attention();
        }
    }

    /// Looks into the store for what others ask, now instead of at its next turn.
    pub(crate) async fn look(&self) -> Answer<()> {
        self.call(Call::Look).await
    }

    /// Waits for its end.
    ///
    /// # Errors
    /// Why it failed.
    pub async fn wait(&self) -> Result<Completion, Arc<Error>> {
        let mut status = self.status_receiver();
        match status.wait_for(ProjectionStatus::is_terminal).await {
            ProjectionStatus::Failed { error } => Err(error),
            ProjectionStatus::Completed => Ok(Completion::Completed),
            _ => Ok(Completion::Stopped),
        }
    }

    /// Asks it to stop and waits for its end.
    ///
    /// # Errors
    /// Why it failed.
    pub async fn stop_and_wait(&self) -> Result<Completion, Arc<Error>> {
        self.stop();
        self.wait().await
    }
}

impl Drop for ProjectionHandle {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Is told every change of a status. See [`ProjectionHandle::status_receiver`].
#[derive(Clone, Debug)]
pub struct StatusReceiver(watch::Receiver<Published>);

impl StatusReceiver {
    /// The status now.
    #[must_use]
    pub fn current(&self) -> ProjectionStatus {
        self.0.borrow().status.clone()
    }

    /// Waits for the next change; gives the status then. Changes that follow each other quickly
    /// may be told as one. `None` when there will be none, as the projection has ended.
    pub async fn changed(&mut self) -> Option<ProjectionStatus> {
        if self.0.borrow().status.is_terminal() && !self.0.has_changed().unwrap_or(false) {
            return None;
        }
        self.0.changed().await.ok()?;
        Some(self.0.borrow_and_update().status.clone())
    }

    /// Waits until the status is as `wanted`, and gives it. The end of the projection ends the
    /// wait too.
    pub async fn wait_for(
        &mut self,
        mut wanted: impl FnMut(&ProjectionStatus) -> bool,
    ) -> ProjectionStatus {
        let mut reached =
            |published: &Published| wanted(&published.status) || published.status.is_terminal();
        // An error says that the projection is gone: what was said last is how it ended.
        let _closed = self.0.wait_for(&mut reached).await.map(drop);
        self.current()
    }
}

/// Asks a projection to stop. See [`ProjectionHandle::stop_signal`].
#[derive(Clone, Debug)]
pub struct StopSignal {
    shared: Arc<Shared>,
}

impl StopSignal {
    /// As [`ProjectionHandle::stop`].
    pub fn stop(&self) {
        self.shared.signals.stop();
    }
}
