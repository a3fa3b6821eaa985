//! The process that runs the projection and is killed.

use std::path::{Path, PathBuf};

use projectionist::contract::Mode as ReadTo;
use projectionist::sqlite::{SqliteOptions, SqliteStore};
use projectionist::{
    Completion, GroupConfig, Projection, ProjectionHandle, ProjectionId, ProjectionRuntime,
    SaveConfig,
};

use crate::handlers::{Log, Rows};
use crate::mode::{GROUP, MAX_UNSAVED, Mode, SAVE_AFTER};
use crate::out_of_order::{self, Parts};
use crate::points::{Kill, Teller};
use crate::source::Numbered;
use crate::told_store::ToldStore;

/// Tells a process that it is the one to be killed, and where its files are.
pub(crate) const PLACE: &str = "PROJECTIONIST_KILLS_PLACE";

/// Tells it where it is to be killed; not set for one that comes to its end.
pub(crate) const KILL: &str = "PROJECTIONIST_KILLS_AT";

/// What the last process says when everything is handled and saved.
pub(crate) const DONE: &str = "everything is handled";

pub(crate) const EVENTS: &str = "events.txt";
pub(crate) const LOG: &str = "log.txt";
pub(crate) const VIEWS: &str = "views.db";

pub(crate) fn id() -> ProjectionId {
    ProjectionId::new("numbers", "all").unwrap()
}

/// In the process that is to be killed this does not return.
pub(crate) fn run_if_this_is_one(mode: Mode) {
    let Ok(place) = std::env::var(PLACE) else {
        return;
    };
    let kill = std::env::var(KILL).ok();
    let kill = kill.map(|kill| Kill::parse(&kill));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_time()
        .build()
        .unwrap();
    let ended = runtime.block_on(async {
        let handle = spawn(mode, &PathBuf::from(place), &Teller::new(kill));
        handle.wait().await
    });
    assert_eq!(ended.unwrap(), Completion::Completed);
    println!("\n{DONE}");
    std::process::exit(0);
}

fn spawn(mode: Mode, place: &Path, teller: &Teller) -> ProjectionHandle {
    let source = Numbered(place.join(EVENTS));
    let store = ToldStore {
        inner: SqliteStore::open(place.join(VIEWS), SqliteOptions::default()).unwrap(),
        teller: teller.clone(),
    };
    let log = {
        let (path, teller) = (place.join(LOG), teller.clone());
        move || Log::append_to(&path, mode, &teller)
    };
    let rows = {
        let teller = teller.clone();
        move || Rows::new(&teller)
    };
    let save = SaveConfig {
        after_envelopes: SAVE_AFTER,
        max_unsaved: MAX_UNSAVED,
        ..SaveConfig::default()
    };
    let group = GroupConfig {
        max_envelopes: usize::try_from(GROUP).unwrap(),
        ..GroupConfig::default()
    };
    let runtime = ProjectionRuntime::new();
    let spawned = match mode {
        Mode::AtLeastOnce => runtime.spawn(
            Projection::at_least_once(id(), source, store, log)
                .with_save(save)
                .with_mode(ReadTo::Current),
        ),
        Mode::SettledAtLeastOnce => runtime.spawn(
            Projection::settled_at_least_once(id(), source, store, log)
                .with_save(save)
                .keeping_dead_letters()
                .with_mode(ReadTo::Current),
        ),
        Mode::GroupedAtLeastOnce => runtime.spawn(
            Projection::grouped_at_least_once(id(), source, store, log)
                .with_group(group)
                .with_mode(ReadTo::Current),
        ),
        Mode::AtMostOnce => runtime
            .spawn(Projection::at_most_once(id(), source, store, log).with_mode(ReadTo::Current)),
        Mode::ExactlyOnce => runtime
            .spawn(Projection::exactly_once(id(), source, store, rows).with_mode(ReadTo::Current)),
        Mode::GroupedExactlyOnce => runtime.spawn(
            Projection::grouped_exactly_once(id(), source, store, rows)
                .with_group(group)
                .with_mode(ReadTo::Current),
        ),
        _ => {
            let teller = teller.clone();
            let parts = Parts {
                source,
                store,
                save,
                log,
                rows,
                teller,
            };
            out_of_order::spawn(&runtime, mode, parts).unwrap()
        }
    };
    spawned.unwrap()
}
