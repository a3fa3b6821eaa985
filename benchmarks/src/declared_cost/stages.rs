//! What each stage of an event's way costs, in one process and one thread.
//!
//! A stage is measured as the difference between a run with it and one without: reading lines,
//! reading and decoding them, judging events that are decoded already (every operation is
//! `ignore`), and deriving and folding them too, into a store that discards. What the program needs
//! beyond that is the engine's and SQLite's.

use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use futures::StreamExt;
use projectionist_core::SourceItem;
use projectionist_core::contract::{EventCodec, Mode, SourceProvider};
use projectionist_source_file::{FileEnvelope, FileSource};

use super::apply::Declared;
use super::files::run_program;
use super::input::Shape;
use crate::cpu;
use crate::database;
use crate::declared_sqlite::input::PROJECTIONS;
use crate::failure::Outcome;
use crate::sample::Sample;
use crate::table::Table;

/// Takes each line as it is.
struct Lines;

impl EventCodec for Lines {
    type Event = Bytes;
    type Scratch = ();

    fn decode(&self, (): &mut (), record: Bytes) -> Result<Bytes, String> {
        Ok(record)
    }

    fn encode(&self, event: &Bytes, out: &mut Vec<u8>) {
        out.extend_from_slice(event);
    }
}

/// Reads the file to its end and gives each event to `each`.
async fn read<C: EventCodec>(
    input: &Path,
    codec: C,
    mut each: impl FnMut(C::Event),
) -> Outcome<Duration> {
    let before = cpu::of_this_process()?;
    let source = FileSource::new(input, codec);
    let mut stream = Box::pin(source.open(None, Mode::Current).await?);
    while let Some(item) = stream.next().await {
        match item? {
            SourceItem::Envelope(envelope) => each(FileEnvelope::into_event(envelope)),
            SourceItem::Malformed(_) => return Err("a line is no event".into()),
        }
    }
    Ok(cpu::of_this_process()?.saturating_sub(before))
}

/// Measures and prints.
///
/// # Errors
/// When a run fails.
pub async fn report(folder: &Path, events: u64, runs: u64) -> Outcome<()> {
    std::fs::create_dir_all(folder)?;
    let (input, database) = (folder.join("stages.jsonl"), folder.join("stages.db"));
    Shape::plain(events).write(&input)?;
    let declared = Declared::of(PROJECTIONS)?;
    let ignoring = PROJECTIONS.replace("op: upsert", "op: ignore");
    let ignoring = Declared::of(&ignoring.replace("op: delete", "op: ignore"))?;
    let mut decoded = Vec::new();
    read(&input, declared.codec().clone(), |event| {
        decoded.push(event)
    })
    .await?;
    let mut stages = <[Sample; 5]>::default();
    let mut whole = Sample::default();
    let an_event = |cpu: Duration| cpu.as_nanos() as f64 / events as f64;
    for _ in 0..runs {
        let lines = an_event(read(&input, Lines, |line| drop(std::hint::black_box(line))).await?);
        let codec = declared.codec().clone();
        let parsed = read(&input, codec, |event| drop(std::hint::black_box(event))).await?;
        let parsed = an_event(parsed);
        let judged = an_event(ignoring.apply(&decoded, None).await?.cpu);
        let folded = an_event(declared.apply(&decoded, None).await?.cpu);
        database::remove(&database)?;
        let program = an_event(run_program(folder, PROJECTIONS, &input, &database)?.cpu);
        let parts = [
            lines,
            parsed - lines,
            judged,
            folded - judged,
            program - parsed - folded,
        ];
        for (stage, part) in stages.iter_mut().zip(parts) {
            stage.push(part);
        }
        whole.push(program);
    }
    let names = [
        "read",
        "parse",
        "judge (type, tenant, guard)",
        "derive and fold",
        "write: engine and SQLite",
    ];
    let mut table = Table::new(&["stage", "CPU ns/event", "share"]);
    for (name, stage) in names.iter().zip(&stages) {
        let share = stage.median() / whole.median() * 100.0;
        table.row([(*name).to_owned(), stage.spread(0), format!("{share:.0} %")]);
    }
    table.row([
        "the program".to_owned(),
        whole.spread(0),
        "100 %".to_owned(),
    ]);
    println!("an event's way: {events} events, {runs} runs in turn, medians (least..most)\n");
    print!("{table}");
    Ok(())
}
