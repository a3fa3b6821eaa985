//! A target of the program, and what the program is asked to do with it.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::child::{Usage, measure};
use crate::database;
use crate::declared_sqlite::input::PROJECTIONS;
use crate::declared_sqlite::subject::{program, text};
use crate::failure::Outcome;

/// The projection that the file declares.
const NAME: &str = "artist_followers";

/// A target with its projections file and its events, all in one folder.
#[derive(Debug)]
pub struct Target {
    program: PathBuf,
    projections: PathBuf,
    /// The file of events.
    pub events: PathBuf,
    database: PathBuf,
}

impl Target {
    /// A target in `folder` for these events. Nothing is run yet.
    ///
    /// # Errors
    /// When the projections file cannot be written, or there is no program.
    pub fn new(folder: &Path, events: PathBuf) -> Outcome<Self> {
        let projections = folder.join("projections.yaml");
        std::fs::write(&projections, PROJECTIONS)?;
        Ok(Self {
            program: program()?,
            projections,
            events,
            database: folder.join("rebuild.db"),
        })
    }

    /// Runs all events into an empty database.
    ///
    /// # Errors
    /// When the program fails.
    pub fn run_from_nothing(&self) -> Outcome<Usage> {
        database::remove(&self.database)?;
        self.run()
    }

    /// Runs the events that are not read yet.
    ///
    /// # Errors
    /// When the program fails.
    pub fn run(&self) -> Outcome<Usage> {
        let target = self.target();
        measure(&[
            text(&self.program)?,
            "run",
            text(&self.projections)?,
            "--from",
            text(&self.events)?,
            "--into",
            &target,
            "--once",
        ])
    }

    /// Builds the table anew, beside the one that is there or in place.
    ///
    /// # Errors
    /// When the program fails.
    pub fn rebuild(&self, more: &[&str]) -> Outcome<Usage> {
        let target = self.target();
        let mut command = vec![text(&self.program)?, "rebuild", NAME, "--store", &target];
        command.extend(more);
        measure(&command)
    }

    /// Starts a rebuild and gives it as soon as it has read some events.
    ///
    /// # Errors
    /// When it cannot be started, or ends before.
    pub fn rebuilding(&self) -> Outcome<Child> {
        let mut child = Command::new(&self.program)
            .args(["rebuild", NAME, "--store", &self.target()])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let lane = rusqlite::Connection::open(&self.database)?;
        loop {
            let read: i64 = lane.query_row(
                "SELECT coalesce(max(\"read\"), 0) FROM projectionist_lanes
                 WHERE name LIKE 'projectionist:rebuild:%'",
                [],
                |row| row.get(0),
            )?;
            if read > 0 {
                return Ok(child);
            }
            if let Some(status) = child.try_wait()? {
                return Err(format!("the rebuild ended with {status} before it was met").into());
            }
            std::thread::yield_now();
        }
    }

    /// All rows of the table, as one text.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn rows(&self) -> Outcome<Vec<(String, String, i64)>> {
        let connection = rusqlite::Connection::open(&self.database)?;
        let table = format!(
            "{}__artist_followers",
            crate::declared_sqlite::input::TENANT
        );
        let mut statement = connection.prepare(&format!(
            "SELECT user_id, artist_id, followed_at FROM \"{table}\" ORDER BY 1, 2"
        ))?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    fn target(&self) -> String {
        format!("sqlite:{}", self.database.display())
    }
}
