//! An observer that keeps what it was told.

use std::fmt::Debug;

use projectionist_core::contract::{FailureAction, ManagementAction, Observer};
use projectionist_core::{Error, Offset, OffsetText, ProjectionId};

use crate::Recorder;

/// The observer of a [`Recorder`]; see [`Recorder::observer`].
#[derive(Debug)]
pub struct RecordingObserver<E> {
    recorder: Recorder<E>,
}

impl<E> RecordingObserver<E> {
    pub(crate) fn new(recorder: Recorder<E>) -> Self {
        Self { recorder }
    }

    fn told(&self, what: &str) {
        self.recorder.record(format!("observer.{what}"));
        let panics = self.recorder.lock().observers_panic;
        assert!(!panics, "an observer panics in {what}");
    }
}

impl<E: Debug + Send + Sync + 'static> Observer for RecordingObserver<E> {
    fn started(&self, _: &ProjectionId) {
        self.told("started");
    }

    fn failed(&self, _: &ProjectionId, _: &Error) {
        self.told("failed");
    }

    fn stopped(&self, _: &ProjectionId) {
        self.told("stopped");
    }

    fn before_process(&self, _: &ProjectionId, position: &dyn OffsetText, _: usize) {
        self.told(&format!("before {}", position.offset()));
    }

    fn after_process(&self, _: &ProjectionId, position: &dyn OffsetText, _: usize) {
        self.told(&format!("after {}", position.offset()));
    }

    fn error(
        &self,
        _: &ProjectionId,
        position: &dyn OffsetText,
        attempt: u32,
        _: &(dyn std::error::Error + 'static),
        action: FailureAction,
    ) {
        self.recorder.lock().actions.push(action);
        self.told(&format!("error {}#{attempt}", position.offset()));
    }

    fn managed(&self, _: &ProjectionId, action: &ManagementAction) {
        self.told(&match action {
            ManagementAction::Paused => "paused".to_owned(),
            ManagementAction::Resumed => "resumed".to_owned(),
            ManagementAction::Done(command) => format!("done {command}"),
            ManagementAction::Refused(command, reason) => format!("refused {command}: {reason}"),
            other => format!("managed {other:?}"),
        });
    }

    fn progress(&self, _: &ProjectionId, offset: &Offset) {
        self.told(&format!("progress {offset}"));
    }
}
