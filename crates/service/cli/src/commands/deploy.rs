//! Makes or migrates the tables of a file in a target.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use projectionist_apply::check_tenant;
use projectionist_language::Program;
use projectionist_store_sqlite::{SqliteOptions, SqliteStore};

use super::deployment::{Deploying, Steps};
use crate::exit::Failure;
use crate::output::print_line;
use crate::place::Target;

/// Make or migrate the tables of a file in a target.
///
/// Tables that are there are migrated, those of all tenants too, as far as the change is an
/// addition. Anything else is refused, and nothing is changed then.
#[derive(Debug, Args)]
pub(crate) struct DeployArguments {
    /// The file that declares the projections, in YAML or JSON, or compiled
    file: PathBuf,
    /// Where the tables go: sqlite:PATH
    #[arg(long, value_name = "TARGET")]
    into: Target,
    /// Make the tables of this tenant too
    #[arg(long, value_name = "SCHEMA", value_parser = tenant)]
    tenant: Vec<Arc<str>>,
    /// Take changes that need a rebuild too, where the tables keep their shape: they hold for the
    /// events that follow and for replayed dead letters, and rows that are there stay as they are
    #[arg(long)]
    from_now_on: bool,
    /// Tell what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
}

fn tenant(text: &str) -> Result<Arc<str>, String> {
    check_tenant(text).map_err(|defect| defect.error)?;
    Ok(text.into())
}

pub(crate) fn execute(arguments: &DeployArguments) -> Result<(), Failure> {
    let program = super::load(&arguments.file)?;
    let Target::Sqlite(path) = &arguments.into;
    let mut deploying = Deploying::whole(&program, &arguments.file, &arguments.tenant);
    if arguments.from_now_on {
        deploying = deploying.holding_from_now_on();
    }
    if arguments.dry_run && !path.exists() {
        return tell_new(&program);
    }
    let options = SqliteOptions::default();
    let runtime = super::run::blocking_runtime()?;
    if arguments.dry_run {
        let store = SqliteStore::open_existing(path, options)?;
        let steps = runtime.block_on(deploying.steps(&store))?;
        return tell(&steps, "would be made");
    }
    let store = SqliteStore::open(path, options)?;
    let steps = runtime.block_on(deploying.bring_up(&store))?;
    tell(&steps, "made")
}

/// What would be done in a target that is not there.
fn tell_new(program: &Program) -> Result<(), Failure> {
    for change in projectionist_language::diff::diff_all(&[], std::slice::from_ref(program)) {
        print_line(change)?;
    }
    Ok(())
}

fn tell(steps: &Steps, made: &str) -> Result<(), Failure> {
    for change in &steps.changes {
        print_line(change)?;
    }
    for table in &steps.made {
        print_line(format_args!("table {table}: {made}"))?;
    }
    if steps.changes.is_empty() && steps.made.is_empty() {
        print_line("nothing to do")?;
    }
    Ok(())
}
