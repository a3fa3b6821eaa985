//! Stateful handlers: what a failed attempt did to the state is never seen.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use projectionist_core::BoxError;
use projectionist_core::contract::{Context, HandlerResult, Mode, StatefulHandler};
use projectionist_engine::handlers::{Stateful, stateful};
use projectionist_engine::{
    Completion, LossRecovery, Projection, ProjectionHandle, ProjectionRuntime, Recovery, RetryDelay,
};
use projectionist_store_memory::MemoryStore;
use projectionist_testkit::{TestEnvelope, TestSource};

use crate::common::{applied, id, lane, no_restart, secs, steady_restarts};

type Word = TestEnvelope<&'static str>;
type Counts = BTreeMap<&'static str, u64>;

/// What a planned attempt does after it has counted the word and before it has stored that.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    Fails,
    Panics,
    Hangs,
}

/// Where the counts are stored, what is planned, and what was called.
#[derive(Clone, Default)]
struct Repository(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    stored: Counts,
    faults: Vec<(u64, Fault)>,
    loads_to_fail: usize,
    calls: Vec<String>,
}

impl Repository {
    fn plan(&self, position: u64, fault: Fault) {
        self.0.lock().unwrap().faults.push((position, fault));
    }

    fn calls(&self) -> String {
        self.0.lock().unwrap().calls.join(" ")
    }

    fn stored(&self) -> Counts {
        self.0.lock().unwrap().stored.clone()
    }

    fn handler(&self) -> Stateful<Word, WordCount> {
        stateful(WordCount(self.clone()))
    }
}

/// Counts words: adds to the count that it was handed, and stores the sum. So a state that a failed
/// attempt left behind shows as a count too high.
struct WordCount(Repository);

impl StatefulHandler<Word> for WordCount {
    type State = Counts;

    async fn initial_state(&mut self) -> Result<Counts, BoxError> {
        let mut state = self.0.0.lock().unwrap();
        state.calls.push("load".to_owned());
        if state.loads_to_fail > 0 {
            state.loads_to_fail -= 1;
            return Err("the repository is away".into());
        }
        Ok(state.stored.clone())
    }

    async fn process(
        &mut self,
        mut counts: Counts,
        word: &Word,
        _: &Context<'_>,
    ) -> Result<Counts, BoxError> {
        let position = word.position.0;
        let count = counts.entry(word.event).or_default();
        *count += 1;
        let count = *count;
        let fault = {
            let mut state = self.0.0.lock().unwrap();
            state.calls.push(position.to_string());
            let index = state.faults.iter().position(|(at, _)| *at == position);
            index.map(|index| state.faults.remove(index).1)
        };
        match fault {
            Some(Fault::Fails) => return Err("as planned".into()),
            Some(Fault::Panics) => panic!("as planned"),
            Some(Fault::Hangs) => std::future::pending().await,
            None => {}
        }
        self.0.0.lock().unwrap().stored.insert(word.event, count);
        Ok(counts)
    }

    async fn stop(&mut self) -> HandlerResult {
        self.0.0.lock().unwrap().calls.push("stop".to_owned());
        Ok(())
    }
}

const WORDS: [&str; 6] = ["abc", "def", "abc", "abc", "def", "ghi"];

/// The counts of these words.
fn fold<'a>(words: impl IntoIterator<Item = &'a &'static str>) -> Counts {
    let mut counts = Counts::new();
    for word in words {
        *counts.entry(word).or_default() += 1;
    }
    counts
}

fn retries(retries: u32) -> Recovery {
    let delay = RetryDelay::Fixed(Duration::ZERO);
    Recovery::RetryAndFail { retries, delay }
}

fn at_least_once(
    repository: &Repository,
    store: &MemoryStore,
    recovery: Recovery,
) -> ProjectionHandle {
    let repository = repository.clone();
    let factory = move || repository.handler();
    let projection = Projection::at_least_once(id(), TestSource::of(WORDS), store.clone(), factory)
        .with_mode(Mode::Current)
        .with_restart(steady_restarts())
        .with_handler_timeout(secs(1))
        .with_recovery(recovery);
    ProjectionRuntime::new().spawn(projection).unwrap()
}

#[tokio::test(start_paused = true)]
async fn fact_37_the_state_is_loaded_once_and_handed_on() {
    let (repository, store) = (Repository::default(), MemoryStore::new());
    let running = at_least_once(&repository, &store, Recovery::Fail);
    assert_eq!(running.wait().await.unwrap(), Completion::Completed);
    assert_eq!(repository.calls(), "load 1 2 3 4 5 6 stop");
    assert_eq!(repository.stored(), fold(&WORDS));
    assert_eq!(lane(&store).await.counters, applied(6));
}

#[tokio::test(start_paused = true)]
async fn fact_37_the_state_is_loaded_afresh_before_the_attempt_that_follows_a_failed_one() {
    for (fault, calls) in [
        (Fault::Fails, "load 1 2 3 4 load 4 5 6 stop"),
        (Fault::Panics, "load 1 2 3 4 load 4 5 6 stop"),
        (Fault::Hangs, "load 1 2 3 4 load 4 5 6 stop"),
    ] {
        let (repository, store) = (Repository::default(), MemoryStore::new());
        repository.plan(4, fault);
        let running = at_least_once(&repository, &store, retries(1));
        running.wait().await.unwrap();
        assert_eq!(repository.calls(), calls, "{fault:?}");
        assert_eq!(repository.stored(), fold(&WORDS), "{fault:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_state_is_loaded_afresh_before_the_envelope_that_follows_a_skipped_one() {
    for fault in [Fault::Fails, Fault::Panics, Fault::Hangs] {
        let (repository, store) = (Repository::default(), MemoryStore::new());
        repository.plan(3, fault);
        let running = at_least_once(&repository, &store, Recovery::Skip);
        running.wait().await.unwrap();
        let expected = fold(WORDS[..2].iter().chain(&WORDS[3..]));
        assert_eq!(repository.stored(), expected, "{fault:?}");
        assert_eq!(repository.calls(), "load 1 2 3 load 4 5 6 stop");
    }
}

#[tokio::test(start_paused = true)]
async fn the_state_is_loaded_afresh_by_the_run_that_follows_a_failed_one() {
    let (repository, store) = (Repository::default(), MemoryStore::new());
    repository.plan(4, Fault::Fails);
    let running = at_least_once(&repository, &store, Recovery::Fail);
    running.wait().await.unwrap();
    assert_eq!(repository.calls(), "load 1 2 3 4 stop load 4 5 6 stop");
    assert_eq!(repository.stored(), fold(&WORDS));
}

#[tokio::test(start_paused = true)]
async fn a_state_that_cannot_be_loaded_fails_the_run_and_later_the_attempt() {
    let (repository, store) = (Repository::default(), MemoryStore::new());
    repository.0.lock().unwrap().loads_to_fail = 1;
    let running = at_least_once(&repository, &store, retries(2));
    running.wait().await.unwrap();
    assert_eq!(repository.calls(), "load load 1 2 3 4 5 6 stop");

    let (repository, store) = (Repository::default(), MemoryStore::new());
    repository.plan(2, Fault::Fails);
    let projection = {
        let repository = repository.clone();
        let delay = RetryDelay::Fixed(secs(1));
        let away = repository.clone();
        Projection::at_least_once(id(), TestSource::of(WORDS), store.clone(), move || {
            repository.handler()
        })
        .with_mode(Mode::Current)
        .with_restart(no_restart())
        .with_recovery(Recovery::RetryAndFail { retries: 2, delay })
        .on_failure(move |failed| {
            away.0.lock().unwrap().loads_to_fail = usize::from(failed.attempt == 1);
        })
    };
    let running = ProjectionRuntime::new().spawn(projection).unwrap();
    running.wait().await.unwrap();
    assert_eq!(repository.calls(), "load 1 2 load load 2 3 4 5 6 stop");
    assert_eq!(repository.stored(), fold(&WORDS));
}

#[tokio::test(start_paused = true)]
async fn at_most_once_loads_the_state_afresh_behind_what_it_lost() {
    for fault in [Fault::Fails, Fault::Panics, Fault::Hangs] {
        let (repository, store) = (Repository::default(), MemoryStore::new());
        repository.plan(4, fault);
        let factory = {
            let repository = repository.clone();
            move || repository.handler()
        };
        let projection =
            Projection::at_most_once(id(), TestSource::of(WORDS), store.clone(), factory)
                .with_mode(Mode::Current)
                .with_handler_timeout(secs(1))
                .with_recovery(LossRecovery::Skip);
        let running = ProjectionRuntime::new().spawn(projection).unwrap();
        running.wait().await.unwrap();
        let expected = fold(WORDS[..3].iter().chain(&WORDS[4..]));
        assert_eq!(repository.stored(), expected, "{fault:?}");
        assert_eq!(repository.calls(), "load 1 2 3 4 load 5 6 stop");
    }
}
