//! One run: a fresh file, and what moving the envelopes into it cost.

use std::path::Path;
use std::time::Duration;

use projectionist_store_sqlite::{SqliteOptions, SqliteStore};
use tokio::time::Instant;

use super::case::{Case, Who};
use super::{by_hand, engine, file};
use crate::cpu;
use crate::failure::Outcome;
use crate::flavor::Flavor;
use crate::source::Envelopes;

/// What a run used, without opening and closing the file.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// User and system time of the whole process.
    pub cpu: Duration,
    /// From the first envelope to the last commit.
    pub wall: Duration,
}

/// Moves `envelopes` into a fresh file in `folder`.
///
/// # Errors
/// When it fails.
pub fn run(folder: &Path, case: Case, who: Who, envelopes: u64) -> Outcome<Cost> {
    let path = file::path(folder, case, who);
    file::make(&path)?;
    let source = Envelopes::new(envelopes);
    match who {
        Who::Engine => {
            let runtime = Flavor::Threads.runtime()?;
            // Kept to the end: the last handle on a file checkpoints it.
            let store = SqliteStore::open(&path, SqliteOptions::default())?;
            measured(|| runtime.block_on(engine::run(case, source, store.clone())))
        }
        Who::ByHand => {
            let connection = by_hand::open(&path)?;
            measured(|| by_hand::run(&connection, &source, case.envelopes()))
        }
    }
}

fn measured(work: impl FnOnce() -> Outcome<()>) -> Outcome<Cost> {
    let (began, used) = (Instant::now(), cpu::of_this_process()?);
    work()?;
    Ok(Cost {
        cpu: cpu::of_this_process()? - used,
        wall: began.elapsed(),
    })
}
