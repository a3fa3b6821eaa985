//! The projection of each guarantee.

use projectionist_core::Result;
use projectionist_engine::{
    ClaimConfig, Delivery, GroupConfig, Projection, ProjectionHandle, ProjectionRuntime,
    RestartBackoff, SaveConfig, WhenHeld,
};

use crate::common::{SteeredStore, id, millis, secs};
use crate::guarantee::Guarantee;
use crate::script::Settings;
use crate::subject::Subject;
use crate::traced_source::TracedSource;

/// What a process needs to run the projection.
pub(crate) struct Parts<'a> {
    pub(crate) runtime: &'a ProjectionRuntime,
    pub(crate) source: TracedSource,
    pub(crate) subject: Subject,
    pub(crate) when_held: WhenHeld,
}

impl Settings {
    /// Starts the projection in a process.
    pub(crate) fn spawn(self, parts: Parts<'_>) -> Result<ProjectionHandle> {
        if self.guarantee.settles_by_key() {
            return self.spawn_by_key(parts);
        }
        let (runtime, source, subject) = (parts.runtime, parts.source, parts.subject);
        let when_held = parts.when_held;
        let store = subject.store.clone();
        let factory = move || subject.clone();
        let (save, group, recovery) = (self.save(), self.groups(), self.recovery);
        match self.guarantee {
            Guarantee::AtLeastOnce => runtime.spawn(
                self.settled(
                    Projection::at_least_once(id(), source, store, factory)
                        .with_save(save)
                        .with_recovery(recovery),
                    when_held,
                ),
            ),
            Guarantee::SettledAtLeastOnce => runtime.spawn(
                self.settled(
                    Projection::settled_at_least_once(id(), source, store, factory)
                        .with_save(save)
                        .with_recovery(recovery),
                    when_held,
                ),
            ),
            Guarantee::AtMostOnce => runtime.spawn(self.settled(
                Projection::at_most_once(id(), source, store, factory).with_recovery(self.loss),
                when_held,
            )),
            Guarantee::ExactlyOnce => runtime.spawn(self.settled(
                Projection::exactly_once(id(), source, store, factory).with_recovery(recovery),
                when_held,
            )),
            Guarantee::GroupedAtLeastOnce => {
                let grouped = Projection::grouped_at_least_once(id(), source, store, factory)
                    .with_group(group)
                    .with_recovery(recovery);
                let grouped = if self.isolates {
                    grouped.isolating_data_errors()
                } else {
                    grouped
                };
                let grouped = if self.bisects {
                    grouped.bisecting()
                } else {
                    grouped
                };
                runtime.spawn(self.settled(grouped, when_held))
            }
            _ => {
                let grouped = Projection::grouped_exactly_once(id(), source, store, factory)
                    .with_group(group)
                    .with_recovery(recovery);
                let grouped = if self.isolates {
                    grouped.isolating_data_errors()
                } else {
                    grouped
                };
                let grouped = if self.bisects {
                    grouped.bisecting()
                } else {
                    grouped
                };
                runtime.spawn(self.settled(grouped, when_held))
            }
        }
    }

    /// The settings that every guarantee has.
    pub(crate) fn settled<D: Delivery<TracedSource, SteeredStore>>(
        &self,
        projection: Projection<TracedSource, SteeredStore, D>,
        when_held: WhenHeld,
    ) -> Projection<TracedSource, SteeredStore, D> {
        let claim = ClaimConfig {
            when_held,
            ..ClaimConfig::default()
        };
        let restart = RestartBackoff {
            min_backoff: millis(100),
            max_backoff: secs(1),
            random_factor: 0.0,
            ..RestartBackoff::default()
        };
        let mut projection = projection
            .with_claim(claim)
            .with_restart(restart)
            .when_exhausted(self.when_exhausted);
        if self.letters {
            projection = projection.keeping_dead_letters();
        }
        if let Some(timeout) = self.timeout {
            projection = projection.with_handler_timeout(timeout);
        }
        projection
    }

    pub(crate) fn save(&self) -> SaveConfig {
        SaveConfig {
            after_envelopes: self.save_after,
            max_unsaved: self.max_unsaved,
            ..SaveConfig::default()
        }
    }

    fn groups(&self) -> GroupConfig {
        GroupConfig {
            max_envelopes: usize::try_from(self.group).unwrap(),
            ..GroupConfig::default()
        }
    }
}
