//! A folder with a projections file, a file of events and a target.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

use super::process::{Ended, Running};
use super::{Client, process};

/// A folder with a projections file, a file of events and a target. It goes with the value.
pub struct Place {
    folder: TempDir,
}

impl Place {
    /// A folder with this projections file, and no events yet.
    pub fn with(projections: &str) -> Self {
        let place = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        fs::write(place.projections(), projections).unwrap();
        place
    }

    /// As [`Self::with`], with events.
    pub fn with_events(projections: &str, events: impl AsRef<[u8]>) -> Self {
        let place = Self::with(projections);
        fs::write(place.events(), events).unwrap();
        place
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn projections(&self) -> PathBuf {
        self.path("projections.yaml")
    }

    pub fn events(&self) -> PathBuf {
        self.path("events.jsonl")
    }

    /// The file of the target.
    pub fn views(&self) -> PathBuf {
        self.path("views.db")
    }

    /// The target, as the program is told it.
    pub fn target(&self) -> String {
        format!("sqlite:{}", self.views().display())
    }

    /// Writes behind the events that are there.
    pub fn append(&self, events: impl AsRef<[u8]>) {
        let mut options = OpenOptions::new();
        let options = options.create(true).append(true);
        let mut file = options.open(self.events()).unwrap();
        file.write_all(events.as_ref()).unwrap();
    }

    /// `projectionist run`, which follows the file of events.
    pub fn run(&self, more: &[&str]) -> Command {
        let events = self.events().display().to_string();
        self.run_from(&events, more)
    }

    /// `projectionist run` from a source.
    pub fn run_from(&self, source: &str, more: &[&str]) -> Command {
        let mut run = process::command();
        run.arg("run").arg(self.projections());
        run.args(["--from", source, "--into", &self.target()]);
        run.args(more);
        run
    }

    /// Runs to the end of the events, which must go well; gives the summary.
    pub fn run_once(&self, more: &[&str]) -> serde_json::Value {
        let ended = self.ended(more);
        assert_eq!(ended.code, 0, "{ended:?}");
        ended.last_line_as_json()
    }

    /// Runs to the end of the events with a summary in JSON.
    pub fn ended(&self, more: &[&str]) -> Ended {
        let mut run = self.run(&["--once", "--format", "json"]);
        process::ended(run.args(more))
    }

    /// Starts to follow the events.
    pub fn follow(&self, more: &[&str]) -> Running {
        Running::start(&mut self.run(more))
    }

    /// `projectionist status` as JSON.
    pub fn status(&self) -> Ended {
        let mut status = process::command();
        status.args(["status", "--store", &self.target(), "--format", "json"]);
        process::ended(&mut status)
    }

    /// A client of the target, which must be there.
    pub fn client(&self) -> Client {
        Client::open(&self.views()).expect("the target is there")
    }
}
