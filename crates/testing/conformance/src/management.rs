//! Management: pause flags.

use std::time::Duration;

use projectionist_core::contract::{ManagementStore, OffsetStore};
use projectionist_core::{Clock, Pause, PauseScope};

use crate::OffsetStoreHarness;
use crate::steps::{lane, lane_named, row, steal, step, take};

/// Whether the flag says that it is paused; `None` when it was never set.
async fn paused<S: ManagementStore>(store: &S, name: &str, key: Option<&str>) -> Option<bool> {
    let flag = store.pause_flag(name, key).await.unwrap();
    flag.map(|flag| flag.paused)
}

/// S-MANAGE-1: for every handle.
pub async fn a_flag_is_unset_then_set_then_lifted<H: OffsetStoreHarness>(harness: H) {
    let (store, second) = (harness.store(), harness.second_handle().await);
    for key in [None, Some("all")] {
        assert_eq!(paused(&second, "orders", key).await, None);
        for set in [true, false, true] {
            store.set_paused("orders", key, set).await.unwrap();
            assert_eq!(paused(&second, "orders", key).await, Some(set));
        }
    }
}

/// S-MANAGE-2.
pub async fn flags_of_a_name_and_of_its_lanes_are_apart<H: OffsetStoreHarness>(harness: H) {
    let store = harness.store();
    let hostile = "it's \"so\"; --";
    let addresses = [
        ("orders", None),
        ("orders", Some("all")),
        ("orders", Some("All")),
        ("Orders", None),
        ("orders ", None),
        ("a", Some("b-c")),
        ("a-b", Some("c")),
        (hostile, Some(hostile)),
    ];
    for (index, (name, key)) in addresses.into_iter().enumerate() {
        assert_eq!(paused(&store, name, key).await, None, "{name} {key:?}");
        store.set_paused(name, key, index % 2 == 0).await.unwrap();
    }
    for (index, (name, key)) in addresses.into_iter().enumerate() {
        let expected = Some(index % 2 == 0);
        assert_eq!(paused(&store, name, key).await, expected, "{name} {key:?}");
    }
}

/// S-MANAGE-3: a flag needs no lane and no owner, and neither moves the other.
pub async fn flags_and_lanes_are_independent<H: OffsetStoreHarness>(harness: H) {
    let (store, second) = (harness.store(), harness.second_handle().await);
    store.set_paused("orders", Some("all"), true).await.unwrap();
    assert_eq!(store.lanes().await.unwrap(), []);
    let claim = take(&store, &lane(), "one").await;
    store.commit(&claim, &step(None, "1")).await.unwrap();
    let before = row(&store, &lane()).await;
    second
        .set_paused("orders", Some("all"), false)
        .await
        .unwrap();
    second.set_paused("orders", None, true).await.unwrap();
    assert_eq!(row(&store, &lane()).await, before);
    let claim = steal(&second, &claim, "two").await;
    second.commit(&claim, &step(Some("1"), "2")).await.unwrap();
    second.release(&claim).await.unwrap();
    assert_eq!(paused(&store, "orders", Some("all")).await, Some(false));
    assert_eq!(paused(&store, "orders", None).await, Some(true));
}

/// S-MANAGE-4: saying again what is so already does not make it younger.
pub async fn a_flag_tells_since_when<H: OffsetStoreHarness>(harness: H) {
    let store = harness.store();
    let mut since = Vec::new();
    for set in [true, true, false, false, true] {
        harness.clock().advance(Duration::from_secs(1));
        store.set_paused("orders", None, set).await.unwrap();
        let flag = store.pause_flag("orders", None).await.unwrap().unwrap();
        since.push(harness.clock().now().since(flag.since).as_secs());
    }
    assert_eq!(since, [0, 1, 0, 1, 0]);
}

/// S-MANAGE-5: the lane's own flag is named when both are set.
pub async fn a_lane_is_paused_by_its_flag_or_its_name<H: OffsetStoreHarness>(harness: H) {
    let (store, second) = (harness.store(), harness.second_handle().await);
    let pause = async || second.management(&lane()).await.unwrap().pause;
    let set = async |key, paused| {
        harness.clock().advance(Duration::from_secs(1));
        store.set_paused("orders", key, paused).await.unwrap();
        harness.clock().now()
    };
    assert_eq!(pause().await, None);
    for foreign in ["other", "ALL", "all "] {
        set(Some(foreign), true).await;
    }
    store.set_paused("Orders", None, true).await.unwrap();
    assert_eq!(pause().await, None);

    let scope = PauseScope::AllLanes;
    let since = set(None, true).await;
    assert_eq!(pause().await, Some(Pause { scope, since }));
    set(Some("all"), false).await;
    assert_eq!(pause().await, Some(Pause { scope, since }));
    let scope = PauseScope::Lane;
    let since = set(Some("all"), true).await;
    assert_eq!(pause().await, Some(Pause { scope, since }));
    set(None, false).await;
    assert_eq!(pause().await, Some(Pause { scope, since }));
    set(Some("all"), false).await;
    assert_eq!(pause().await, None);
    let elsewhere = store.management(&lane_named("orders", "other")).await;
    assert!(elsewhere.unwrap().pause.is_some());
}
