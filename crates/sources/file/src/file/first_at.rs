//! Finds the first record of a time or later.

use std::future::poll_fn;
use std::pin::Pin;

use projectionist_core::contract::{EventCodec, Mode, SourceProvider, Stream};
use projectionist_core::{Error, Result, SourceItem, Timestamp};

use super::{FilePosition, FileSource};
use crate::fault::Fault;

impl<C: EventCodec> FileSource<C> {
    /// The position behind which the first record of `time` or later stands; `None` when that is
    /// the first record of the file.
    ///
    /// Without such a record it is behind the last one: what is written later is later. A file
    /// that does not exist yet is begun with its first record.
    pub(super) async fn first_at(&self, time: Timestamp) -> Result<Option<FilePosition>> {
        let mut stream = match self.open(None, Mode::Current).await {
            Ok(stream) => stream,
            Err(error) if is_missing(&error) => return self.latest().await.map(Some),
            Err(error) => return Err(error),
        };
        let mut passed = None;
        let (mut envelopes, mut with_time) = (0_u64, 0_u64);
        while let Some(item) = poll_fn(|cx| Pin::new(&mut stream).poll_next(cx)).await {
            passed = Some(match item? {
                SourceItem::Envelope(envelope) => {
                    let created_at = self.created_at(&envelope);
                    if created_at.is_some_and(|created_at| created_at >= time) {
                        return Ok(passed);
                    }
                    envelopes += 1;
                    with_time += u64::from(created_at.is_some());
                    envelope.position()
                }
                SourceItem::Malformed(malformed) => malformed.position,
            });
        }
        if envelopes > 0 && with_time == 0 {
            return Err(Error::Configuration {
                subject: format!("start at a time of {}", self.path().display()),
                reason: "none of its records tells when it happened; start at `earliest` or \
                         `latest`"
                    .to_owned(),
            });
        }
        match passed {
            None => self.latest().await.map(Some),
            passed => Ok(passed),
        }
    }
}

fn is_missing(error: &Error) -> bool {
    let Error::Source { source, .. } = error else {
        return false;
    };
    matches!(
        source.downcast_ref(),
        Some(Fault::Missing { .. } | Fault::NoMatch { .. })
    )
}
