//! Requests to the owner of a lane: kept until the commit that answers them.

use std::time::Duration;

use projectionist_core::contract::{ManagementStore, OffsetStore};
use projectionist_core::{
    Clock, Commit, ManagementCommand, ManagementRequest, Offset, ProjectionId, RequestAnswer,
    RequestId,
};

use crate::OffsetStoreHarness;
use crate::steps::{lane, lane_named, offset, refused_twice, reset, row, steal, step, take};

const RETRY: ManagementCommand = ManagementCommand::RetryParked { key: None };

fn done(id: RequestId) -> RequestAnswer {
    RequestAnswer { id, refusal: None }
}

fn refused(id: RequestId, why: &str) -> RequestAnswer {
    RequestAnswer {
        id,
        refusal: Some(why.to_owned()),
    }
}

fn answering(answers: &[RequestAnswer]) -> Commit {
    Commit {
        answers: answers.to_vec(),
        ..Commit::default()
    }
}

/// The open requests of a lane.
async fn open<S: ManagementStore>(store: &S, lane: &ProjectionId) -> Vec<ManagementRequest> {
    store.management(lane).await.unwrap().requests
}

/// The ids of the open requests of a lane.
async fn ids<S: ManagementStore>(store: &S, lane: &ProjectionId) -> Vec<RequestId> {
    let open = open(store, lane).await;
    open.into_iter().map(|request| request.id).collect()
}

/// S-MANAGE-6: over lanes and handles, also after the last request was withdrawn or answered.
pub async fn ids_increase_and_are_never_given_twice<H: OffsetStoreHarness>(harness: H) {
    let (store, second) = (harness.store(), harness.second_handle().await);
    let other = lane_named("totals", "all");
    let claim = take(&store, &lane(), "one").await;
    let mut given = vec![store.request(&lane(), &RETRY).await.unwrap()];
    given.push(second.request(&other, &RETRY).await.unwrap());
    assert!(store.withdraw(given[1]).await.unwrap());
    given.push(store.request(&lane(), &RETRY).await.unwrap());
    store
        .commit(&claim, &answering(&[done(given[2])]))
        .await
        .unwrap();
    given.push(second.request(&lane(), &RETRY).await.unwrap());
    let increasing = given.windows(2).all(|pair| pair[0] < pair[1]);
    assert!(increasing, "{given:?}");
}

/// S-MANAGE-7: every command as it was asked, with its time; lanes apart.
pub async fn requests_are_listed_oldest_first_and_whole<H: OffsetStoreHarness>(harness: H) {
    let (store, second) = (harness.store(), harness.second_handle().await);
    let hostile = Offset {
        manifest: "m'1 %20".into(),
        text: "é 'quoted' \"so\"; -- \\ \n \u{1f600}".to_owned(),
    };
    let mut commands = vec![
        RETRY,
        ManagementCommand::Skip {
            at: hostile.clone(),
        },
        ManagementCommand::RetryParked {
            key: Some(hostile.text.clone()),
        },
        ManagementCommand::RetryParked {
            key: Some(String::new()),
        },
    ];
    for expected in [None, Some(None), Some(Some(hostile.clone()))] {
        for to in [None, Some(hostile.clone())] {
            let expected = expected.clone();
            commands.push(ManagementCommand::SetOffset { expected, to });
        }
    }
    let other = lane_named("orders", "other");
    assert_eq!(open(&second, &lane()).await, []);
    let mut asked = Vec::new();
    for command in commands {
        harness.clock().advance(Duration::from_secs(1));
        let id = store.request(&lane(), &command).await.unwrap();
        let elsewhere = store.request(&other, &RETRY).await.unwrap();
        let requested_at = harness.clock().now();
        asked.push(ManagementRequest {
            id,
            command,
            requested_at,
        });
        assert_eq!(ids(&second, &other).await.last(), Some(&elsewhere));
    }
    assert_eq!(open(&second, &lane()).await, asked);
    assert_eq!(ids(&second, &other).await.len(), asked.len());
    assert_eq!(open(&second, &lane_named("Orders", "all")).await, []);
}

/// S-MANAGE-8: it makes no row, and outlives claims, commits and resets that do not answer it.
pub async fn a_request_needs_neither_row_nor_owner<H: OffsetStoreHarness>(harness: H) {
    let (store, second) = (harness.store(), harness.second_handle().await);
    let id = store.request(&lane(), &RETRY).await.unwrap();
    assert_eq!(store.lane(&lane()).await.unwrap(), None);
    let claim = take(&second, &lane(), "one").await;
    second.commit(&claim, &step(None, "1")).await.unwrap();
    second
        .commit(&claim, &reset(Some("1"), None))
        .await
        .unwrap();
    let claim = steal(&second, &claim, "two").await;
    second.release(&claim).await.unwrap();
    let before = row(&store, &lane()).await;
    let later = second.request(&lane(), &RETRY).await.unwrap();
    assert!(store.withdraw(later).await.unwrap());
    assert_eq!(row(&store, &lane()).await, before);
    assert_eq!(ids(&store, &lane()).await, [id]);
    assert_eq!(store.answer(id).await.unwrap(), None);
}

/// S-MANAGE-9: by the commit, for every handle; the first answer is kept, within one commit too.
pub async fn a_request_is_answered_once<H: OffsetStoreHarness>(harness: H) {
    let (store, second) = (harness.store(), harness.second_handle().await);
    let claim = take(&store, &lane(), "one").await;
    let mut asked = Vec::new();
    for _ in 0..4 {
        asked.push(second.request(&lane(), &RETRY).await.unwrap());
    }
    let hostile = "it's \"so\"; --\n\u{1f600}";
    let answers = [
        done(asked[2]),
        refused(asked[0], hostile),
        done(asked[0]),
        refused(asked[2], "too late"),
    ];
    let commit = Commit {
        answers: answers.to_vec(),
        ..step(None, "1")
    };
    store.commit(&claim, &commit).await.unwrap();
    assert_eq!(row(&second, &lane()).await.offset, Some(offset("1")));
    assert_eq!(ids(&second, &lane()).await, [asked[1], asked[3]]);
    let again = Commit {
        expected: Some(offset("1")),
        ..answering(&[done(asked[0]), refused(asked[1], "")])
    };
    store.commit(&claim, &again).await.unwrap();
    assert_eq!(ids(&second, &lane()).await, [asked[3]]);
    for (id, expected) in [
        (asked[0], Some(refused(asked[0], hostile))),
        (asked[1], Some(refused(asked[1], ""))),
        (asked[2], Some(done(asked[2]))),
        (asked[3], None),
    ] {
        assert_eq!(second.answer(id).await.unwrap(), expected);
    }
}

/// S-MANAGE-10: an id that was never given, that was withdrawn, and that another lane's owner has
/// to answer.
pub async fn an_answer_to_nothing_changes_nothing<H: OffsetStoreHarness>(harness: H) {
    let store = harness.store();
    let claim = take(&store, &lane(), "one").await;
    let other = lane_named("orders", "other");
    let withdrawn = store.request(&lane(), &RETRY).await.unwrap();
    assert!(store.withdraw(withdrawn).await.unwrap());
    let elsewhere = store.request(&other, &RETRY).await.unwrap();
    let unknown = RequestId(elsewhere.0 + 1);
    let ids_of_nothing = [withdrawn, elsewhere, unknown, RequestId(u64::MAX)];
    let commit = Commit {
        answers: ids_of_nothing.map(done).to_vec(),
        ..step(None, "1")
    };
    store.commit(&claim, &commit).await.unwrap();
    assert_eq!(row(&store, &lane()).await.offset, Some(offset("1")));
    for id in ids_of_nothing {
        assert_eq!(store.answer(id).await.unwrap(), None, "{id}");
    }
    assert_eq!(ids(&store, &other).await, [elsewhere]);
    // Whoever gets that id next has not been answered.
    let next = store.request(&lane(), &RETRY).await.unwrap();
    assert_eq!(ids(&store, &lane()).await, [next]);
    assert_eq!(store.answer(next).await.unwrap(), None);
}

/// S-MANAGE-11.
pub async fn a_request_is_withdrawn_until_it_is_answered<H: OffsetStoreHarness>(harness: H) {
    let (store, second) = (harness.store(), harness.second_handle().await);
    let claim = take(&store, &lane(), "one").await;
    let mut asked = Vec::new();
    for _ in 0..3 {
        asked.push(store.request(&lane(), &RETRY).await.unwrap());
    }
    assert!(second.withdraw(asked[1]).await.unwrap());
    assert!(!second.withdraw(asked[1]).await.unwrap());
    assert_eq!(ids(&store, &lane()).await, [asked[0], asked[2]]);
    store
        .commit(&claim, &answering(&[done(asked[0])]))
        .await
        .unwrap();
    assert!(!second.withdraw(asked[0]).await.unwrap());
    assert_eq!(store.answer(asked[0]).await.unwrap(), Some(done(asked[0])));
    assert!(!second.withdraw(RequestId(asked[2].0 + 9)).await.unwrap());
    assert_eq!(ids(&store, &lane()).await, [asked[2]]);
}

/// S-OFFSET-2, S-OFFSET-3.
pub async fn a_refused_commit_answers_nothing<H: OffsetStoreHarness>(harness: H) {
    let store = harness.store();
    let claim = take(&store, &lane(), "one").await;
    let id = store.request(&lane(), &RETRY).await.unwrap();
    refused_twice(&store, &claim, answering(&[done(id)])).await;
    assert_eq!(store.answer(id).await.unwrap(), None);
    assert_eq!(ids(&store, &lane()).await, [id]);
}
