//! One pass over the source, from where the lane stands to the present end.

use std::sync::Arc;

use projectionist_apply::{ApplyOptions, DeclaredCodec, DeclaredProjection};
use projectionist_core::contract::{Mode, Observer};
use projectionist_core::{Error, ProjectionId};
use projectionist_engine::{ClaimConfig, Completion, ProjectionRuntime, WhenHeld};
use projectionist_store_sqlite::SqliteStore;

use super::{Job, Watch};
use crate::commands::blueprint::blueprint;
use crate::commands::files::file_source;
use crate::exit::Failure;

/// The most events of one transaction. Smaller than a run's that catches up: the one in use waits
/// for each.
const MAX_BATCH: usize = 10_000;

/// How a pass ended.
pub(in crate::commands::rebuild) enum Passed {
    /// It came to the present end.
    ToTheEnd,
    /// It was asked to stop.
    Stopped,
}

/// What a pass needs.
pub(in crate::commands::rebuild) struct Pass<'a> {
    pub(in crate::commands::rebuild) store: &'a SqliteStore,
    pub(in crate::commands::rebuild) runtime: &'a ProjectionRuntime,
    pub(in crate::commands::rebuild) watch: Arc<dyn Watch>,
}

impl Pass<'_> {
    /// Runs the projection of the job under `lane` to the present end of its source.
    pub(in crate::commands::rebuild) async fn over(
        &self,
        job: &Job,
        lane: &ProjectionId,
    ) -> Result<Passed, Failure> {
        let codec = DeclaredCodec::new(&job.program);
        let options = ApplyOptions {
            max_tenants: job.max_tenants,
            ..ApplyOptions::default()
        };
        let declared = DeclaredProjection::new(&job.program, 0, &codec, options)?;
        let source = file_source(&job.source, codec)?;
        let store = self.store.clone();
        let handler = move || declared.handler(store.clone());
        let retries = job.program.projections.first().map(|one| one.retries);
        let rules = (retries.unwrap_or_default(), MAX_BATCH);
        let observer: Arc<dyn Observer> = self.watch.clone();
        let projection = blueprint(lane.clone(), source, self.store.clone(), handler, rules)
            .with_mode(Mode::Current)
            .with_claim(ClaimConfig {
                when_held: WhenHeld::Fail,
                ..ClaimConfig::default()
            })
            .with_observer(observer);
        let handle = self.runtime.spawn(projection)?;
        self.watch.reading(handle.stop_signal());
        match handle.wait().await {
            Ok(Completion::Completed) => Ok(Passed::ToTheEnd),
            Ok(Completion::Stopped) => Ok(Passed::Stopped),
            Err(error) => Err(failed(job.rebuild.projection(), &error)),
        }
    }
}

fn failed(name: &str, error: &Error) -> Failure {
    let failure = format!(
        "projection {name}: the rebuild failed: {error}; what is in use is as it was. Run the same \
         command again to go on, or `rebuild {name} --abort` to give it up"
    );
    Failure::at_run_time(failure)
}
