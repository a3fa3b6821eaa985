//! Whatever the program, the events and the cuts between groups: the tables, the guard and the
//! counters are those of an oracle that applies one event after the other.

use projectionist_apply::ApplyOptions;
use projectionist_core::Counters;
use projectionist_language::model::Sequence;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crate::support::case::{Case, Fate};
use crate::support::oracle::{Oracle, Outcome};
use crate::support::program::program;
use crate::support::random::seed;
use crate::support::records::record;
use crate::support::runner::Runner;
use crate::support::values::seen;

/// So many programs run in each of the two tests, with at most so many events.
const PROGRAMS: (u64, usize) = (5_000, 12);

/// So many programs run in each half of a soak, with at most so many events.
const SOAK_PROGRAMS: (u64, usize) = (500_000, 60);

/// Runs so many programs, and gives what became of their events.
fn play(sequence: Sequence, (programs, most_records): (u64, usize), seed: u64) -> Counters {
    println!("seed: {seed} (again: PROJECTIONIST_SEED={seed})");
    let mut totals = Counters::default();
    for number in 0..programs {
        let seed = seed.wrapping_add(number);
        let case = Case::drawn(sequence, seed, most_records);
        match catch_unwind(AssertUnwindSafe(|| check(&case))) {
            Ok(counters) => totals.add(&counters),
            Err(panic) => {
                println!(
                    "seed {seed} is the one that fails: {:#?}",
                    case.shrunk(|case| _ = check(case))
                );
                resume_unwind(panic);
            }
        }
    }
    totals
}

fn check(case: &Case) -> Counters {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(run(case))
}

async fn run(case: &Case) -> Counters {
    let program = program(&case.program);
    let options = ApplyOptions {
        max_tenants: 2,
        guard_cache_entries: case.cache,
    };
    let mut runner = Runner::new(&program, options).await;
    let mut oracle = Oracle::new(&program, options.max_tenants);
    let records: Vec<String> = case.records.iter().map(record).collect();
    let (mut expected, mut dead) = (Counters::default(), Vec::new());
    let mut rest = records.as_slice();
    for (size, fate) in case.groups.iter().cycle() {
        let (group, others) = rest.split_at(rest.len().min(*size));
        rest = others;
        let events: Vec<_> = group.iter().map(|record| runner.decode(record)).collect();
        match fate {
            Fate::Committed => runner.run(&events).await,
            Fate::RolledBack => runner.run_twice(&events).await,
            Fate::Killed => {
                runner.refused(&events).await;
                runner.restart();
                oracle.restart();
                runner.run(&events).await;
            }
            Fate::Restarted => {
                runner.restart();
                oracle.restart();
                runner.run(&events).await;
            }
        }
        for record in group {
            match oracle.apply(record) {
                Outcome::Unmatched => expected.unmatched += 1,
                Outcome::Stale => expected.stale += 1,
                Outcome::Filtered => expected.filtered += 1,
                Outcome::Ignored => expected.ignored += 1,
                Outcome::Applied => expected.applied += 1,
                Outcome::Dead(class) => {
                    expected.dead_lettered += 1;
                    dead.push((expected.read, class));
                }
            }
            expected.read += 1;
        }
        if rest.is_empty() {
            break;
        }
    }
    let folded = runner.counters.folded;
    assert!(folded <= expected.applied);
    let got_dead = runner.dead.iter().map(|(at, class, _)| (*at, *class));
    assert_eq!(got_dead.collect::<Vec<_>>(), dead, "{:?}", runner.dead);
    assert_eq!(runner.counters, Counters { folded, ..expected });
    assert_eq!(expected.pending(), 0);
    same_tables(&runner, &oracle, &program.projections[0].key).await;
    for ((tenant, fork, entity), last) in &oracle.guard {
        let got = runner.last_applied(tenant, fork, entity).await;
        assert_eq!(got, Some(*last), "{tenant} {fork} {entity}");
    }
    runner.counters
}

async fn same_tables(runner: &Runner, oracle: &Oracle, key: &[usize]) {
    for tenant in ["", "t1", "t2", "t3", "Bad"] {
        let is_known = oracle.tables.contains_key(tenant);
        assert!(is_known || !runner.has_table(tenant).await, "{tenant:?}");
    }
    for (tenant, rows) in &oracle.tables {
        let stored = runner.rows(tenant).await;
        let stored: std::collections::BTreeMap<_, _> = stored
            .iter()
            .map(|row| row.iter().map(seen).collect::<Vec<_>>())
            .map(|row| {
                let cells: Vec<_> = key.iter().map(|at| &row[*at]).collect();
                (format!("{cells:?}"), row)
            })
            .collect();
        assert_eq!(&stored, rows, "tenant {tenant:?}");
    }
}

/// Everything that can become of an event does, or the programs prove nothing of it.
fn assert_varied(counters: &Counters) {
    let Counters {
        applied,
        unmatched,
        filtered,
        ignored,
        dead_lettered,
        folded,
        ..
    } = *counters;
    let rare = [applied, unmatched, filtered, ignored, dead_lettered, folded];
    assert!(rare.iter().all(|events| *events > 500), "{rare:?}");
}

#[test]
fn groups_leave_what_single_events_leave_under_the_guard() {
    let counters = play(Sequence::Guarded, PROGRAMS, seed());
    assert_varied(&counters);
    assert!(counters.stale > 1_000, "{counters:?}");
}

#[test]
fn groups_leave_what_single_events_leave_without_the_guard() {
    let counters = play(Sequence::None, PROGRAMS, seed());
    assert_varied(&counters);
    assert_eq!(counters.stale, 0);
}

/// A million random programs: groups leave what single events leave.
#[test]
#[ignore = "long: run by `cargo xtask soak`"]
fn soak_groups_leave_what_single_events_leave() {
    let (programs, _) = SOAK_PROGRAMS;
    for sequence in [Sequence::Guarded, Sequence::None] {
        let Counters {
            read,
            applied,
            folded,
            dead_lettered,
            ..
        } = play(sequence, SOAK_PROGRAMS, seed());
        println!(
            "figure: declared_programs sequence={sequence:?} programs={programs} read={read} \
             applied={applied} folded={folded} dead_lettered={dead_lettered} differing=0"
        );
    }
}
