//! What a person may type.

pub(crate) mod admin;
pub(crate) mod dead_letters;
pub(crate) mod operating;

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::commands::audit::AuditArguments;
use crate::commands::compile::CompileArguments;
use crate::commands::deploy::DeployArguments;
use crate::commands::diff::DiffArguments;
use crate::commands::explain::ExplainArguments;
use crate::commands::rebuild::RebuildArguments;
use crate::commands::schema_name::SchemaNameArguments;
use crate::place::{Source, Target};
use crate::settings::VARIABLE;
use admin::AdminArguments;
use dead_letters::DeadLetters;
use operating::{OffsetCommand, PauseArguments, ResumeArguments, SkipArguments, StatusArguments};

/// Turns streams of events into tables that can be trusted.
#[derive(Debug, Parser)]
#[command(
    name = "projectionist",
    version,
    about = "Turns streams of events into tables that can be trusted",
    long_about = None,
    max_term_width = 100,
    after_help = "Exit codes: 0 done, 1 failed at run time, 2 wrong usage, 3 the file does not \
                  validate, 4 tables of the target are missing, or have another shape or owner than \
                  the file says, or a rebuild is needed, 5 not even a rebuild helps"
)]
pub(crate) struct Arguments {
    /// Read settings from this file; `projectionist settings` prints one with all there are
    #[arg(long, global = true, value_name = "FILE", env = VARIABLE, hide_env_values = true)]
    config: Option<PathBuf>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run the projections of a file
    Run(RunArguments),
    /// Write a starter file with sample events and test cases
    Init(InitArguments),
    /// Check a file and tell every fault in it
    Check(CheckArguments),
    /// Run test cases: events, and the rows that they must lead to
    Test(TestArguments),
    /// Print the JSON Schema of the file, for editors
    Schema,
    /// Compile a file into its canonical form, with a hash and its SQL
    Compile(CompileArguments),
    /// Tell what the change from one file to another asks of the tables that are there
    Diff(DiffArguments),
    /// Make or migrate the tables of a file in a target
    Deploy(DeployArguments),
    /// Build the tables of projections anew from their events
    Rebuild(RebuildArguments),
    /// Name the schema of a fork of an application
    SchemaName(SchemaNameArguments),
    /// Tell how every projection of a target stands
    Status(StatusArguments),
    /// Pause a projection until it is resumed
    Pause(PauseArguments),
    /// Let a paused projection go on
    Resume(ResumeArguments),
    /// Pass over the event that a projection cannot handle now
    Skip(SkipArguments),
    /// Look at the position behind which a projection goes on, or move it
    #[command(subcommand)]
    Offset(OffsetCommand),
    /// Tell which events made a row, and what each of them did
    Explain(ExplainArguments),
    /// Compare the tables of a projection with what its events make
    Audit(AuditArguments),
    /// Look at the events that could not be applied, apply them again, or give them up
    #[command(subcommand)]
    DeadLetters(DeadLetters),
    /// Print a script that completes commands and options in a shell
    Completions(CompletionsArguments),
    /// Print all settings, as a configuration file
    Settings,
}

/// Run the projections of a file.
///
/// Without --once the source is followed until Ctrl-C or SIGTERM.
#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    /// The file that declares the projections, in YAML or JSON
    #[arg(required_unless_present = "ir")]
    file: Option<PathBuf>,
    /// A compiled file, in place of FILE
    #[arg(long, value_name = "IR", conflicts_with = "file")]
    ir: Option<PathBuf>,
    /// Where the events are: a file of JSON lines, a pattern of several in quotes ('logs/*.jsonl'),
    /// or `-` for standard input. With --once they may be compressed (gzip, zstd)
    #[arg(long, value_name = "SOURCE")]
    pub(crate) from: Source,
    /// Where the tables go: sqlite:PATH
    #[arg(long, value_name = "TARGET")]
    pub(crate) into: Target,
    /// Read to the present end of the source, then exit
    #[arg(long)]
    pub(crate) once: bool,
    /// Where a projection begins that has not run before; earliest unless it is given
    #[arg(long, value_name = "POSITION")]
    pub(crate) start: Option<Start>,
    /// Run only these projections
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) only: Vec<String>,
    /// Run all projections but these
    #[arg(
        long,
        value_name = "NAME",
        value_delimiter = ',',
        conflicts_with = "only"
    )]
    pub(crate) except: Vec<String>,
    /// At most so many events in one transaction
    #[arg(long, value_name = "EVENTS", default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_batch: u32,
    /// At most so many tenants; an event of a further one becomes a dead letter
    #[arg(long, value_name = "TENANTS", default_value_t = 1_000)]
    pub(crate) max_tenants: usize,
    /// How long another process waits for this one when it is silent, in seconds. One that died
    /// on the same machine is not waited for. With --once a run waits twice as long for another
    /// process that lives, then gives up
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = claim_ttl)]
    pub(crate) claim_ttl: Duration,
    /// Exit with 1 when this run has kept dead letters
    #[arg(long)]
    pub(crate) fail_on_dead_letters: bool,
    /// With --once: print so many rows of every table at the end
    #[arg(long, value_name = "ROWS", num_args = 0..=1, default_missing_value = "20", requires = "once")]
    pub(crate) show: Option<usize>,
    /// How the summary at the end is printed
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) admin: AdminArguments,
}

impl RunArguments {
    /// The file that declares the projections, compiled or not.
    pub(crate) fn file(&self) -> &Path {
        // An IR is typed, while a file may come from the settings.
        self.ir
            .as_ref()
            .or(self.file.as_ref())
            .map_or(Path::new(""), PathBuf::as_path)
    }
}

/// Short enough to be waited for, long enough to be renewed in time on a busy machine.
fn claim_ttl(text: &str) -> Result<Duration, String> {
    match text.parse() {
        Ok(seconds @ 1..=86_400) => Ok(Duration::from_secs(seconds)),
        _ => Err("must be whole seconds from 1 to 86400".to_owned()),
    }
}

#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// The file that declares the projections, in YAML or JSON
    pub(crate) file: PathBuf,
    /// Also compare the file with the tables of this target, and let it plan every statement:
    /// sqlite:PATH. Nothing is written
    #[arg(long, value_name = "TARGET")]
    pub(crate) into: Option<Target>,
    /// How faults are printed
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}

/// Write a starter file with sample events and test cases.
///
/// Files that are there already are never overwritten without --force.
#[derive(Debug, Args)]
pub(crate) struct InitArguments {
    /// The folder that they are written to; it is made when it is missing
    #[arg(default_value = ".")]
    pub(crate) folder: PathBuf,
    /// Overwrite files of these names
    #[arg(long)]
    pub(crate) force: bool,
}

/// Run test cases: events, and the rows that they must lead to.
///
/// Every case begins with empty tables, in memory. Exit code 0 when all of them pass, 1 when one
/// fails, 3 when a file does not validate.
#[derive(Debug, Args)]
pub(crate) struct TestArguments {
    /// The file that declares the projections, in YAML or JSON
    pub(crate) file: PathBuf,
    /// The files with the cases, in YAML or JSON
    #[arg(required = true)]
    pub(crate) fixtures: Vec<PathBuf>,
    /// How the outcome is printed
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArguments {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    #[default]
    Text,
    /// One JSON object on the last line
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Start {
    /// With the first event
    Earliest,
    /// Behind the last event that the source has now
    Latest,
}
