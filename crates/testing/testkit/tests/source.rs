//! A source does what a test tells it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]

use bytes::Bytes;
use futures::future::FutureExt;
use futures::stream::{Stream, StreamExt};
use projectionist_core::contract::{Mode, SourceProvider, StartPosition};
use projectionist_core::{Error, Offset, Result, SourceItem, Timestamp};
use projectionist_testkit::{Recorder, TestEnvelope, TestPosition, TestSource};

type Item<E> = SourceItem<TestEnvelope<E>, TestPosition>;

/// What the stream has at once, without any wait.
fn at_once<E>(stream: &mut (impl Stream<Item = Result<Item<E>>> + Unpin)) -> Vec<(u64, E)> {
    let mut seen = Vec::new();
    while let Some(Some(item)) = stream.next().now_or_never() {
        match item.unwrap() {
            SourceItem::Envelope(envelope) => seen.push((envelope.position.0, envelope.event)),
            SourceItem::Malformed(malformed) => panic!("{malformed:?}"),
        }
    }
    seen
}

fn at(unix_millis: i64) -> Timestamp {
    Timestamp::from_unix_millis(unix_millis)
}

#[tokio::test]
async fn nothing_is_delivered_before_it_is_requested() {
    let source = TestSource::of(["a", "b", "c"]);
    let pace = source.manual_pace();
    let mut stream = source.open(None, Mode::Live).await.unwrap();
    assert_eq!(at_once(&mut stream), []);

    pace.request_one();
    assert_eq!(pace.outstanding(), 1);
    assert_eq!(at_once(&mut stream), [(1, "a")]);
    assert_eq!(pace.outstanding(), 0);

    pace.request(5);
    assert_eq!(at_once(&mut stream), [(2, "b"), (3, "c")]);
    assert_eq!(pace.outstanding(), 3);
    source.push("d");
    assert_eq!(at_once(&mut stream), [(4, "d")]);
}

#[tokio::test]
async fn a_request_wakes_the_stream_that_waits() {
    let source = TestSource::of(["a"]);
    let pace = source.manual_pace();
    let mut stream = source.open(None, Mode::Live).await.unwrap();
    let reader = tokio::spawn(async move { stream.next().await.unwrap().unwrap() });
    tokio::task::yield_now().await;
    pace.request_one();
    pace.all_delivered().await;
    let SourceItem::Envelope(envelope) = reader.await.unwrap() else {
        panic!("an envelope");
    };
    assert_eq!(envelope.event, "a");
}

#[tokio::test]
async fn demand_outlives_the_stream() {
    let source = TestSource::of(["a", "b", "c"]);
    let pace = source.manual_pace();
    pace.request(2);
    let mut first = source.open(None, Mode::Live).await.unwrap();
    assert!(first.next().await.is_some());
    drop(first);
    let from = Some(TestPosition(1));
    let mut second = source.open(from, Mode::Live).await.unwrap();
    assert_eq!(at_once(&mut second), [(2, "b")]);
    assert_eq!(source.manual_pace().outstanding(), 0);
}

#[tokio::test]
async fn a_paced_stream_ends_without_demand_but_not_before_its_items() {
    let source = TestSource::of(["a"]);
    let pace = source.manual_pace();
    let mut stream = source.open(None, Mode::Current).await.unwrap();
    assert!(stream.next().now_or_never().is_none());
    pace.request(u64::MAX);
    assert!(stream.next().await.is_some());
    assert_eq!(pace.outstanding(), u64::MAX);
    assert!(stream.next().await.is_none());
}

#[tokio::test]
async fn an_event_is_decoded_by_its_position_and_its_bytes() {
    let source = TestSource::of(["one", "two"]);
    let envelope = TestEnvelope::at(2, "two");
    let mut bytes = Vec::new();
    source.encode(&envelope, &mut bytes);
    assert_eq!(bytes, br#""two""#);
    let bytes = Bytes::from(bytes);
    assert_eq!(source.decode(TestPosition(2), &bytes), Ok(envelope));
    for (position, event) in [(1, bytes.clone()), (3, bytes), (2, Bytes::from("two"))] {
        let decoded = source.decode(TestPosition(position), &event);
        let reason = decoded.expect_err("another event");
        assert!(reason.contains(&position.to_string()), "{reason}");
    }
}

#[tokio::test]
async fn entities_are_numbered_each_from_one() {
    let source = TestSource::of([0]);
    for (persistence_id, event) in [("a", 1), ("b", 2), ("a", 3), ("entity", 4)] {
        source.push_for(persistence_id, event);
    }
    let stream = source.open(None, Mode::Current).await.unwrap();
    let items: Vec<_> = stream.map(|item| item.unwrap()).collect().await;
    let places = items.iter().map(|item| match item {
        SourceItem::Envelope(one) => (
            one.position.0,
            one.persistence_id.as_str(),
            one.sequence_number,
        ),
        SourceItem::Malformed(malformed) => panic!("{malformed:?}"),
    });
    let expected = [
        (1, "entity", 1),
        (2, "a", 1),
        (3, "b", 1),
        (4, "a", 2),
        (5, "entity", 2),
    ];
    assert_eq!(places.collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn a_start_at_a_time_is_before_its_first_event() {
    let source = TestSource::of([10, 20]).with_created_at(|event| at(*event));
    source.push_malformed("no JSON", b"{");
    source.push(15);
    source.push_envelope(TestEnvelope::at(5, 99).with_created_at(at(30)));
    let mut starts = Vec::new();
    for time in [9, 10, 11, 20, 21, 30, 31] {
        let start = StartPosition::Timestamp(at(time));
        starts.push(source.resolve_start(&start).await.unwrap().map(|it| it.0));
    }
    let behind = Some;
    let expected = [
        None,
        None,
        behind(1),
        behind(1),
        behind(4),
        behind(4),
        behind(5),
    ];
    assert_eq!(starts, expected);
    let own = TestEnvelope::at(1, 7).with_created_at(at(5));
    assert_eq!(source.created_at(&own), Some(at(5)));
    assert_eq!(
        TestSource::of([7]).created_at(&TestEnvelope::at(1, 7)),
        None
    );
}

#[tokio::test]
async fn events_without_a_time_are_of_no_time() {
    let source = TestSource::of(["a", "b"]);
    let start = StartPosition::Timestamp(at(i64::MIN));
    let start = source.resolve_start(&start).await.unwrap();
    assert_eq!(start, Some(TestPosition(2)));
}

#[tokio::test]
async fn other_starts_are_resolved_too() {
    let source = TestSource::of(["a", "b"]);
    let after = |manifest: &str| {
        let mut offset = Offset::of(&TestPosition(1));
        offset.manifest = manifest.to_owned().into();
        StartPosition::After(offset)
    };
    for (start, expected) in [
        (StartPosition::Earliest, None),
        (StartPosition::Latest, Some(2)),
        (after("test"), Some(1)),
    ] {
        let resolved = source.resolve_start(&start).await.unwrap();
        assert_eq!(resolved.map(|it| it.0), expected, "{start:?}");
    }
    let foreign = source.resolve_start(&after("file")).await;
    assert!(matches!(foreign, Err(Error::Configuration { .. })));
}

#[tokio::test]
async fn what_remains_is_what_stands_behind() {
    let source = TestSource::of(["a", "b", "c"]);
    source.push_malformed("no JSON", b"{");
    let mut remaining = Vec::new();
    for low in [None, Some(0), Some(1), Some(4), Some(9)] {
        let low = low.map(TestPosition);
        remaining.push(source.remaining(low.as_ref()).await.unwrap().unwrap());
    }
    assert_eq!(remaining, [4, 4, 3, 0, 0]);
}

#[tokio::test]
async fn a_source_vouches_until_it_refuses() {
    let recorder = Recorder::default();
    let source = TestSource::of(["a", "b"]).recorded_by(&recorder);
    let verify = async |position| source.verify(&TestPosition(position)).await;
    assert!(!source.verifies());
    source.refuse(2);
    assert!(source.verifies());
    assert!(verify(1).await.unwrap());
    assert!(!verify(2).await.unwrap());
    source.vouch_again(2);
    assert!(verify(2).await.unwrap());
    source.fail_next_verification("the coordinator is away");
    let error = verify(2).await.unwrap_err();
    assert!(error.is_retryable(), "{error}");
    assert!(verify(2).await.unwrap());
    let counts = [1, 2, 3].map(|position| source.verified(position));
    assert_eq!(counts, [1, 4, 0]);
    assert_eq!(recorder.count("verify 2"), 4);
    assert!(TestSource::of(["a"]).verifying().verifies());
}
