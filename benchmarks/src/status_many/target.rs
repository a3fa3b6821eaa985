//! A file with many lanes, each held and reported.

use std::path::Path;
use std::time::Duration;

use projectionist_core::contract::{ManagementStore, OffsetStore, OwnerReportStore};
use projectionist_core::{
    ClaimOutcome, ClaimRequest, Clock, Commit, Counters, ErrorClass, FailingEnvelope,
    ManagementCommand, Offset, Owner, OwnerReport, OwnerState, Pace, ProjectionId, ReportedError,
    SystemClock, Take,
};
use projectionist_engine::claim::process;
use projectionist_store_sqlite::{SqliteOptions, SqliteStore};

use crate::database;
use crate::failure::Outcome;

/// One of so many lanes is paused, and one of so many is asked something.
const ONE_OF: u64 = 10;

/// Makes a file with so many lanes, all of them owned by this process.
///
/// # Errors
/// When the file cannot be made.
pub async fn make(path: &Path, lanes: u64) -> Outcome<SqliteStore> {
    database::remove(path)?;
    let store = SqliteStore::open(path, SqliteOptions::default())?;
    let owner = Owner {
        instance: "benchmark".to_owned(),
        process: process::current(),
    };
    for number in 0..lanes {
        let lane = ProjectionId::new(format!("projection_{number:05}"), "all")?;
        let request = ClaimRequest {
            lane: lane.clone(),
            owner: owner.clone(),
            ttl: Duration::from_secs(3_600),
            take: Take::Free,
        };
        let ClaimOutcome::Granted { claim, .. } = store.claim(&request).await? else {
            return Err(format!("{lane} is held, in a file that was made just now").into());
        };
        store.commit(&claim, &step(number)).await?;
        store.keep_report(&claim, &report(number)).await?;
        if number % ONE_OF == 0 {
            store.set_paused(lane.name(), None, true).await?;
            let command = ManagementCommand::RetryParked { key: None };
            store.request(&lane, &command).await?;
        }
    }
    Ok(store)
}

fn offset(number: u64) -> Offset {
    Offset {
        manifest: "file".into(),
        text: format!(
            "{}:{number}:4096-b78a7b591454f6bc6b75d3f0197904e9",
            number * 300
        ),
    }
}

fn step(number: u64) -> Commit {
    Commit {
        offset: Some(offset(number)),
        counters: Counters {
            read: number,
            applied: number,
            ..Counters::ZERO
        },
        ..Commit::default()
    }
}

fn report(number: u64) -> OwnerReport {
    let now = SystemClock.now();
    let offset = offset(number + 1);
    OwnerReport {
        state: OwnerState::Retrying,
        reason: format!("retrying {offset} 2s after attempt 3 failed: the value does not fit"),
        since: now,
        told_at: now,
        lag_events: Some(number),
        lag: Some(Duration::from_secs(5)),
        failing: Some(FailingEnvelope {
            offset: offset.clone(),
            attempts: 3,
        }),
        last_error: Some(ReportedError {
            text: "the value does not fit its column".to_owned(),
            class: ErrorClass::Data,
            offset: Some(offset),
            since: now,
        }),
        restarts: 1,
        pace: Some(Pace {
            events: 1_000,
            within: Duration::from_secs(1),
        }),
    }
}
