//! Runs the projections of a file.

mod interrupt;
mod plan;
mod progress;
mod show;
mod standard_input;
mod summary;
mod tables;

use std::sync::Arc;

use projectionist_core::SystemClock;
use projectionist_engine::{Completion, ProjectionHandle, ProjectionRuntime};
use projectionist_store_sqlite::{SqliteOptions, SqliteStore};

use crate::args::RunArguments;
use crate::exit::Failure;
use crate::place::Target;
use summary::Summary;

pub(crate) fn execute(arguments: &RunArguments) -> Result<(), Failure> {
    let program = Arc::new(super::load(&arguments.file)?);
    let chosen = plan::choose(&program, arguments)?;
    let Target::Sqlite(path) = &arguments.into;
    let store = SqliteStore::open(path, SqliteOptions::default())?;
    tables::check(&store, &program, &chosen)?;
    let runtime = blocking_runtime()?;
    let ended = runtime.block_on(async {
        let progress = progress::Progress::start(arguments);
        let plan = plan::Plan {
            program,
            chosen,
            store: store.clone(),
            arguments,
            progress,
        };
        plan.tell_ignored_start().await?;
        let before = Summary::read(&store, &plan).await?.dead_letters();
        let handles = plan.spawn(&ProjectionRuntime::new(), &SystemClock)?;
        interrupt::stop_on_signal(&handles)?;
        let ended = wait_for_all(&handles).await;
        plan.progress.finish();
        if let Some(rows) = arguments.show {
            show::tables(&store, &plan.program, &plan.chosen, rows)?;
        }
        let summary = Summary::read(&store, &plan).await?;
        summary.print(arguments);
        ended?;
        let dead_letters = summary.dead_letters().saturating_sub(before);
        if arguments.fail_on_dead_letters && dead_letters > 0 {
            let message = format!("{dead_letters} dead letter(s) were kept in this run");
            return Err(Failure::at_run_time(message));
        }
        Ok(())
    });
    // A read of standard input that is still waiting cannot be cancelled; nobody needs it any more.
    runtime.shutdown_background();
    ended
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
    let mut failure: Option<Failure> = None;
    for handle in handles {
        match handle.wait().await {
            Ok(Completion::Completed | Completion::Stopped) => {}
            Err(error) => {
                let one = Failure::of_projection(handle.id().name(), &error);
                failure = Some(match failure.take() {
                    Some(others) => others.and(one),
                    None => one,
                });
            }
        }
    }
    failure.map_or(Ok(()), Err)
}
