//! What remains when there is no engine: the limits of the machine. The task is spawned as the
//! engine's is.

use std::time::Duration;

use futures::StreamExt;
use projectionist_core::contract::{OffsetStore, SourceProvider};
use projectionist_core::{
    Claim, ClaimOutcome, ClaimRequest, Commit, Counters, Offset, Owner, ProjectionId, SourceItem,
    Take,
};
use projectionist_store_memory::MemoryStore;

use super::handler::Count;
use crate::failure::Outcome;
use crate::source::Envelopes;

/// Polls the stream and calls the handler.
///
/// # Errors
/// When the stream fails.
pub async fn run(source: &Envelopes, handler: &Count) -> Outcome<()> {
    let mut stream = source.stream(0);
    let handler = handler.clone();
    let task = tokio::spawn(async move {
        while let Some(item) = stream.next().await {
            if let SourceItem::Envelope(envelope) = item? {
                handler.one(&envelope);
            }
        }
        Ok(())
    });
    task.await?
}

/// As [`run`], and the store in memory takes the position of each envelope before it is handled:
/// what at-most-once costs without an engine.
///
/// # Errors
/// When the stream or the store fails.
pub async fn run_saving(source: &Envelopes, handler: &Count) -> Outcome<()> {
    let (mut stream, source, handler) = (source.stream(0), source.clone(), handler.clone());
    let store = MemoryStore::new();
    let claim = claim(&store).await?;
    let task = tokio::spawn(async move {
        let mut commit = Commit {
            counters: Counters {
                read: 1,
                applied: 1,
                ..Counters::ZERO
            },
            ..Commit::default()
        };
        while let Some(item) = stream.next().await {
            if let SourceItem::Envelope(envelope) = item? {
                let position = source.position(&envelope);
                // What the row holds now is what it was given last; the buffers are used again.
                std::mem::swap(&mut commit.expected, &mut commit.offset);
                match &mut commit.offset {
                    Some(offset) => offset.set(&position),
                    none => *none = Some(Offset::of(&position)),
                }
                store.commit(&claim, &commit).await?;
                handler.one(&envelope);
            }
        }
        Ok(())
    });
    task.await?
}

async fn claim(store: &MemoryStore) -> Outcome<Claim> {
    let request = ClaimRequest {
        lane: ProjectionId::new("benchmark", "all")?,
        owner: Owner {
            instance: "by hand".to_owned(),
            process: None,
        },
        ttl: Duration::from_secs(60),
        take: Take::Free,
    };
    match store.claim(&request).await? {
        ClaimOutcome::Granted { claim, .. } => Ok(claim),
        ClaimOutcome::Held { .. } => Err("a fresh lane is held by someone".into()),
    }
}
