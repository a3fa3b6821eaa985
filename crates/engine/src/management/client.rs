//! Manages a projection through its store: from any process, with or without an owner.

use std::time::Duration;

use projectionist_core::contract::OffsetStore;
use projectionist_core::{
    Claim, Commit, Error, LaneState, ManagementCommand, Offset, ProjectionId, Result,
};

use crate::claim::acquire::acquire_once;
use crate::claim::process;
use crate::runtime::new_owner;

/// How long the owner of a lane may take to answer.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);

/// How often a request is looked at that waits for its answer.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// How long the claim holds under which a lane without an owner is managed.
const BRIEF: Duration = Duration::from_secs(10);

/// Manages projections through their store: from any process, with or without an owner.
///
/// A lane that nobody owns is moved directly, under a claim of its own. The owner of any other
/// lane is asked, and obeys within its
/// [`management_interval`](crate::Settings::management_interval); a request that is not answered
/// in time is taken back.
///
/// ```no_run
/// # async fn example<S: projectionist_core::contract::OffsetStore>(store: S) -> projectionist_core::Result<()> {
/// use projectionist_core::ProjectionId;
/// use projectionist_engine::ProjectionManagement;
///
/// let management = ProjectionManagement::new(store);
/// let lane = ProjectionId::new("orders", "all")?;
/// management.pause("orders", None).await?;
/// management.clear_offset(&lane).await?;
/// management.resume("orders", None).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct ProjectionManagement<S> {
    store: S,
    patience: Duration,
}

impl<S: OffsetStore> ProjectionManagement<S> {
    /// Manages the projections of `store`.
    pub fn new(store: S) -> Self {
        Self {
            store,
            patience: PATIENCE,
        }
    }

    /// How long the owner of a lane may take to answer. Default 30 s.
    #[must_use]
    pub fn with_patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// The row of a lane; `None` when it was never claimed.
    ///
    /// # Errors
    /// [`Error::Store`] for the store's own failures.
    pub async fn lane(&self, lane: &ProjectionId) -> Result<Option<LaneState>> {
        self.store.lane(lane).await
    }

    /// Pauses a lane, or with key `None` all lanes of a name, until it is resumed. Holds with or
    /// without an owner, and survives everything else that is done to the lane.
    ///
    /// # Errors
    /// [`Error::Store`] for the store's own failures.
    pub async fn pause(&self, name: &str, key: Option<&str>) -> Result<()> {
        self.store.set_paused(name, key, true).await
    }

    /// Lifts what [`pause`](Self::pause) has set for the same name and key.
    ///
    /// # Errors
    /// [`Error::Store`] for the store's own failures.
    pub async fn resume(&self, name: &str, key: Option<&str>) -> Result<()> {
        self.store.set_paused(name, key, false).await
    }

    /// Moves a lane to behind `offset`: what follows is handled, again or for the first time.
    ///
    /// # Errors
    /// [`Error::Refused`] with the reason; [`Error::Held`] when the owner did not answer in time.
    pub async fn set_offset(&self, lane: &ProjectionId, offset: Offset) -> Result<()> {
        let (expected, to) = (None, Some(offset));
        self.move_lane(lane, expected, to).await
    }

    /// As [`set_offset`](Self::set_offset), if the lane still holds `expected`.
    ///
    /// # Errors
    /// As [`set_offset`](Self::set_offset).
    pub async fn compare_and_set_offset(
        &self,
        lane: &ProjectionId,
        expected: Option<Offset>,
        offset: Offset,
    ) -> Result<()> {
        self.move_lane(lane, Some(expected), Some(offset)).await
    }

    /// Moves a lane to its beginning: everything is handled again.
    ///
    /// # Errors
    /// As [`set_offset`](Self::set_offset).
    pub async fn clear_offset(&self, lane: &ProjectionId) -> Result<()> {
        self.move_lane(lane, None, None).await
    }

    /// As [`clear_offset`](Self::clear_offset), if the lane still holds `expected`.
    ///
    /// # Errors
    /// As [`set_offset`](Self::set_offset).
    pub async fn compare_and_clear_offset(
        &self,
        lane: &ProjectionId,
        expected: Option<Offset>,
    ) -> Result<()> {
        self.move_lane(lane, Some(expected), None).await
    }

    /// Has the envelope at `offset` passed over that cannot be handled now.
    ///
    /// # Errors
    /// As [`set_offset`](Self::set_offset); refused as well when no owner is there that fails at
    /// it.
    pub async fn skip(&self, lane: &ProjectionId, offset: Offset) -> Result<()> {
        let command = ManagementCommand::Skip { at: offset };
        request(&self.store, lane, &command, self.patience).await
    }

    /// Has parked envelopes tried now: those of one key, or all. Returns when the owner has taken
    /// it up; the attempts follow at once.
    ///
    /// # Errors
    /// As [`skip`](Self::skip); refused as well for a key of which nothing is parked.
    pub async fn retry_parked(&self, lane: &ProjectionId, key: Option<&str>) -> Result<()> {
        let key = key.map(ToOwned::to_owned);
        let command = ManagementCommand::RetryParked { key };
        request(&self.store, lane, &command, self.patience).await
    }

    async fn move_lane(
        &self,
        lane: &ProjectionId,
        expected: Option<Option<Offset>>,
        to: Option<Offset>,
    ) -> Result<()> {
        let owner = new_owner();
        let (claim, row) = match acquire_once(&self.store, lane, &owner, BRIEF).await? {
            Some(granted) => granted,
            None => {
                let (expected, to) = (expected.clone(), to.clone());
                let command = ManagementCommand::SetOffset { expected, to };
                let asked = ask(&self.store, lane, &command, self.patience).await?;
                let Reply::Unanswered(error) = asked else {
                    return asked.outcome(lane);
                };
                // The owner may have died over that, or its claim may have ended.
                let granted = acquire_once(&self.store, lane, &owner, BRIEF).await?;
                granted.ok_or(error)?
            }
        };
        let moved = self.move_under(&claim, row, expected, to).await;
        let released = self.store.release(&claim).await;
        moved.and(released)
    }

    /// Moves a lane that nobody else owns.
    async fn move_under(
        &self,
        claim: &Claim,
        row: LaneState,
        expected: Option<Option<Offset>>,
        to: Option<Offset>,
    ) -> Result<()> {
        let refused = |reason| Error::Refused {
            lane: claim.lane.clone(),
            reason,
        };
        if let Some(reason) = unexpected(expected.as_ref(), row.offset.as_ref()) {
            return Err(refused(reason));
        }
        if let (Some(stored), Some(to)) = (&row.offset, &to)
            && stored.manifest != to.manifest
        {
            return Err(refused(foreign(to, &stored.manifest)));
        }
        if row.counters.parked() > 0 {
            let reason = "envelopes are parked, and only a running owner knows which of them would \
                          be read again; start the projection, and ask it";
            return Err(refused(reason.to_owned()));
        }
        let commit = Commit {
            expected: row.offset,
            offset: to,
            reset: true,
            ..Commit::default()
        };
        self.store.commit(claim, &commit).await
    }
}

/// Why a lane is not moved that does not hold what was expected.
pub(super) fn unexpected(
    expected: Option<&Option<Offset>>,
    found: Option<&Offset>,
) -> Option<String> {
    let expected = expected?;
    if expected.as_ref() == found {
        return None;
    }
    let show =
        |offset: Option<&Offset>| offset.map_or("no offset".to_owned(), |o| format!("`{o}`"));
    let (expected, found) = (show(expected.as_ref()), show(found));
    Some(format!("the lane holds {found}, not {expected}"))
}

/// Why an offset is not taken that another kind of source wrote.
pub(super) fn foreign(offset: &Offset, manifest: &str) -> String {
    format!(
        "`{offset}` has the format `{}`, this lane's source writes `{manifest}`",
        offset.manifest
    )
}

/// Whether the owner who was to answer is known to be dead.
async fn is_deserted<S: OffsetStore>(store: &S, lane: &ProjectionId) -> Result<bool> {
    let holder = store.lane(lane).await?.and_then(|row| row.holder);
    let process = holder.and_then(|holder| holder.owner.process);
    Ok(process.as_ref().is_some_and(process::is_dead))
}

/// Asks the owner of a lane through the store, and waits for its answer.
pub(super) async fn request<S: OffsetStore>(
    store: &S,
    lane: &ProjectionId,
    command: &ManagementCommand,
    patience: Duration,
) -> Result<()> {
    ask(store, lane, command, patience).await?.outcome(lane)
}

/// What became of a request.
enum Reply {
    /// The owner has answered; with the reason when it refused.
    Answered(Option<String>),
    /// Nobody has answered, and the request is taken back.
    Unanswered(Error),
}

impl Reply {
    fn outcome(self, lane: &ProjectionId) -> Result<()> {
        match self {
            Self::Answered(None) => Ok(()),
            Self::Answered(Some(reason)) => Err(Error::Refused {
                lane: lane.clone(),
                reason,
            }),
            Self::Unanswered(error) => Err(error),
        }
    }
}

/// Asks the owner of a lane, and waits for its answer: for as long as it lives, but no longer than
/// `patience`.
async fn ask<S: OffsetStore>(
    store: &S,
    lane: &ProjectionId,
    command: &ManagementCommand,
    patience: Duration,
) -> Result<Reply> {
    let id = store.request(lane, command).await?;
    let deadline = tokio::time::Instant::now() + patience;
    loop {
        if let Some(answer) = store.answer(id).await? {
            return Ok(Reply::Answered(answer.refusal));
        }
        if tokio::time::Instant::now() < deadline && !is_deserted(store, lane).await? {
            tokio::time::sleep(LOOK_EVERY).await;
            continue;
        }
        if store.withdraw(id).await? {
            let row = store.lane(lane).await?;
            let holder = row.and_then(|row| row.holder);
            return Ok(Reply::Unanswered(match holder {
                Some(holder) => Error::Held {
                    lane: lane.clone(),
                    holder: format!("{}, which does not answer", holder.owner.label()),
                },
                None => Error::Refused {
                    lane: lane.clone(),
                    reason: "nobody runs the projection; start it, and ask again".to_owned(),
                },
            }));
        }
    }
}
