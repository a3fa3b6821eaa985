//! Parked envelopes that are given up: dropped by the handler, or not vouched for any more.

use projectionist_core::contract::{Context, DeadLetterStore, Settlement, SettlingHandler};
use projectionist_core::{BoxError, Counters};
use projectionist_engine::{Projection, ProjectionRuntime};
use projectionist_testkit::{TestEnvelope, eventually, pass};

use crate::common::grouped::letters_of;
use crate::common::{id, millis, secs};
use crate::parking::world::{BOTH, World, mended};

/// Asks for `retry` at the first event: first by an error, then after 10 s, then drops it.
struct Settler;

impl SettlingHandler<TestEnvelope<u64>> for Settler {
    async fn process(
        &mut self,
        envelope: &TestEnvelope<u64>,
        context: &Context<'_>,
    ) -> Result<Settlement, BoxError> {
        Ok(match (envelope.event, context.attempt) {
            (1, 1) => return Err("not yet".into()),
            (1, 2) => Settlement::RetryAfter {
                delay: secs(10),
                reason: "closed".to_owned(),
            },
            (1, _) => Settlement::Drop {
                reason: "never".to_owned(),
            },
            _ => Settlement::Ack,
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_settling_handler_delays_and_drops_what_is_parked() {
    let world = World::of("ab");
    let projection =
        Projection::settled_at_least_once(id(), world.source.clone(), world.store.clone(), || {
            Settler
        })
        .keeping_dead_letters()
        .parking(world.config, |envelope, key| {
            key.push_str(&envelope.persistence_id);
        });
    let _handle = ProjectionRuntime::new().spawn(projection).unwrap();
    world.has_parked(1).await;
    eventually("it is tried again", async || {
        world.parked().await["a"] == [(1, 2)]
    })
    .await;
    pass(secs(10) - millis(10)).await;
    world.has_parked(1).await;
    pass(millis(20)).await;
    world.is_drained().await;
    let counters = world.counters().await;
    let expected = Counters {
        read: 2,
        applied: 1,
        dead_lettered: 1,
        parked_total: 1,
        unparked_total: 1,
        ..Counters::ZERO
    };
    assert_eq!(counters, expected);
    let letters = world
        .store
        .dead_letters(&letters_of("orders"))
        .await
        .unwrap();
    assert_eq!(letters.len(), 1);
    assert_eq!(letters[0].letter.attempts, 3);
}

#[tokio::test(start_paused = true)]
async fn what_the_source_does_not_vouch_for_any_more_is_let_go() {
    for guarantee in BOTH {
        let world = World::of("aba");
        world.source.vouch_again(1);
        let source = world.source.clone().verifying();
        world.recorder.fail_at(1, 1);
        let _handle = world.spawn(guarantee);
        world.has_parked(2).await;
        source.refuse(1);
        world.is_drained().await;
        assert_eq!(world.recorder.handled(), [2, 3], "{guarantee:?}");
        let counters = world.counters().await;
        let expected = Counters {
            applied: 2,
            skipped: 1,
            ..mended(3, 2)
        };
        assert_eq!(counters, expected, "{guarantee:?}");
    }
}
