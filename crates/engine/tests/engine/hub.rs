//! Several projections that share one pass over a source.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::random::{Random, seed};
use crate::common::{SteeredStore, is_opened, millis, numbers, secs, steady_restarts};
use bytes::Bytes;
use futures::future::FutureExt;
use futures::stream::{BoxStream, StreamExt};
use projectionist_core::contract::{Mode, OffsetStore, SourceProvider};
use projectionist_core::{Counters, ProjectionId, Result, SourceItem};
use projectionist_engine::{
    Completion, Hub, HubConfig, HubSource, Projection, ProjectionHandle, ProjectionRuntime,
    SaveConfig,
};
use projectionist_testkit::{Recorder, TestEnvelope, TestPosition, TestSource, eventually, pass};

/// A source that counts what is decoded of it, and whose envelopes cannot be cloned.
struct Counted {
    source: TestSource<u64>,
    decoded: Arc<AtomicUsize>,
}

type Item<E> = SourceItem<E, TestPosition>;

impl Counted {
    fn over(source: &TestSource<u64>) -> (Self, Arc<AtomicUsize>) {
        let decoded = Arc::new(AtomicUsize::new(0));
        let counted = Self {
            source: source.clone(),
            decoded: Arc::clone(&decoded),
        };
        (counted, decoded)
    }
}

struct Unique(TestEnvelope<u64>);

impl SourceProvider for Counted {
    type Envelope = Unique;
    type Position = TestPosition;
    type Stream = BoxStream<'static, Result<Item<Unique>>>;

    async fn open(&self, from: Option<TestPosition>, mode: Mode) -> Result<Self::Stream> {
        let decoded = Arc::clone(&self.decoded);
        let items = self.source.open(from, mode).await?.map(move |item| {
            decoded.fetch_add(1, Ordering::SeqCst);
            item.map(|item| match item {
                SourceItem::Envelope(envelope) => SourceItem::Envelope(Unique(envelope)),
                SourceItem::Malformed(malformed) => SourceItem::Malformed(malformed),
            })
        });
        Ok(items.boxed())
    }
    fn position(&self, envelope: &Unique) -> TestPosition {
        envelope.0.position
    }
    fn encode(&self, envelope: &Unique, out: &mut Vec<u8>) {
        self.source.encode(&envelope.0, out);
    }
    fn decode(&self, position: TestPosition, event: &Bytes) -> Result<Unique, String> {
        self.source.decode(position, event).map(Unique)
    }
}

fn config() -> HubConfig {
    HubConfig {
        max_records: 16,
        ..HubConfig::default()
    }
}

fn at(position: u64) -> Option<TestPosition> {
    Some(TestPosition(position))
}

fn text<E>(item: Result<Item<E>>, position: impl Fn(&E) -> u64) -> String {
    match item {
        Ok(SourceItem::Envelope(envelope)) => position(&envelope).to_string(),
        Ok(SourceItem::Malformed(malformed)) => format!("malformed {}", malformed.position.0),
        Err(error) => format!("error {error}"),
    }
}

fn shared(item: Result<Item<Arc<Unique>>>) -> String {
    text(item, |envelope| envelope.0.position.0)
}

type SharedStream = BoxStream<'static, Result<Item<Arc<Unique>>>>;

/// The next records, of which there must be so many.
async fn take(stream: &mut SharedStream, count: usize) -> Vec<String> {
    let taken: Vec<_> = stream.by_ref().take(count).collect().await;
    taken.into_iter().map(shared).collect()
}

fn texts(range: impl IntoIterator<Item = u64>) -> Vec<String> {
    range.into_iter().map(|number| number.to_string()).collect()
}

/// Opens both at once, as projections that are spawned together do.
async fn open_both(
    hub: &Hub<Counted>,
    from: [Option<TestPosition>; 2],
    mode: Mode,
) -> ([HubSource<Counted>; 2], [SharedStream; 2]) {
    let sources = [hub.subscribe(), hub.subscribe()];
    let [first, second] = from;
    let opened = tokio::join!(sources[0].open(first, mode), sources[1].open(second, mode));
    (sources, [opened.0.unwrap(), opened.1.unwrap()])
}

#[tokio::test(start_paused = true)]
async fn several_share_one_pass_from_the_lowest_position() {
    let source = TestSource::of(numbers(10));
    source.push_malformed("no JSON", b"{");
    let (counted, decoded) = Counted::over(&source);
    let hub = Hub::new(counted, config());
    let (_sources, [mut low, mut high]) = open_both(&hub, [at(2), at(6)], Mode::Live).await;
    let mut expected = texts(3..=10);
    expected.push("malformed 11".to_owned());
    assert_eq!(take(&mut low, 9).await, expected);
    assert_eq!(take(&mut high, 5).await, expected[4..]);
    source.push(12);
    assert_eq!(take(&mut high, 1).await, ["12"]);
    assert_eq!(take(&mut low, 1).await, ["12"]);
    assert!(low.next().now_or_never().is_none(), "it is followed");
    assert_eq!(source.opened_behind(), [Some(2)]);
    assert_eq!(decoded.load(Ordering::SeqCst), 10, "once for both");
}

#[tokio::test(start_paused = true)]
async fn a_pass_waits_a_while_for_those_who_subscribed() {
    let source = TestSource::of(numbers(4));
    let (counted, _) = Counted::over(&source);
    let hub = Hub::new(counted, config());
    let (first, _second) = (hub.subscribe(), hub.subscribe());
    let began = tokio::time::Instant::now();
    let mut stream = first.open(at(1), Mode::Live).await.unwrap();
    assert_eq!(began.elapsed(), config().gather_for);
    assert_eq!(take(&mut stream, 3).await, texts(2..=4));
    drop(_second);
    drop(stream);
    let began = tokio::time::Instant::now();
    let _stream = first.open(at(1), Mode::Live).await.unwrap();
    assert_eq!(began.elapsed(), millis(0), "there is nobody to wait for");
}

#[tokio::test(start_paused = true)]
async fn an_inclusive_source_gives_its_boundary_once_and_only_first() {
    let source = TestSource::of(numbers(40)).inclusive();
    let (counted, _) = Counted::over(&source);
    let hub = Hub::new(counted, config());
    let (_sources, [mut low, mut high]) = open_both(&hub, [at(2), at(6)], Mode::Live).await;
    let first = take(&mut low, 14).await;
    assert_eq!(first, texts(2..=15), "as the source alone does");
    assert_eq!(take(&mut high, 3).await, texts(7..=9));
    // One that falls behind opens the source anew, and does not hear its boundary again.
    let rest = take(&mut low, 25).await;
    assert_eq!(rest, texts(16..=40));
    assert_eq!(take(&mut high, 31).await, texts(10..=40));
}

#[tokio::test(start_paused = true)]
async fn a_laggard_leaves_and_joins_again_when_it_has_caught_up() {
    let source = TestSource::of(numbers(100));
    let (counted, decoded) = Counted::over(&source);
    let hub = Hub::new(counted, config());
    let (_sources, [mut fast, mut slow]) = open_both(&hub, [None, None], Mode::Live).await;
    assert_eq!(take(&mut slow, 3).await, texts(1..=3));
    let began = tokio::time::Instant::now();
    assert_eq!(take(&mut fast, 100).await, texts(1..=100));
    let held_up = began.elapsed();
    assert!(held_up <= config().laggard_after + millis(1), "{held_up:?}");
    assert_eq!(source.opened(), 1);
    assert_eq!(take(&mut slow, 97).await, texts(4..=100));
    assert_eq!(source.opened(), 2, "it read alone");
    // It has caught up: from here on both share again.
    assert!(slow.next().now_or_never().is_none());
    let before = decoded.load(Ordering::SeqCst);
    (101..=110).for_each(|event| source.push(event));
    assert_eq!(take(&mut slow, 10).await, texts(101..=110));
    assert_eq!(take(&mut fast, 10).await, texts(101..=110));
    assert_eq!(decoded.load(Ordering::SeqCst) - before, 10, "once for both");
    assert_eq!(source.opened(), 2);
}

#[tokio::test(start_paused = true)]
async fn one_that_holds_up_nobody_is_waited_for() {
    let source = TestSource::of(numbers(100));
    let (counted, _) = Counted::over(&source);
    let hub = Hub::new(counted, config());
    let alone = hub.subscribe();
    let mut stream = alone.open(None, Mode::Live).await.unwrap();
    assert_eq!(take(&mut stream, 1).await, ["1"]);
    pass(secs(60)).await;
    assert_eq!(take(&mut stream, 99).await, texts(2..=100));
    assert_eq!(source.opened(), 1);
}

#[tokio::test(start_paused = true)]
async fn one_that_comes_later_from_behind_reads_alone_until_they_meet() {
    let source = TestSource::of(numbers(100));
    let (counted, decoded) = Counted::over(&source);
    let hub = Hub::new(counted, config());
    let early = hub.subscribe();
    let mut ahead = early.open(at(80), Mode::Live).await.unwrap();
    assert_eq!(take(&mut ahead, 20).await, texts(81..=100));
    let late = hub.subscribe();
    let mut behind = late.open(at(5), Mode::Live).await.unwrap();
    assert_eq!(source.opened_behind(), [Some(80), Some(5)]);
    assert_eq!(take(&mut behind, 95).await, texts(6..=100));
    assert!(behind.next().now_or_never().is_none());
    // One that comes later near the end joins at once, also ahead of what was read.
    let near = hub.subscribe();
    let mut joined = near.open(at(98), Mode::Live).await.unwrap();
    assert_eq!(take(&mut joined, 2).await, texts(99..=100));
    let before = decoded.load(Ordering::SeqCst);
    source.push(101);
    for stream in [&mut ahead, &mut behind, &mut joined] {
        assert_eq!(take(stream, 1).await, ["101"]);
    }
    assert_eq!(decoded.load(Ordering::SeqCst) - before, 1);
    assert_eq!(source.opened(), 2);
}

#[tokio::test(start_paused = true)]
async fn to_the_present_end_each_gets_an_end_of_its_own() {
    let source = TestSource::of(numbers(20));
    let (counted, decoded) = Counted::over(&source);
    let hub = Hub::new(counted, config());
    let (_sources, [mut first, mut second]) = open_both(&hub, [None, at(3)], Mode::Current).await;
    let late = hub.subscribe();
    let mut late = late.open(at(1), Mode::Current).await.unwrap();
    let rest = async |stream: &mut SharedStream| {
        let items: Vec<_> = stream.by_ref().collect().await;
        items.into_iter().map(shared).collect::<Vec<_>>()
    };
    let (first, second) = tokio::join!(rest(&mut first), rest(&mut second));
    assert_eq!(first, texts(1..=20));
    assert_eq!(second, texts(4..=20));
    source.push(21);
    let late = rest(&mut late).await;
    assert_eq!(late[..19], texts(2..=20));
    assert!(late.len() >= 19);
    assert!(decoded.load(Ordering::SeqCst) <= 42);
}

#[tokio::test(start_paused = true)]
async fn a_failure_of_the_source_reaches_everyone_behind_what_was_read() {
    let source = TestSource::of(numbers(5));
    source.fail_behind(5, "the disk is away");
    let (counted, _) = Counted::over(&source);
    let hub = Hub::new(counted, config());
    let (sources, [mut first, mut second]) = open_both(&hub, [None, at(2)], Mode::Live).await;
    let mut expected = texts(1..=5);
    expected.push("error cannot read the test source: the disk is away".to_owned());
    assert_eq!(take(&mut first, 6).await, expected);
    assert_eq!(take(&mut second, 4).await, expected[2..]);
    assert!(first.next().await.is_none());
    drop((first, second));
    source.fail_next_open("no such file");
    let both = tokio::join!(
        sources[0].open(at(5), Mode::Live),
        sources[1].open(None, Mode::Live)
    );
    for opened in [both.0.map(drop), both.1.map(drop)] {
        let error = opened.unwrap_err();
        assert!(error.is_retryable());
        assert!(error.to_string().contains("no such file"), "{error}");
    }
    source.panic_behind(5);
    let mut first = sources[0].open(at(5), Mode::Live).await.unwrap();
    let told = take(&mut first, 1).await;
    assert!(told[0].contains("panic"), "{told:?}");
    // Opened anew it goes on.
    drop(first);
    source.push(6);
    let mut first = sources[0].open(at(5), Mode::Live).await.unwrap();
    assert_eq!(take(&mut first, 1).await, ["6"]);
}

#[tokio::test(start_paused = true)]
async fn one_that_reads_alone_begins_a_pass_when_the_other_is_over() {
    let source = TestSource::of(numbers(60));
    let (counted, decoded) = Counted::over(&source);
    let hub = Hub::new(counted, config());
    let early = hub.subscribe();
    let mut ahead = early.open(at(59), Mode::Live).await.unwrap();
    assert_eq!(take(&mut ahead, 1).await, ["60"]);
    let late = hub.subscribe();
    let mut behind = late.open(None, Mode::Live).await.unwrap();
    assert_eq!(take(&mut behind, 10).await, texts(1..=10));
    source.fail_behind(60, "the disk is away");
    assert!(take(&mut ahead, 1).await[0].contains("the disk is away"));
    drop(ahead);
    assert_eq!(take(&mut behind, 50).await, texts(11..=60), "undisturbed");
    assert!(behind.next().now_or_never().is_none());
    let mut ahead = early.open(at(58), Mode::Live).await.unwrap();
    assert_eq!(take(&mut ahead, 2).await, texts(59..=60));
    pass(secs(1)).await;
    let before = decoded.load(Ordering::SeqCst);
    source.push(61);
    assert_eq!(take(&mut behind, 1).await, ["61"]);
    assert_eq!(take(&mut ahead, 1).await, ["61"]);
    assert!(decoded.load(Ordering::SeqCst) - before <= 2);
    source.push(62);
    assert_eq!(take(&mut behind, 1).await, ["62"]);
    assert_eq!(take(&mut ahead, 1).await, ["62"]);
}

#[tokio::test(start_paused = true)]
async fn the_pass_ends_when_nobody_reads_it() {
    let source = TestSource::of([]);
    let lost = Arc::new(());
    struct Watched(TestSource<u64>, Arc<()>);
    impl SourceProvider for Watched {
        type Envelope = TestEnvelope<u64>;
        type Position = TestPosition;
        type Stream = BoxStream<'static, Result<Item<TestEnvelope<u64>>>>;
        async fn open(&self, from: Option<TestPosition>, mode: Mode) -> Result<Self::Stream> {
            let open = Arc::clone(&self.1);
            let items = self.0.open(from, mode).await?;
            Ok(items.inspect(move |_| drop(Arc::clone(&open))).boxed())
        }
        fn position(&self, envelope: &TestEnvelope<u64>) -> TestPosition {
            envelope.position
        }
        fn encode(&self, envelope: &TestEnvelope<u64>, out: &mut Vec<u8>) {
            self.0.encode(envelope, out);
        }
        fn decode(&self, at: TestPosition, event: &Bytes) -> Result<TestEnvelope<u64>, String> {
            self.0.decode(at, event)
        }
    }
    let hub = Hub::new(Watched(source, Arc::clone(&lost)), config());
    let (one, other) = (hub.subscribe(), hub.subscribe());
    let both = tokio::join!(one.open(None, Mode::Live), other.open(None, Mode::Live));
    let open = || Arc::strong_count(&lost) > 2;
    assert!(open());
    drop(both.0);
    pass(millis(1)).await;
    assert!(open(), "one still reads");
    drop(both.1);
    pass(millis(1)).await;
    assert!(!open());
}

/// What three projections over one hub are.
struct Subscriber {
    id: ProjectionId,
    recorder: Recorder<u64>,
    handle: Option<ProjectionHandle>,
}

fn spawn(hub: &Hub<TestSource<u64>>, store: &SteeredStore, one: &Subscriber) -> ProjectionHandle {
    let recorder = one.recorder.clone();
    let factory = move || Unshared(recorder.handler());
    let projection =
        Projection::at_least_once(one.id.clone(), hub.subscribe(), store.clone(), factory)
            .with_save(SaveConfig {
                after_envelopes: 5,
                ..SaveConfig::default()
            })
            .with_restart(steady_restarts());
    ProjectionRuntime::new().spawn(projection).unwrap()
}

/// Hands what is shared to a handler of the kit.
struct Unshared(projectionist_testkit::RecordingHandler<u64>);

impl projectionist_core::contract::Handler<Arc<TestEnvelope<u64>>> for Unshared {
    async fn process(
        &mut self,
        envelope: &Arc<TestEnvelope<u64>>,
        context: &projectionist_core::contract::Context<'_>,
    ) -> projectionist_core::contract::HandlerResult {
        self.0.process(envelope, context).await
    }
}

fn subscriber(number: usize) -> Subscriber {
    Subscriber {
        id: ProjectionId::new("orders", number.to_string()).unwrap(),
        recorder: Recorder::default(),
        handle: None,
    }
}

#[tokio::test(start_paused = true)]
async fn a_failing_projection_disturbs_no_other() {
    let source = TestSource::of(numbers(30));
    let hub = Hub::new(source.clone(), config());
    let store = SteeredStore::default();
    let subscribers = [subscriber(0), subscriber(1)];
    subscribers[0].recorder.fail_at(7, 3);
    let handles = [0, 1].map(|index| spawn(&hub, &store, &subscribers[index]));
    subscribers[1].recorder.has_handled(30).await;
    assert_eq!(subscribers[1].recorder.count("created"), 1, "no restart");
    subscribers[0].recorder.has_handled(30).await;
    assert_eq!(subscribers[0].recorder.count("created"), 4);
    assert_eq!(subscribers[0].recorder.handled(), numbers(30));
    for handle in handles {
        assert_eq!(handle.stop_and_wait().await.unwrap(), Completion::Stopped);
    }
    is_opened(&source, 1).await;
}

/// Random speeds, restarts, stops and joins: each handles what the source alone would give it, in
/// order, and nothing twice that was saved.
#[test]
fn each_sees_what_it_would_see_alone() {
    let seed = seed();
    println!("seed: {seed} (again: PROJECTIONIST_SEED={seed})");
    for number in 0..60 {
        let seed = seed.wrapping_add(number);
        println!("seed {seed}");
        crate::common::crash::lives(play(seed));
    }
}

async fn play(seed: u64) {
    let mut random = Random::seeded(seed);
    let source = TestSource::of(numbers(random.within(0..=60)));
    let source = if random.once_in(2) {
        source.inclusive()
    } else {
        source
    };
    let config = HubConfig {
        max_records: usize::try_from(random.within(1..=24)).unwrap(),
        laggard_after: millis(random.within(1..=400)),
        gather_for: millis(random.within(0..=200)),
        ..HubConfig::default()
    };
    let hub = Hub::new(source.clone(), config);
    let store = SteeredStore::default();
    let mut subscribers: Vec<_> = (0..4).map(subscriber).collect();
    let mut last = source.remaining(None).await.unwrap().unwrap();
    for _ in 0..random.within(5..=40) {
        let index = usize::try_from(random.within(0..=3)).unwrap();
        let one = &mut subscribers[index];
        match random.within(0..=9) {
            0..=3 => {
                for _ in 0..random.within(1..=20) {
                    last += 1;
                    source.push(last);
                }
            }
            4 | 5 if one.handle.is_none() => one.handle = Some(spawn(&hub, &store, one)),
            4 | 5 => {
                if let Some(handle) = one.handle.take() {
                    (1..=last).for_each(|position| one.recorder.release(position));
                    handle.stop_and_wait().await.unwrap();
                }
            }
            6 => one.recorder.hold_at(random.within(1..=last.max(1) + 5)),
            7 => (1..=last + 5).for_each(|position| one.recorder.release(position)),
            8 => one.recorder.fail_at(random.within(1..=last.max(1) + 5), 1),
            _ if random.once_in(2) => source.fail_behind(random.within(1..=last.max(1)), "away"),
            _ => {}
        }
        pass(millis(random.within(0..=700))).await;
    }
    for one in &mut subscribers {
        (1..=last + 5).for_each(|position| one.recorder.release(position));
        if one.handle.is_none() {
            one.handle = Some(spawn(&hub, &store, one));
        }
    }
    for one in &subscribers {
        let expected = Counters {
            read: last,
            applied: last,
            ..Counters::ZERO
        };
        eventually("everything is settled", async || {
            pass(millis(200)).await;
            let row = store.lane(&one.id).await.unwrap();
            row.unwrap_or_default().counters == expected
        })
        .await;
        // No crash: everything is saved before a restart, so nothing comes twice.
        assert_eq!(one.recorder.handled(), numbers(last), "{}", one.id);
    }
}
