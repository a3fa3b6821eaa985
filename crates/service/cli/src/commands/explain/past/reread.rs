//! A source of the events that a projection has read.

use std::collections::HashSet;
use std::future::ready;
use std::sync::Arc;

use bytes::Bytes;
use futures::StreamExt;
use futures::stream::BoxStream;
use projectionist_apply::{DeclaredCodec, DeclaredEvent};
use projectionist_core::contract::{Mode, SourceProvider};
use projectionist_core::{Result, SourceItem, Timestamp};
use projectionist_source_file::{FileEnvelope, FilePosition, FileSource};

use super::Past;
use crate::commands::files::{Place, file_source, place_of};
use crate::exit::Failure;

type Item = SourceItem<FileEnvelope<DeclaredEvent>, FilePosition>;

/// A source of the events that a projection has read, and of no others.
pub(in crate::commands) struct Reread {
    inner: FileSource<DeclaredCodec>,
    /// The last position that counts.
    until: Option<FilePosition>,
    passed_over: u64,
    left_out: Arc<HashSet<Place>>,
    tenant: Option<Box<str>>,
}

impl Past {
    /// The events again, read by `codec`; `None` when there are none.
    pub(in crate::commands) fn reread(
        &self,
        codec: DeclaredCodec,
    ) -> Result<Option<Reread>, Failure> {
        let Some(source) = &self.source else {
            return Ok(None);
        };
        Ok(Some(Reread {
            inner: file_source(source, codec)?,
            until: self.until.clone(),
            passed_over: self.passed_over,
            left_out: Arc::default(),
            tenant: None,
        }))
    }
}

impl Reread {
    /// Leaves out the events that end at these places.
    pub(in crate::commands) fn without(self, left_out: HashSet<Place>) -> Self {
        let left_out = Arc::new(left_out);
        Self { left_out, ..self }
    }

    /// Leaves out the events of all other tenants; the empty one stands for none.
    pub(in crate::commands) fn of_tenant(self, tenant: Option<&str>) -> Self {
        let tenant = tenant.map(Into::into);
        Self { tenant, ..self }
    }
}

/// Where a record stands.
fn position_of(item: &Item) -> FilePosition {
    match item {
        SourceItem::Envelope(envelope) => envelope.position(),
        SourceItem::Malformed(malformed) => malformed.position.clone(),
    }
}

impl SourceProvider for Reread {
    type Envelope = FileEnvelope<DeclaredEvent>;
    type Position = FilePosition;
    type Stream = BoxStream<'static, Result<Item>>;

    async fn open(&self, from: Option<FilePosition>, mode: Mode) -> Result<Self::Stream> {
        let mut to_pass = from.as_ref().map_or(self.passed_over, |_| 0);
        let stream = self.inner.open(from, mode).await?;
        let until = self.until.clone();
        let (left_out, tenant) = (Arc::clone(&self.left_out), self.tenant.clone());
        let within = move |item: &Result<Item>| {
            let counts = |item: &Item| {
                until
                    .as_ref()
                    .is_none_or(|until| position_of(item) <= *until)
            };
            ready(item.as_ref().map_or(true, counts))
        };
        let is_meant = move |item: &Result<Item>| {
            let Ok(SourceItem::Envelope(envelope)) = item else {
                return ready(true);
            };
            if to_pass > 0 {
                to_pass -= 1;
                return ready(false);
            }
            let other = |tenant: &str| envelope.event().tenant_schema() != tenant;
            let is_other = tenant.as_deref().is_some_and(other);
            ready(!is_other && !left_out.contains(&place_of(&envelope.position())))
        };
        Ok(stream.take_while(within).filter(is_meant).boxed())
    }

    fn position(&self, envelope: &Self::Envelope) -> FilePosition {
        self.inner.position(envelope)
    }

    fn encode(&self, envelope: &Self::Envelope, out: &mut Vec<u8>) {
        self.inner.encode(envelope, out);
    }

    fn decode(&self, position: FilePosition, event: &Bytes) -> Result<Self::Envelope, String> {
        self.inner.decode(position, event)
    }

    fn created_at(&self, envelope: &Self::Envelope) -> Option<Timestamp> {
        self.inner.created_at(envelope)
    }

    fn size_bytes(&self, envelope: &Self::Envelope) -> usize {
        self.inner.size_bytes(envelope)
    }
}
