//! Reads a file off the runtime's workers, one block ahead.

use std::mem;
use std::path::Path;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use projectionist_core::contract::Mode;
use projectionist_core::{Error, Result};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio::time::Sleep;

use super::FilePosition;
use super::mark::FileMark;
use super::pattern::has_wildcard;
use super::tail::{FileTail, Step};
use super::waiting::Waiting;
use crate::fault::{Fault, runtime_error};
use crate::lines::{Block, BlockSource, LastLine};

/// Reads a file off the runtime's workers: while one block is handed out, the next one is read.
pub(super) struct FileBlocks {
    runtime: Handle,
    name: String,
    mode: Mode,
    poll_interval: Duration,
    waiting: Waiting,
    state: State,
}

enum State {
    /// Nothing is under way.
    Idle(Box<FileTail>),
    /// The next block is being read.
    Reading(JoinHandle<(Box<FileTail>, Result<Step>)>),
    /// The end was reached; the file is left alone for a while.
    Waiting(Pin<Box<Sleep>>, Box<FileTail>),
    /// The end, or a failure.
    Over,
}

impl FileBlocks {
    /// Opens the file of `tail`. Without a file, a live one waits for it.
    pub(super) async fn open(
        tail: FileTail,
        mode: Mode,
        poll_interval: Duration,
        waiting: Waiting,
    ) -> Result<Self> {
        let name = tail.name().display().to_string();
        let runtime = Handle::try_current().map_err(|error| runtime_error(&name, error, false))?;
        let opening = runtime.spawn_blocking(move || {
            let mut tail = Box::new(tail);
            tail.open().map(|is_open| (tail, is_open))
        });
        let (tail, is_open) = opening
            .await
            .map_err(|error| runtime_error(&name, error, true))??;
        waiting.set(!is_open);
        match mode {
            Mode::Current if !is_open => return Err(missing(tail.name())),
            Mode::Live if !is_open => tracing::info!("{name}: there is no such file yet; waiting"),
            Mode::Current | Mode::Live => {}
        }
        Ok(Self {
            runtime,
            name,
            mode,
            poll_interval,
            waiting,
            state: State::Idle(tail),
        })
    }

    fn read(&self, mut tail: Box<FileTail>) -> State {
        State::Reading(self.runtime.spawn_blocking(move || {
            let step = tail.step();
            (tail, step)
        }))
    }

    /// What follows a step: a block, or another state.
    fn pass(&mut self, tail: Box<FileTail>, step: Step) -> Result<Option<Block<FileMark>>> {
        self.waiting.set(matches!(step, Step::Missing));
        match (step, self.mode) {
            (Step::Read { block, is_last }, _) => {
                self.state = if is_last {
                    State::Idle(tail)
                } else {
                    self.read(tail)
                };
                return Ok(Some(*block));
            }
            (Step::AtEnd, Mode::Current) => {}
            (Step::Missing, Mode::Current) => return Err(missing(tail.name())),
            (Step::AtEnd | Step::Missing, Mode::Live) => {
                let pause = tokio::time::sleep(self.poll_interval);
                self.state = State::Waiting(Box::pin(pause), tail);
            }
        }
        Ok(None)
    }
}

impl BlockSource for FileBlocks {
    type Position = FilePosition;
    type Mark = FileMark;

    fn poll_block(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<Block<FileMark>>>> {
        loop {
            match mem::replace(&mut self.state, State::Over) {
                State::Idle(tail) => self.state = self.read(tail),
                State::Waiting(mut pause, tail) => {
                    if pause.as_mut().poll(cx).is_pending() {
                        self.state = State::Waiting(pause, tail);
                        return Poll::Pending;
                    }
                    self.state = self.read(tail);
                }
                State::Reading(mut task) => match Pin::new(&mut task).poll(cx) {
                    Poll::Pending => {
                        self.state = State::Reading(task);
                        return Poll::Pending;
                    }
                    Poll::Ready(Ok((tail, step))) => {
                        if let Some(block) = self.pass(tail, step?)? {
                            return Poll::Ready(Ok(Some(block)));
                        }
                    }
                    Poll::Ready(Err(error)) => {
                        return Poll::Ready(Err(runtime_error(&self.name, error, true)));
                    }
                },
                State::Over => return Poll::Ready(Ok(None)),
            }
        }
    }

    fn position(mark: &FileMark, byte: u64, line: u64) -> FilePosition {
        mark.position(byte, line)
    }

    fn file_name(mark: &FileMark) -> Option<&str> {
        mark.file.as_ref().map(|file| &*file.name)
    }

    fn last_line(&self) -> LastLine {
        LastLine::MayGrow(self.name.clone())
    }
}

/// The error for a name that is neither a file nor a pattern that has one.
fn missing(name: &Path) -> Error {
    let path = name.to_owned();
    let fault = match name.to_str().is_some_and(has_wildcard) {
        true => Fault::NoMatch { path },
        false => Fault::Missing { path },
    };
    fault.into_error(name.display())
}
