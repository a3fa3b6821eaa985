//! Dead letters: kept once, read back whole.

use bytes::Bytes;
use projectionist_core::contract::{DeadLetterFilter, DeadLetterStore, OffsetStore};
use projectionist_core::{
    DeadLetter, DeadLetterId, DeadLetterOrigin, Defect, ErrorClass, Offset, Timestamp,
};

use crate::OffsetStoreHarness;
use crate::steps::{all_letters, keeping, lane, lane_named, letter, refused_twice, take};

const PROJECTION: DeadLetterOrigin = DeadLetterOrigin::Projection;
const SOURCE: DeadLetterOrigin = DeadLetterOrigin::Source;

const CLASSES: [ErrorClass; 6] = [
    ErrorClass::Envelope,
    ErrorClass::Data,
    ErrorClass::Tenant,
    ErrorClass::Schema,
    ErrorClass::Outage,
    ErrorClass::Handler,
];

/// S-LETTER-1: every class, fields that are there and not, texts and bytes of all kinds.
pub async fn a_letter_reads_back_as_written<H: OffsetStoreHarness>(harness: H) {
    let (store, second) = (harness.store(), harness.second_handle().await);
    let claim = take(&store, &lane(), "one").await;
    let hostile = "é 'quoted' \"so\"; DROP TABLE dead_letters; -- \\ \n \u{1f600}";
    let letters: Vec<DeadLetter> = CLASSES
        .into_iter()
        .enumerate()
        .map(|(index, class)| DeadLetter {
            origin: PROJECTION,
            offset: Offset {
                manifest: "m'1".into(),
                text: format!("{hostile}{index}"),
            },
            defect: Defect {
                class,
                error: hostile.to_owned(),
                field: (index % 2 == 0).then(|| hostile.to_owned()),
                value: (index % 3 == 0).then(String::new),
            },
            event: Bytes::from_iter((0..=u8::MAX).skip(index)),
            attempts: u32::MAX,
            first_failed_at: Timestamp::from_unix_millis(-7),
            failed_at: Timestamp::from_unix_millis(1_719_331_200_123),
        })
        .collect();
    store.commit(&claim, &keeping(&letters)).await.unwrap();
    let kept = all_letters(&harness.letters(&second)).await;
    assert_eq!(kept.len(), letters.len());
    for (kept, written) in kept.iter().zip(&letters) {
        assert_eq!(
            (kept.projection.as_str(), kept.key.as_str()),
            ("orders", "all")
        );
        assert_eq!(kept.letter, *written);
    }
}

/// S-LETTER-2: within one commit, in a later one, and under a later claim. Another format of the
/// position is another offset.
pub async fn the_first_letter_of_a_position_stays<H: OffsetStoreHarness>(harness: H) {
    let store = harness.store();
    let claim = take(&store, &lane(), "one").await;
    let first = letter(PROJECTION, "1", "first");
    let again = letter(PROJECTION, "1", "again");
    let other = letter(PROJECTION, "2", "other");
    let mut foreign = again.clone();
    foreign.offset.manifest = "another.v1".into();
    let commit = keeping(&[first.clone(), again.clone()]);
    store.commit(&claim, &commit).await.unwrap();
    store.release(&claim).await.unwrap();
    let claim = take(&store, &lane(), "two").await;
    let commit = keeping(&[again, other.clone(), foreign.clone()]);
    store.commit(&claim, &commit).await.unwrap();
    let kept: Vec<_> = all_letters(&harness.letters(&store))
        .await
        .into_iter()
        .map(|kept| kept.letter)
        .collect();
    assert_eq!(kept, [first, other, foreign]);
}

/// S-LETTER-3: however many projections read past the record.
pub async fn a_letter_of_the_source_is_kept_once<H: OffsetStoreHarness>(harness: H) {
    let store = harness.store();
    for name in ["orders", "totals"] {
        let claim = take(&store, &lane_named(name, "all"), "one").await;
        let letters = [letter(SOURCE, "1", name), letter(PROJECTION, "1", name)];
        store.commit(&claim, &keeping(&letters)).await.unwrap();
    }
    let other = take(&store, &lane_named("orders", "other"), "one").await;
    let commit = keeping(&[letter(SOURCE, "1", "other lane")]);
    store.commit(&other, &commit).await.unwrap();
    let kept = all_letters(&harness.letters(&store)).await;
    let kept: Vec<_> = kept
        .iter()
        .map(|kept| {
            let event = std::str::from_utf8(&kept.letter.event).unwrap();
            (
                kept.projection.as_str(),
                kept.key.as_str(),
                kept.letter.origin,
                event,
            )
        })
        .collect();
    let expected = [
        ("", "all", SOURCE, "orders"),
        ("orders", "all", PROJECTION, "orders"),
        ("totals", "all", PROJECTION, "totals"),
        ("", "other", SOURCE, "other lane"),
    ];
    assert_eq!(kept, expected);
}

/// S-LETTER-4.
pub async fn lanes_keep_their_letters_apart<H: OffsetStoreHarness>(harness: H) {
    let store = harness.store();
    let lanes = [
        ("a", "b-c"),
        ("a-b", "c"),
        ("a", "c"),
        ("b", "c"),
        ("A", "c"),
    ];
    for (name, key) in lanes {
        let claim = take(&store, &lane_named(name, key), "one").await;
        let commit = keeping(&[letter(PROJECTION, "1", "same")]);
        store.commit(&claim, &commit).await.unwrap();
    }
    let kept = all_letters(&harness.letters(&store)).await;
    let kept: Vec<_> = kept
        .iter()
        .map(|kept| (kept.projection.as_str(), kept.key.as_str()))
        .collect();
    assert_eq!(kept, lanes);
}

/// S-LETTER-5: the order of keeping, whatever the positions are; the limit takes the first ones.
pub async fn letters_are_filtered_and_limited_in_order<H: OffsetStoreHarness>(harness: H) {
    let store = harness.store();
    let orders = take(&store, &lane(), "one").await;
    let totals = take(&store, &lane_named("totals", "all"), "one").await;
    for (claim, positions) in [
        (&orders, ["9", "10"]),
        (&totals, ["3", "1"]),
        (&orders, ["5", "1"]),
    ] {
        let letters = positions.map(|position| letter(PROJECTION, position, "x"));
        store.commit(claim, &keeping(&letters)).await.unwrap();
    }
    let malformed = keeping(&[letter(SOURCE, "4", "x")]);
    store.commit(&totals, &malformed).await.unwrap();
    let cases: [(Option<&str>, usize, &[&str]); 8] = [
        (None, 100, &["9", "10", "3", "1", "5", "1", "4"]),
        (None, 3, &["9", "10", "3"]),
        (None, 0, &[]),
        (Some("orders"), 100, &["9", "10", "5", "1"]),
        (Some("orders"), 3, &["9", "10", "5"]),
        (Some("totals"), 1, &["3"]),
        (Some(""), 100, &["4"]),
        (Some("order"), 100, &[]),
    ];
    for (projection, limit, expected) in cases {
        let filter = DeadLetterFilter {
            projection: projection.map(ToOwned::to_owned),
            limit,
            ..DeadLetterFilter::default()
        };
        let letters = harness.letters(&store).dead_letters(&filter).await.unwrap();
        let positions: Vec<&str> = letters
            .iter()
            .map(|stored| stored.letter.offset.text.as_str())
            .collect();
        assert_eq!(positions, expected, "{filter:?}");
    }
}

/// S-LETTER-6: each part alone, two together, a name that is gone or was never given.
pub async fn every_part_of_a_filter_holds<H: OffsetStoreHarness>(harness: H) {
    let store = harness.store();
    let moments = [10, 20, 30, 20].map(Timestamp::from_unix_millis);
    let fields = [None, Some("total"), Some("name"), Some("total")];
    let classes = [
        ErrorClass::Data,
        ErrorClass::Tenant,
        ErrorClass::Data,
        ErrorClass::Data,
    ];
    for (index, at) in ["1", "2", "3", "4"].into_iter().enumerate() {
        let key = if index == 3 { "other" } else { "all" };
        let claim = take(&store, &lane_named("orders", key), "one").await;
        let mut letter = letter(PROJECTION, at, "x");
        letter.failed_at = moments[index];
        letter.defect.field = fields[index].map(ToOwned::to_owned);
        letter.defect.class = classes[index];
        store.commit(&claim, &keeping(&[letter])).await.unwrap();
        store.release(&claim).await.unwrap();
    }
    let ids: Vec<DeadLetterId> = all_letters(&harness.letters(&store))
        .await
        .iter()
        .map(|stored| stored.id)
        .collect();
    let unknown = DeadLetterId(ids[3].0 + 1);
    let all = DeadLetterFilter::default;
    let name = |name: &str| Some(name.to_owned());
    #[rustfmt::skip]
    let cases: [(DeadLetterFilter, &[&str]); 12] = [
        (all(), &["1", "2", "3", "4"]),
        (DeadLetterFilter { class: Some(ErrorClass::Data), ..all() }, &["1", "3", "4"]),
        (DeadLetterFilter { field: name("total"), ..all() }, &["2", "4"]),
        (DeadLetterFilter { key: name("other"), ..all() }, &["4"]),
        (DeadLetterFilter { since: Some(moments[1]), ..all() }, &["2", "3", "4"]),
        (DeadLetterFilter { until: Some(moments[1]), ..all() }, &["1"]),
        (DeadLetterFilter { since: Some(moments[1]), until: Some(moments[2]), ..all() }, &["2", "4"]),
        (DeadLetterFilter { ids: Some(vec![ids[2], ids[0], unknown]), ..all() }, &["1", "3"]),
        (DeadLetterFilter { ids: Some(vec![]), ..all() }, &[]),
        (DeadLetterFilter { after: Some(ids[1]), ..all() }, &["3", "4"]),
        (DeadLetterFilter { after: Some(ids[0]), limit: 1, ..all() }, &["2"]),
        (DeadLetterFilter { field: name("total"), class: Some(ErrorClass::Data), ..all() }, &["4"]),
    ];
    for (filter, expected) in cases {
        let letters = harness.letters(&store).dead_letters(&filter).await.unwrap();
        let positions: Vec<&str> = letters
            .iter()
            .map(|stored| stored.letter.offset.text.as_str())
            .collect();
        assert_eq!(positions, expected, "{filter:?}");
    }
}

/// S-OFFSET-2, S-OFFSET-3.
pub async fn a_refused_commit_keeps_no_letter<H: OffsetStoreHarness>(harness: H) {
    let store = harness.store();
    let claim = take(&store, &lane(), "one").await;
    refused_twice(&store, &claim, keeping(&[letter(PROJECTION, "1", "a")])).await;
    assert_eq!(all_letters(&harness.letters(&store)).await, []);
}
