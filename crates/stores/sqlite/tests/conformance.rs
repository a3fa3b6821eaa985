//! The store passes every case that it does not decline.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "the helpers belong to tests: a step that fails must name its line"
)]

mod client;
mod older_file;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use client::Client;
use projectionist_conformance::steps::{lane, lane_named, offset};
use projectionist_conformance::{OffsetStoreHarness, OlderStore, SteeredClock, StoreHarness};
use projectionist_core::contract::{PauseFlag, StoredDeadLetter};
use projectionist_core::row::{OwnedCell, Table};
use projectionist_core::{
    Counters, DeadLetter, DeadLetterId, DeadLetterOrigin, Defect, Epoch, ErrorClass, Holder,
    LaneState, Owner, ProcessIdentity, ProjectionId, Timestamp,
};
use projectionist_store_sqlite::{SqliteOptions, SqliteStore};
use tempfile::TempDir;

struct SqliteHarness {
    folder: TempDir,
    clock: SteeredClock,
    store: SqliteStore,
}

impl SqliteHarness {
    fn fresh() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self::open(folder, SteeredClock::default())
    }

    fn open(folder: TempDir, clock: SteeredClock) -> Self {
        let path = folder.path().join("views.db");
        let store = SqliteStore::open_with_clock(path, options(), Arc::new(clock.clone())).unwrap();
        Self {
            folder,
            clock,
            store,
        }
    }
}

/// Cases that let many write at once may wait longer on a busy machine.
fn options() -> SqliteOptions {
    SqliteOptions::default().with_busy_timeout(Duration::from_secs(60))
}

impl OffsetStoreHarness for SqliteHarness {
    type Store = SqliteStore;
    type Letters = SqliteStore;

    fn store(&self) -> SqliteStore {
        self.store.clone()
    }

    async fn second_handle(&self) -> SqliteStore {
        let clock = Arc::new(self.clock.clone());
        SqliteStore::open_apart(self.store.path(), options(), clock).unwrap()
    }

    fn clock(&self) -> &SteeredClock {
        &self.clock
    }

    fn letters(&self, handle: &SqliteStore) -> SqliteStore {
        handle.clone()
    }

    async fn reopen(self) -> Option<Self> {
        let Self {
            folder,
            clock,
            store,
        } = self;
        drop(store);
        Some(Self::open(folder, clock))
    }

    async fn older(&self) -> Option<OlderStore<Self>> {
        let folder = tempfile::tempdir().unwrap();
        older_file::write_version_5(&folder.path().join("views.db"));
        Some(OlderStore {
            harness: Self::open(folder, self.clock.clone()),
            lanes: older_lanes().to_vec(),
            letters: older_letters().to_vec(),
            flags: vec![
                ("orders", None, flag(true, 1_719_331_200_456)),
                ("orders", Some("all"), flag(false, 1_719_331_200_789)),
            ],
        })
    }

    fn address(&self) -> Option<String> {
        self.store.path().to_str().map(ToOwned::to_owned)
    }

    async fn open_at(address: &str) -> Option<SqliteStore> {
        let clock = Arc::new(SteeredClock::default());
        Some(SqliteStore::open_with_clock(address, options(), clock).unwrap())
    }
}

impl StoreHarness for SqliteHarness {
    async fn rows(&self, table: &Table) -> Option<Vec<Vec<OwnedCell>>> {
        Client::open(self.store.path()).rows(table)
    }
}

fn moment(unix_millis: i64) -> Timestamp {
    Timestamp::from_unix_millis(unix_millis)
}

fn flag(paused: bool, since: i64) -> PauseFlag {
    PauseFlag {
        paused,
        since: moment(since),
    }
}

/// The lanes of the older file.
fn older_lanes() -> [(ProjectionId, LaneState); 2] {
    let orders = LaneState {
        offset: Some(offset("17")),
        counters: Counters {
            read: 29,
            applied: 9,
            unmatched: 1,
            filtered: 2,
            ignored: 3,
            stale: 4,
            skipped: 5,
            dead_lettered: 5,
            folded: 6,
            malformed: 7,
            ..Counters::ZERO
        },
        epoch: Epoch(4),
        updated_at: Some(moment(1_719_331_200_123)),
        ..LaneState::default()
    };
    let totals = LaneState {
        epoch: Epoch(1),
        holder: Some(Holder {
            owner: Owner {
                instance: "web 1".to_owned(),
                process: Some(ProcessIdentity {
                    boot_id: "boot".to_owned(),
                    pid_namespace: "4026531836".to_owned(),
                    pid: 7,
                    start_ticks: 99,
                }),
            },
            expires_at: moment(1_719_331_210_123),
        }),
        ..LaneState::default()
    };
    [
        (lane(), orders),
        (lane_named("totals", "slices 0-255"), totals),
    ]
}

/// The letters of the older file.
fn older_letters() -> [StoredDeadLetter; 2] {
    let kept = |id, projection: &str, letter| StoredDeadLetter {
        id: DeadLetterId(id),
        projection: projection.to_owned(),
        key: "all".to_owned(),
        letter,
    };
    let tea = DeadLetter {
        origin: DeadLetterOrigin::Projection,
        offset: offset("9"),
        defect: Defect {
            field: Some("amount".to_owned()),
            value: Some("tea".to_owned()),
            ..Defect::new(ErrorClass::Data, "tea does not fit".to_owned())
        },
        event: Bytes::from_static(b"{}"),
        attempts: 6,
        first_failed_at: moment(1_719_331_200_321),
        failed_at: moment(1_719_331_200_321),
    };
    let malformed = DeadLetter {
        origin: DeadLetterOrigin::Source,
        offset: offset("11"),
        defect: Defect::new(ErrorClass::Envelope, "no JSON".to_owned()),
        event: Bytes::from_static(b"\xff"),
        attempts: 1,
        first_failed_at: moment(1_719_331_200_322),
        failed_at: moment(1_719_331_200_322),
    };
    [kept(1, "orders", tea), kept(2, "", malformed)]
}

projectionist_conformance::store_suite!(SqliteStore, SqliteHarness::fresh());
