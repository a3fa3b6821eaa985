//! What management asks, and whether it is answered.

use std::sync::Arc;

use projectionist_core::{Error, Offset};
use projectionist_engine::{ProjectionHandle, ProjectionManagement, ProjectionStatus};
use tokio::task::JoinHandle;

use crate::common::{SteeredStore, id, secs};
use crate::script::{Asker, Wish};
use crate::trace::{Entry, ProcessId, Trace};

/// A wish whose places are told.
#[derive(Clone, Debug)]
pub(crate) enum Asked {
    /// Where the lane is moved to; `None` for its beginning.
    Move {
        expected: Option<Option<u64>>,
        to: Option<u64>,
    },
    Skip,
    WaitUntil(u64),
    Other,
}

/// A call that is under way.
#[derive(Debug)]
pub(crate) struct UnderWay {
    #[expect(dead_code, reason = "told of a call that is not answered")]
    wish: Wish,
    pub(crate) asked: Asked,
    /// Who answers; `None` for a call through the store.
    pub(crate) by: Option<ProcessId>,
    call: JoinHandle<Answer>,
}

/// What the call gave: the position that it names, where it names one.
pub(crate) type Answer = Result<Option<u64>, String>;

impl UnderWay {
    pub(crate) fn is_answered(&self) -> bool {
        self.call.is_finished()
    }

    pub(crate) async fn answer(self) -> Answer {
        self.call.await.unwrap()
    }

    /// Who asked has died as well.
    pub(crate) fn forget(self) {
        self.call.abort();
    }
}

/// An offset of the test's source.
fn offset(position: u64) -> Offset {
    Offset {
        manifest: "test".into(),
        text: position.to_string(),
    }
}

/// A place from a number that was drawn; 0 is the beginning.
fn place(drawn: u64, last: u64) -> Option<u64> {
    Some(drawn % (last + 1)).filter(|place| *place > 0)
}

impl Asked {
    /// What the wish asks while `last` is written and the lane holds `low`.
    pub(crate) fn of(asker: Asker, wish: Wish, last: u64, low: Option<u64>) -> Self {
        let expected = None;
        match wish {
            Wish::SetOffset(drawn) => Self::Move {
                expected,
                to: place(drawn, last),
            },
            Wish::ClearOffset => Self::Move { expected, to: None },
            Wish::CompareAndSet { right, to } => Self::Move {
                expected: Some(if right { low } else { Some(last + 1) }),
                to: Some(place(to, last).unwrap_or(1)),
            },
            Wish::SkipCurrent | Wish::Skip(_) => Self::Skip,
            Wish::WaitUntil(drawn) if matches!(asker, Asker::Handle(_)) => {
                Self::WaitUntil(drawn % (last + 1))
            }
            _ => Self::Other,
        }
    }
}

fn nothing(answer: Result<(), Arc<Error>>) -> Answer {
    answer.map(|()| None).map_err(|error| error.to_string())
}

/// The position that cannot be handled now.
fn failing(status: &ProjectionStatus) -> Option<u64> {
    let offset = match status {
        ProjectionStatus::Retrying { offset, .. } | ProjectionStatus::Blocked { offset, .. } => {
            offset
        }
        ProjectionStatus::Restarting { offset, .. } => offset.as_ref()?,
        _ => return None,
    };
    Some(offset.text.parse().unwrap())
}

/// Asks the handle of a process.
pub(crate) fn of_handle(
    handle: Arc<ProjectionHandle>,
    by: ProcessId,
    wish: Wish,
    asked: Asked,
    last: u64,
    trace: Trace,
) -> UnderWay {
    let wanted = asked.clone();
    let call = tokio::spawn(async move {
        match (wish, wanted) {
            (_, Asked::Move { expected, to }) => nothing(match (expected, to) {
                (None, None) => handle.clear_offset().await,
                (None, Some(to)) => handle.set_offset(offset(to)).await,
                (Some(expected), to) => {
                    let to = offset(to.unwrap_or(1));
                    handle
                        .compare_and_set_offset(expected.map(offset), to)
                        .await
                }
            }),
            (Wish::SkipCurrent, _) => {
                if let Some(position) = failing(&handle.status()) {
                    trace.push(Entry::SkipAsked { position });
                }
                match handle.skip_current().await {
                    Ok(at) => Ok(Some(at.text.parse().unwrap())),
                    Err(error) => Err(error.to_string()),
                }
            }
            (Wish::Skip(drawn), _) => {
                let at = place(drawn, last).unwrap_or(1);
                trace.push(Entry::SkipAsked { position: at });
                nothing(handle.skip(offset(at)).await).map(|_| Some(at))
            }
            (_, Asked::WaitUntil(position)) => nothing(handle.wait_until(offset(position)).await),
            (Wish::Pause | Wish::PauseAll | Wish::PauseAndWait, _) => {
                let paused = match wish {
                    Wish::PauseAndWait => handle.pause_and_wait().await,
                    _ => handle.pause().await,
                };
                if paused.is_ok() {
                    trace.push(Entry::PausedHere { by });
                }
                nothing(paused)
            }
            (Wish::Resume | Wish::ResumeAll, _) => nothing(handle.resume().await),
            _ => nothing(handle.report().await.map(drop)),
        }
    });
    UnderWay {
        wish,
        asked,
        by: Some(by),
        call,
    }
}

/// Asks through the store.
pub(crate) fn of_store(
    store: &SteeredStore,
    wish: Wish,
    asked: Asked,
    last: u64,
    trace: Trace,
) -> UnderWay {
    let management = ProjectionManagement::new(store.clone()).with_patience(secs(3));
    let wanted = asked.clone();
    let call = tokio::spawn(async move {
        let (name, key) = (id().name().to_owned(), Some(id().key().to_owned()));
        let mut named = None;
        let answer = match (wish, wanted) {
            (_, Asked::Move { expected, to }) => match (expected, to) {
                (None, None) => management.clear_offset(&id()).await,
                (None, Some(to)) => management.set_offset(&id(), offset(to)).await,
                (Some(expected), to) => {
                    let (expected, to) = (expected.map(offset), offset(to.unwrap_or(1)));
                    management.compare_and_set_offset(&id(), expected, to).await
                }
            },
            (Wish::Skip(drawn), _) => {
                let at = place(drawn, last).unwrap_or(1);
                trace.push(Entry::SkipAsked { position: at });
                named = Some(at);
                management.skip(&id(), offset(at)).await
            }
            (Wish::Pause | Wish::PauseAndWait, _) => management.pause(&name, key.as_deref()).await,
            (Wish::PauseAll, _) => management.pause(&name, None).await,
            (Wish::Resume, _) => management.resume(&name, key.as_deref()).await,
            (Wish::ResumeAll, _) => management.resume(&name, None).await,
            _ => management.lane(&id()).await.map(drop),
        };
        answer.map(|()| named).map_err(|error| error.to_string())
    });
    UnderWay {
        wish,
        asked,
        by: None,
        call,
    }
}
