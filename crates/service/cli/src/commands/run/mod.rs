//! Runs the projections of a file.

mod as_declared;
pub(crate) mod interrupt;
mod plan;
mod progress;
mod show;
mod standard_input;
mod summary;

use std::sync::Arc;

use projectionist_core::SystemClock;
use projectionist_engine::{Completion, ProjectionHandle, ProjectionRuntime};
use projectionist_store_sqlite::{SqliteOptions, SqliteStore};

use super::deployment::Deploying;
use super::rebuild::Rebuilds;
use crate::admin::{Endpoint, Metrics, ProgramDesk};
use crate::args::RunArguments;
use crate::exit::{Failure, both};
use crate::place::Target;
use plan::Plan;
use standard_input::InputError;
use summary::Summary;

pub(crate) fn execute(arguments: &RunArguments) -> Result<(), Failure> {
    let program = Arc::new(super::load(arguments.file())?);
    let chosen = plan::choose(&program, arguments)?;
    let Target::Sqlite(path) = &arguments.into;
    let store = SqliteStore::open(path, SqliteOptions::default())?;
    let runtime = blocking_runtime()?;
    let ended = runtime.block_on(async {
        let deployment = Deploying::by_run(&program, &chosen, arguments);
        deployment.bring_up(&store).await?;
        let progress = progress::Progress::start(arguments);
        let plan = Plan {
            program,
            chosen,
            store: store.clone(),
            arguments,
            progress,
            input_error: InputError::default(),
        };
        plan.tell_ignored_start().await?;
        let before = Summary::read(&store, &plan).await?.dead_letters();
        let metrics = Metrics::start(&arguments.admin)?;
        let endpoint = Endpoint::open(&arguments.admin, &metrics).await?;
        let handles = plan.spawn(&ProjectionRuntime::new(), &SystemClock)?;
        interrupt::stop_on_signal(&handles)?;
        let handles = Arc::new(handles);
        let rebuilds = Arc::new(Rebuilds::new(store.clone(), arguments.into.clone()));
        let desk = ProgramDesk::new(
            store,
            &arguments.into,
            Arc::clone(&handles),
            rebuilds.clone(),
        );
        let endpoint = endpoint.map(|endpoint| endpoint.answer(desk));
        let ended = wait_for_all(&handles).await;
        rebuilds.stop_all().await;
        if let Some(endpoint) = endpoint {
            endpoint.stop().await;
        }
        // It waits for the collector, which must not hold up the runtime.
        let _ended = tokio::task::spawn_blocking(move || metrics.end()).await;
        plan.progress.finish();
        let ended = both(ended, plan.input_error.check());
        both(ended, tell_end(&plan, before).await)
    });
    // A read of standard input that is still waiting cannot be cancelled; nobody needs it any more.
    runtime.shutdown_background();
    ended
}

/// Prints what became of the events. Fails when there are dead letters that must not be, beyond the
/// `before` of earlier runs.
async fn tell_end(plan: &Plan<'_>, before: u64) -> Result<(), Failure> {
    let arguments = plan.arguments;
    let shown = arguments.show.map_or(Ok(()), |rows| {
        show::tables(&plan.store, &plan.program, &plan.chosen, rows)
    });
    let summary = Summary::read(&plan.store, plan).await?;
    let printed = match shown {
        Ok(()) => summary.print(arguments),
        Err(failure) => Err(failure),
    };
    let dead_letters = summary.dead_letters().saturating_sub(before);
    let kept = if arguments.fail_on_dead_letters && dead_letters > 0 {
        let message = format!("{dead_letters} dead letter(s) were kept in this run");
        Err(Failure::at_run_time(message))
    } else {
        Ok(())
    };
    both(printed, kept)
}

/// The runtime of the program.
pub(crate) fn blocking_runtime() -> Result<tokio::runtime::Runtime, Failure> {
    let built = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build();
    built.map_err(|error| Failure::at_run_time(format!("cannot start the runtime: {error}")))
}

/// Waits until every projection has ended. One that fails stops no other.
async fn wait_for_all(handles: &[ProjectionHandle]) -> Result<(), Failure> {
    let mut all = Ok(());
    for handle in handles {
        let one = match handle.wait().await {
            Ok(Completion::Completed | Completion::Stopped) => Ok(()),
            Err(error) => Err(Failure::of_projection(handle.id().name(), &error)),
        };
        all = both(all, one);
    }
    all
}
