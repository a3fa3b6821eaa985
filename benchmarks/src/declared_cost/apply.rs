//! Calls the handler of a declared projection without an engine and without a database.

use std::time::Duration;

use bytes::Bytes;
use projectionist_apply::{ApplyOptions, DeclaredCodec, DeclaredEvent, DeclaredProjection};
use projectionist_core::contract::{
    EventCodec, GroupContext, GroupReport, GroupedTransactionalHandler,
};
use projectionist_core::{Offset, ProjectionId};
use projectionist_language::{Program, parse};

use super::discard::{Discard, Seen};
use crate::cpu;
use crate::failure::Outcome;

/// How many events the program handles in a transaction when it catches up.
pub const GROUP: usize = 20_000;

/// A file of declared projections, read.
pub struct Declared {
    program: Program,
    codec: DeclaredCodec,
}

/// What handling events used and gave.
pub struct Applied {
    /// Processor time of all of them.
    pub cpu: Duration,
    /// What the store would have been given.
    pub seen: Seen,
}

impl Declared {
    /// Reads the text of a file.
    ///
    /// # Errors
    /// The faults of the text.
    pub fn of(text: &str) -> Outcome<Self> {
        let program = parse("benchmark.yaml", text)?;
        let codec = DeclaredCodec::new(&program);
        Ok(Self { program, codec })
    }

    /// The codec of its events.
    #[must_use]
    pub fn codec(&self) -> &DeclaredCodec {
        &self.codec
    }

    /// Decodes records.
    ///
    /// # Errors
    /// When one is no event.
    pub fn decode(&self, records: &[Bytes]) -> Outcome<Vec<DeclaredEvent>> {
        let mut scratch = Default::default();
        let events = records
            .iter()
            .map(|record| self.codec.decode(&mut scratch, record.clone()));
        Ok(events.collect::<Result<_, _>>()?)
    }

    /// Handles the events with the first projection, and keeps the cells of `column`.
    ///
    /// # Errors
    /// When the handler fails or an event becomes a dead letter.
    pub async fn apply(&self, events: &[DeclaredEvent], column: Option<usize>) -> Outcome<Applied> {
        let options = ApplyOptions::default();
        let projection = DeclaredProjection::new(&self.program, 0, &self.codec, options)?;
        let mut handler = projection.handler(Discard);
        let lane = ProjectionId::new(projection.name(), "all")?;
        let mut seen = Seen {
            column,
            ..Seen::default()
        };
        let mut report = GroupReport::default();
        let position = Offset {
            manifest: "none".into(),
            text: String::new(),
        };
        let before = cpu::of_this_process()?;
        for group in events.chunks(GROUP) {
            let context = GroupContext {
                lane: &lane,
                position: &position,
                attempt: 1,
                replay: false,
                report: &mut report,
            };
            handler.process(&mut seen, group, context).await?;
        }
        let cpu = cpu::of_this_process()?.saturating_sub(before);
        if let Some((index, defect)) = report.defects().first() {
            return Err(format!("event {index} became a dead letter: {defect:?}").into());
        }
        Ok(Applied { cpu, seen })
    }
}
