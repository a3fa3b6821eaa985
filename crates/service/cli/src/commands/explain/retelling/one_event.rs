//! Applies one event after the other in memory, as a run does.

use projectionist_apply::{
    DeclaredCodec, DeclaredEvent, DeclaredProjection, LetterReplay, Replayed,
};
use projectionist_core::contract::{StoredDeadLetter, TransactionalDeadLetterStore};
use projectionist_core::{
    DeadLetter, DeadLetterId, DeadLetterOrigin, Defect, ErrorClass, Offset, Timestamp,
};
use projectionist_source_file::FileEnvelope;
use projectionist_store_memory::MemoryStore;

use super::told::Became;
use crate::commands::explain::past::KEY;
use crate::exit::Failure;

/// Applies one event after the other in memory.
///
/// The replay of dead letters does it: it gives a single event to the handler of a run, and tells
/// what became of it. Each event is a letter that was not tried yet.
pub(super) struct OneByOne {
    name: String,
    store: MemoryStore,
    replay: LetterReplay<MemoryStore>,
}

impl OneByOne {
    /// Nothing was applied yet.
    pub(super) fn new(
        declared: &DeclaredProjection,
        codec: &DeclaredCodec,
    ) -> Result<Self, Failure> {
        let store = MemoryStore::new();
        Ok(Self {
            name: declared.name().to_owned(),
            replay: LetterReplay::new(declared, codec.clone(), store.clone()),
            store,
        })
    }

    /// What the events have left.
    pub(super) fn store(&self) -> &MemoryStore {
        &self.store
    }

    /// Applies the next event.
    pub(super) async fn apply(
        &mut self,
        envelope: &FileEnvelope<DeclaredEvent>,
    ) -> Result<Became, Failure> {
        let letter = self.letter(envelope);
        let mut tx = self.store.begin_settling().await?;
        let replayed = self.replay.apply(&mut tx, &letter).await?;
        self.store.commit_settled(tx).await?;
        Ok(match replayed {
            Replayed::Superseded { last, .. } => Became::Stale { last },
            Replayed::FailedAgain(defect) => Became::Failed(defect),
            // Without a higher one the last number is the event's own.
            Replayed::Settled(counts) if counts.stale > 0 => Became::Stale {
                last: envelope.event().sequence_number().unwrap_or_default(),
            },
            Replayed::Settled(counts) if counts.filtered > 0 => Became::Filtered,
            Replayed::Settled(counts) if counts.ignored > 0 => Became::Ignored,
            Replayed::Settled(_) => Became::Applied,
        })
    }

    fn letter(&self, envelope: &FileEnvelope<DeclaredEvent>) -> StoredDeadLetter {
        let never = Timestamp::from_unix_millis(0);
        StoredDeadLetter {
            id: DeadLetterId::default(),
            projection: self.name.clone(),
            key: KEY.to_owned(),
            letter: DeadLetter {
                origin: DeadLetterOrigin::Projection,
                offset: Offset::of(&envelope.position()),
                defect: Defect::new(ErrorClass::Data, String::new()),
                event: envelope.event().record().clone(),
                attempts: 0,
                first_failed_at: never,
                failed_at: never,
            },
        }
    }
}
