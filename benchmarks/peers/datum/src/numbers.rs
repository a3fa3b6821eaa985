//! The cheapest source that the peer's contract allows: the numbers from 1 up, without a lock and
//! without a copy of anything stored.

use std::cmp::Ordering;

use async_trait::async_trait;
use datum_persistence::projection::{
    CursorPosition, ProjectionCursor, ProjectionError, ProjectionResult, ProjectionSource,
    ProviderManifest, SourceProvider,
};
use datum_persistence::query::QueryMode;
use futures_util::stream;

/// The numbers from 1 to `last`; the position of a number is the number.
pub(crate) struct Numbers {
    manifest: ProviderManifest,
    last: u64,
}

impl Numbers {
    pub(crate) fn up_to(last: u64) -> ProjectionResult<Self> {
        Ok(Self {
            manifest: ProviderManifest::new("bars-numbers-v1")?,
            last,
        })
    }
}

fn number(position: &CursorPosition) -> ProjectionResult<u64> {
    position
        .as_str()
        .parse()
        .map_err(|error| ProjectionError::Source(format!("{position:?} is no number: {error}")))
}

#[async_trait]
impl SourceProvider<u64> for Numbers {
    fn manifest(&self) -> &ProviderManifest {
        &self.manifest
    }

    async fn source_from(
        &self,
        cursor: Option<&ProjectionCursor>,
        _: QueryMode,
    ) -> ProjectionResult<ProjectionSource<u64>> {
        let settled = match cursor {
            Some(cursor) => number(cursor.position())?,
            None => 0,
        };
        Ok(Box::pin(stream::iter((settled + 1..=self.last).map(Ok))))
    }

    fn extract_cursor(&self, envelope: &u64) -> ProjectionResult<ProjectionCursor> {
        let position = envelope.to_string();
        Ok(ProjectionCursor::from_position(
            self.manifest.clone(),
            position,
        ))
    }

    fn compare_positions(
        &self,
        left: &CursorPosition,
        right: &CursorPosition,
    ) -> ProjectionResult<Ordering> {
        Ok(number(left)?.cmp(&number(right)?))
    }
}
