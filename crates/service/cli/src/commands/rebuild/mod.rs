//! Builds projections anew from their events.
//!
//! [`driver`] does it, and tells no one but its watch; [`plan`] finds out what is to be done, the
//! other files are what a person asks for and gets to see.

mod abort;
pub(crate) mod arguments;
mod begun;
mod desk;
mod driver;
mod in_place;
mod plan;
mod progress;
mod report;
mod revert;

use std::sync::Arc;
use std::time::Duration;

use projectionist_core::contract::{DeclarationStore, OffsetStore};
use projectionist_engine::ProjectionRuntime;
use projectionist_store_sqlite::{SqliteOptions, SqliteStore};

pub(crate) use self::arguments::RebuildArguments;
pub(crate) use self::desk::Rebuilds;
use self::driver::{Driver, Ended, Job};
use self::progress::Screen;
use crate::exit::{Failure, both};
use crate::output::print_line;
use crate::place::Target;

/// How long a step waits for other writers: a run that catches up writes nearly all the time.
const BUSY_TIMEOUT: Duration = Duration::from_secs(60);

pub(crate) fn execute(arguments: &RebuildArguments) -> Result<(), Failure> {
    let Target::Sqlite(path) = &arguments.store;
    let options = SqliteOptions::default().with_busy_timeout(BUSY_TIMEOUT);
    let store = SqliteStore::open_existing(path, options)?;
    let runtime = super::run::blocking_runtime()?;
    let ended = runtime.block_on(async {
        let names = names(&store, arguments).await?;
        if arguments.abort {
            return abort::execute(&store, &names, arguments.dry_run).await;
        }
        if arguments.revert {
            return revert::execute(&store, &names, arguments.dry_run).await;
        }
        let jobs = plan::jobs(&store, &names, arguments).await?;
        if arguments.dry_run {
            return report::dry_run(&store, &jobs, arguments).await;
        }
        rebuild_all(&store, &jobs, arguments).await
    });
    runtime.shutdown_background();
    ended
}

/// The one that is named, or all that the target or the file declares. One of which something is
/// kept, or whose rebuild is not finished, is there too.
async fn names(store: &SqliteStore, arguments: &RebuildArguments) -> Result<Vec<String>, Failure> {
    if let Some(name) = &arguments.name {
        return Ok(vec![name.clone()]);
    }
    let kept = store.declarations().await?.into_iter();
    let names = kept.filter(|kept| !kept.withdrawn);
    Ok(names.map(|kept| kept.declaration.projection).collect())
}

/// Rebuilds one projection after the other. One that fails stops no other.
async fn rebuild_all(
    store: &SqliteStore,
    jobs: &[Job],
    arguments: &RebuildArguments,
) -> Result<(), Failure> {
    let runtime = ProjectionRuntime::new();
    let screen = Arc::new(Screen::new());
    screen.stop_on_signal()?;
    let mut all = Ok(());
    for job in jobs {
        let one = if arguments.in_place {
            in_place::one(store, &runtime, &screen, job).await
        } else {
            beside(store, &runtime, &screen, job, arguments.keep).await
        };
        all = both(all, one);
        if screen.is_stopping() {
            break;
        }
    }
    all
}

/// Rebuilds one projection beside the one in use.
async fn beside(
    store: &SqliteStore,
    runtime: &ProjectionRuntime,
    screen: &Arc<Screen>,
    job: &Job,
    keep: bool,
) -> Result<(), Failure> {
    let watch: Arc<dyn driver::Watch> = screen.clone();
    let driver = Driver {
        store,
        runtime,
        watch,
    };
    let name = job.rebuild.projection();
    let ended = driver.run(job, keep).await;
    screen.finish();
    match ended? {
        Ended::Swapped(counters) => print_line(report::swapped(name, &counters, keep)),
        Ended::Stopped => {
            let read = store.lane(&job.rebuild.shadow_lane()?).await?;
            let read = read.map_or(0, |lane| lane.counters.read);
            print_line(format_args!(
                "{name}: stopped after {read} event(s); the same command goes on from there, \
                 --abort gives it up"
            ))
        }
    }
}
