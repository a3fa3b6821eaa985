//! Reads a source for a shared pass.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt;
use projectionist_core::contract::{Mode, SourceProvider};
use projectionist_core::{Error, Result};
use tokio::time::{Instant, timeout, timeout_at};

use super::pass::{Pass, Room};
use super::source::Shared;
use super::window::Entry;
use crate::delivery::feed::{Feed, Fill};
use crate::recovery::drive::panic_message;

/// Reads the source until it ends or fails, or nobody reads the pass any more.
pub(super) async fn read<P: SourceProvider>(pass: Arc<Pass<P>>, hub: Arc<Shared<P>>, mode: Mode) {
    let reading = AssertUnwindSafe(read_to_the_end(&pass, &hub, mode));
    let end = reading.catch_unwind().await.unwrap_or_else(|payload| {
        let error = Error::Source {
            action: "read the source".to_owned(),
            retryable: true,
            source: panic_message("the source", payload.as_ref()).into(),
        };
        Some(Err(error))
    });
    if let Some(end) = end {
        pass.finish(end);
    }
}

/// How the source ended; `None` when nobody reads the pass any more.
async fn read_to_the_end<P: SourceProvider>(
    pass: &Pass<P>,
    hub: &Shared<P>,
    mode: Mode,
) -> Option<Result<()>> {
    if pass.is_gathering() {
        // Whether all came or the time is over, it begins.
        let _came = timeout(hub.config.gather_for, hub.all_read()).await;
    }
    let opened = tokio::select! {
        biased;
        opened = hub.provider.open(pass.opens(), mode) => opened,
        () = pass.deserted() => return None,
    };
    let mut feed = match opened {
        Ok(stream) => Feed::<P>::new(stream),
        Err(error) => return Some(Err(error)),
    };
    pass.opened();
    let (mut items, mut entries) = (VecDeque::new(), VecDeque::new());
    loop {
        let filled = tokio::select! {
            biased;
            filled = poll_fn(|cx| feed.poll_fill(cx, &mut items)) => filled,
            () = pass.deserted() => return None,
        };
        match filled {
            Ok(Fill::Items) => {}
            Ok(Fill::Ended) => return Some(Ok(())),
            Err(error) => return Some(Err(error)),
        }
        let provider = hub.provider.as_ref();
        entries.extend(items.drain(..).map(|item| Entry::new(provider, item)));
        while !entries.is_empty() {
            if !has_room(pass, hub).await {
                return None;
            }
            pass.push(&mut entries);
        }
        // A source that is always ready must leave the worker to others now and then.
        tokio::task::consume_budget().await;
    }
}

/// Waits until another record may be kept; `false` when nobody reads the pass any more.
async fn has_room<P: SourceProvider>(pass: &Pass<P>, hub: &Shared<P>) -> bool {
    let mut full_since = None;
    loop {
        match pass.room() {
            Room::Free => return true,
            Room::Over => return false,
            Room::Idle => {
                full_since = None;
                pass.moved.notified().await;
            }
            Room::Full => {
                let since = *full_since.get_or_insert_with(Instant::now);
                let patience = since + hub.config.laggard_after;
                if timeout_at(patience, pass.moved.notified()).await.is_err() {
                    pass.detach_slowest();
                    full_since = None;
                }
            }
        }
    }
}
