//! What handlers that wait gain when eight keys are handled at once.

use std::time::Duration;

use projectionist_core::ProjectionId;
use projectionist_core::contract::{Context, Handler, HandlerResult, Mode};
use projectionist_engine::{KeyedConfig, Projection, ProjectionRuntime};
use projectionist_store_memory::MemoryStore;
use tokio::time::Instant;

use super::handler::Count;
use super::run::completed;
use crate::failure::Outcome;
use crate::flavor::Flavor;
use crate::sample::Sample;
use crate::source::{Envelope, Envelopes, append_key};
use crate::table::Table;

/// How long the handler waits for an envelope. A timer of tokio ends up to a millisecond later.
const WAIT: Duration = Duration::from_millis(1);

/// Waits, then counts.
struct Waits(Count);

impl Handler<Envelope> for Waits {
    async fn process(&mut self, envelope: &Envelope, _: &Context<'_>) -> HandlerResult {
        tokio::time::sleep(WAIT).await;
        self.0.one(envelope);
        Ok(())
    }
}

/// Moves `envelopes` of eight keys through handlers that wait, one after the other and eight at
/// once, and prints how much faster the latter is.
///
/// # Errors
/// When a run fails, or does not handle every envelope once.
pub fn report(envelopes: u64, runs: u64) -> Outcome<()> {
    let mut table = Table::new(&[
        "runtime",
        "one by one, us/envelope",
        "eight handlers, us/envelope",
        "times as fast",
    ]);
    for flavor in Flavor::ALL {
        let mut samples = [Sample::default(), Sample::default(), Sample::default()];
        for _ in 0..runs {
            let (one, eight) = (run(flavor, envelopes, 1)?, run(flavor, envelopes, 8)?);
            for (sample, value) in samples.iter_mut().zip([one, eight, one / eight]) {
                sample.push(value);
            }
        }
        let [one, eight, ratio] = samples;
        table.row([
            flavor.name().to_owned(),
            one.spread(0),
            eight.spread(0),
            ratio.spread(2),
        ]);
    }
    println!("eight keys, a handler that waits {WAIT:?}: {envelopes} envelopes, {runs} runs\n");
    print!("{table}");
    Ok(())
}

/// The wall time an envelope, in microseconds.
fn run(flavor: Flavor, envelopes: u64, handlers: usize) -> Outcome<f64> {
    let runtime = flavor.runtime()?;
    let handled = Count::default();
    let count = handled.clone();
    let id = ProjectionId::new("benchmark", "all")?;
    let (source, store) = (Envelopes::of_eight(envelopes), MemoryStore::new());
    let projection = Projection::at_least_once(id, source, store, move || Waits(count.clone()))
        .with_mode(Mode::Current);
    let started = Instant::now();
    runtime.block_on(async {
        let runtime = ProjectionRuntime::new();
        let handle = if handlers == 1 {
            runtime.spawn(projection)?
        } else {
            let config = KeyedConfig {
                handlers,
                ..KeyedConfig::default()
            };
            runtime.spawn(projection.keyed(config, append_key))?
        };
        completed(handle).await
    })?;
    let elapsed = started.elapsed();
    match handled.handled() {
        count if count == envelopes => Ok(elapsed.as_secs_f64() * 1e6 / envelopes as f64),
        count => Err(format!("{count} of {envelopes} envelopes").into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_envelope_is_handled_however_many_handlers_there_are() {
        for handlers in [1, 8] {
            let micros = run(Flavor::Single, 16, handlers).unwrap();
            // Each of them waits; eight wait at once.
            assert!(micros >= 1_000.0 / handlers as f64, "{handlers}: {micros}");
        }
    }
}
