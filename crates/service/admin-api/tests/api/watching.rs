//! The desk is read at most once a second, however many look.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use projectionist_admin_api::watch::{READ_AT_LEAST_EVERY, READ_AT_MOST_EVERY, Watch};

use super::desk::TestDesk;

fn watch() -> (Arc<Watch>, Arc<TestDesk>) {
    let desk = Arc::new(TestDesk::default());
    (Arc::new(Watch::new(Arc::clone(&desk) as _)), desk)
}

#[tokio::test(start_paused = true)]
async fn a_hundred_pages_cost_one_read_a_second() {
    let (watch, desk) = watch();
    let pages: Vec<_> = (0..100)
        .map(|page| {
            let watch = Arc::clone(&watch);
            tokio::spawn(async move {
                for turn in 0..50_u64 {
                    match (page + turn) % 3 {
                        0 => drop(watch.overview().await.unwrap()),
                        1 => drop(watch.history(0).await.unwrap()),
                        _ => drop(watch.lane_history("orders", "all").await.unwrap()),
                    }
                    let next = Duration::from_millis(200 + page);
                    tokio::time::sleep(next).await; // a workload, not a wait
                }
            })
        })
        .collect();
    let begun = tokio::time::Instant::now();
    for page in pages {
        page.await.unwrap();
    }
    let seconds = begun.elapsed().as_secs() / READ_AT_MOST_EVERY.as_secs();
    let reads = desk.reads.load(Ordering::SeqCst) as u64;
    assert!(reads <= seconds + 1, "{reads} reads in {seconds} s");
    assert!(reads >= seconds / 2, "{reads} reads in {seconds} s");
}

#[tokio::test(start_paused = true)]
async fn the_desk_is_read_now_and_then_when_nobody_looks() {
    let (watch, desk) = watch();
    let reading = tokio::spawn({
        let watch = Arc::clone(&watch);
        async move { watch.keep_reading().await }
    });
    for reads in 1..=11 {
        // Lets the reader have its turn before and after the time goes on.
        while desk.reads.load(Ordering::SeqCst) < reads {
            tokio::task::yield_now().await;
        }
        tokio::time::advance(READ_AT_LEAST_EVERY - Duration::from_millis(1)).await;
        assert_eq!(desk.reads.load(Ordering::SeqCst), reads);
        tokio::time::advance(Duration::from_millis(1)).await;
    }
    reading.abort();
}

#[tokio::test(start_paused = true)]
async fn an_error_is_told_to_everybody_for_a_second_and_forgotten_then() {
    let (watch, desk) = watch();
    desk.is_away.store(true, Ordering::SeqCst);
    assert!(watch.overview().await.is_err());
    desk.is_away.store(false, Ordering::SeqCst);
    assert!(watch.overview().await.is_err());
    assert_eq!(desk.reads.load(Ordering::SeqCst), 1);
    tokio::time::advance(READ_AT_MOST_EVERY).await;
    assert_eq!(watch.overview().await.unwrap().lanes.len(), 2);
}
