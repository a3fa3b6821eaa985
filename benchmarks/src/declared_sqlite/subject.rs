//! Who is measured: the program, and the loops it is compared with.

use std::path::{Path, PathBuf};

use super::{guarded_loop, input, plain_loop};
use crate::child::{Usage, measure};
use crate::database;
use crate::failure::Outcome;

/// The batch that many loops have, and the one that the program has when it catches up.
const SMALL_BATCH: u64 = 1_000;
const LARGE_BATCH: u64 = 20_000;

/// The variable with the path of the program.
pub const VARIABLE: &str = "PROJECTIONIST";

/// One who turns the file into the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The program, with its defaults.
    Program,
    /// The loop without a guard, small transactions.
    PlainSmall,
    /// The loop with the program's promise, at the program's batch size.
    GuardedLarge,
    /// The loop without a guard at the program's batch size.
    PlainLarge,
    /// Reading and parsing alone.
    ParseOnly,
}

impl Subject {
    /// All, in the order in which they take turns.
    pub const ALL: [Self; 5] = [
        Self::Program,
        Self::PlainSmall,
        Self::GuardedLarge,
        Self::PlainLarge,
        Self::ParseOnly,
    ];

    /// The name in commands.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Program => "program",
            Self::PlainSmall => "plain-1000",
            Self::GuardedLarge => "guarded-20000",
            Self::PlainLarge => "plain-20000",
            Self::ParseOnly => "parse-only",
        }
    }

    /// The subject of that name.
    ///
    /// # Errors
    /// When there is none.
    pub fn of_name(name: &str) -> Outcome<Self> {
        let subject = Self::ALL.into_iter().find(|subject| subject.name() == name);
        subject.ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            format!("there is no subject `{name}`; the subjects are {names}").into()
        })
    }

    /// Whether it leaves a table.
    #[must_use]
    pub fn writes(self) -> bool {
        self != Self::ParseOnly
    }

    /// The database that it writes.
    #[must_use]
    pub fn database(self, folder: &Path) -> PathBuf {
        folder.join(format!("{}.db", self.name()))
    }

    /// Does the work of a loop, in this process.
    ///
    /// # Errors
    /// When the input cannot be read or SQLite fails, and for the program, which is none.
    pub fn work(self, input: &Path, database: &Path) -> Outcome<()> {
        match self {
            Self::PlainSmall => plain_loop::run(input, database, SMALL_BATCH),
            Self::PlainLarge => plain_loop::run(input, database, LARGE_BATCH),
            Self::GuardedLarge => guarded_loop::run(input, database, LARGE_BATCH),
            Self::ParseOnly => plain_loop::parse_only(input),
            Self::Program => Err("the program is no loop".into()),
        }
    }

    /// Does the work in a process of its own, into a fresh database, and says what that used.
    ///
    /// # Errors
    /// When the process fails.
    pub fn measured(self, folder: &Path, input: &Path) -> Outcome<Usage> {
        let path = self.database(folder);
        database::remove(&path)?;
        let (input, database) = (text(input)?, text(&path)?);
        if self != Self::Program {
            let this = std::env::current_exe()?;
            let input = format!("input={input}");
            let database = format!("database={database}");
            return measure(&[text(&this)?, self.name(), &input, &database]);
        }
        let projections = folder.join("projections.yaml");
        std::fs::write(&projections, input::PROJECTIONS)?;
        let program = program()?;
        let target = format!("sqlite:{database}");
        measure(&[
            text(&program)?,
            "run",
            text(&projections)?,
            "--from",
            input,
            "--into",
            &target,
            "--once",
        ])
    }
}

/// The program that the environment names, or the one beside this benchmark.
///
/// # Errors
/// When there is none.
pub fn program() -> Outcome<PathBuf> {
    if let Some(program) = std::env::var_os(VARIABLE) {
        return Ok(PathBuf::from(program));
    }
    let beside = std::env::current_exe()?.with_file_name("projectionist");
    if beside.exists() {
        return Ok(beside);
    }
    let build = "cargo build --release -p projectionist-cli";
    Err(format!("there is no program: `{build}`, or set {VARIABLE} to its path").into())
}

/// The path as an argument of a command.
///
/// # Errors
/// When it is no text.
pub fn text(path: &Path) -> Outcome<&str> {
    let text = path.to_str();
    text.ok_or_else(|| format!("the path {} is no text", path.display()).into())
}
