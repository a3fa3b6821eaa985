//! The projections that settle in another order than that of their source.

use std::time::Duration;

use projectionist::contract::Mode as ReadTo;
use projectionist::{
    KeyedConfig, ParkConfig, Projection, ProjectionHandle, ProjectionRuntime, RetryDelay,
    SaveConfig,
};

use super::handlers::{Failing, Flow, Unhurried};
use crate::child::id;
use crate::handlers::{Log, Rows};
use crate::mode::{AT_ONCE, MAX_PARKED, MAX_PARKED_KEYS, Mode, RETRIES, key_of};
use crate::points::Teller;
use crate::source::Numbered;
use crate::told_store::ToldStore;

/// What a process needs to run one of them.
pub(crate) struct Parts<L, R> {
    pub(crate) source: Numbered,
    pub(crate) store: ToldStore,
    pub(crate) save: SaveConfig,
    /// Makes the handler that appends to the log.
    pub(crate) log: L,
    /// Makes the handler that appends to the table.
    pub(crate) rows: R,
    pub(crate) teller: Teller,
}

/// Starts the projection of `mode`; `None` when that settles in the order of its source.
pub(crate) fn spawn<L, R>(
    runtime: &ProjectionRuntime,
    mode: Mode,
    parts: Parts<L, R>,
) -> Option<projectionist::Result<ProjectionHandle>>
where
    L: Fn() -> Log + Clone + Send + Sync + 'static,
    R: Fn() -> Rows + Send + Sync + 'static,
{
    let (source, store, save) = (parts.source, parts.store, parts.save);
    let (log, rows, teller) = (parts.log, parts.rows, parts.teller);
    let spawned = match mode {
        Mode::KeyedAtLeastOnce => {
            let factory = move || Unhurried(log());
            let config = KeyedConfig {
                handlers: AT_ONCE,
                ..KeyedConfig::default()
            };
            runtime.spawn(
                Projection::at_least_once(id(), source, store, factory)
                    .keyed(config, write_key)
                    .with_save(save)
                    .with_mode(ReadTo::Current),
            )
        }
        Mode::FlowAtLeastOnce => {
            let factory = move || Flow {
                mode,
                log: log.clone(),
            };
            runtime.spawn(
                Projection::flow(id(), source, store, factory)
                    .with_save(save)
                    .with_mode(ReadTo::Current),
            )
        }
        Mode::ParkingAtLeastOnce => {
            let factory = move || Failing {
                inner: log(),
                mode,
                teller: teller.clone(),
            };
            runtime.spawn(
                Projection::at_least_once(id(), source, store, factory)
                    .parking(parking(), write_key)
                    .with_save(save)
                    .with_mode(ReadTo::Current),
            )
        }
        Mode::ParkingExactlyOnce => {
            let factory = move || Failing {
                inner: rows(),
                mode,
                teller: teller.clone(),
            };
            runtime.spawn(
                Projection::exactly_once(id(), source, store, factory)
                    .parking(parking(), write_key)
                    .with_mode(ReadTo::Current),
            )
        }
        _ => return None,
    };
    Some(spawned)
}

fn write_key(event: &u64, key: &mut String) {
    key.push_str(&key_of(*event).to_string());
}

/// Waits that are short beside the life of a process, so that it tries again within it.
fn parking() -> ParkConfig {
    ParkConfig {
        retries: RETRIES,
        delay: RetryDelay::Fixed(Duration::ZERO),
        min_backoff: Duration::from_millis(1),
        max_backoff: Duration::from_millis(4),
        max_keys: MAX_PARKED_KEYS,
        max_envelopes: MAX_PARKED,
    }
}
