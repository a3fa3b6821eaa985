//! Whatever the program, the events and the cuts between groups: the tables, the guard and the
//! counters are those of an oracle that applies one event after the other.

use projectionist_apply::ApplyOptions;
use projectionist_core::Counters;
use proptest::prelude::*;

use crate::support::oracle::{Oracle, Outcome};
use crate::support::program::{EVENT_TYPES, ProgramSeed, program};
use crate::support::records::{RecordSeed, record};
use crate::support::runner::Runner;
use crate::support::values::seen;

#[derive(Clone, Debug)]
struct Case {
    program: ProgramSeed,
    records: Vec<RecordSeed>,
    /// The size of each group, and what happens to it; the last one goes on to the end.
    groups: Vec<(usize, u8)>,
    cache: usize,
}

fn case(records: usize) -> impl Strategy<Value = Case> {
    let mutations = proptest::collection::vec(any::<(u8, u64)>(), EVENT_TYPES);
    let program =
        (any::<u64>(), mutations).prop_map(|(table, mutations)| ProgramSeed { table, mutations });
    let record =
        any::<(u64, [u64; 3])>().prop_map(|(envelope, payload)| RecordSeed { envelope, payload });
    let records = proptest::collection::vec(record, 1..records);
    let groups = proptest::collection::vec((1..20_usize, 0..8_u8), 1..8);
    let cache = prop_oneof![Just(0), Just(4), Just(1_000)];
    (program, records, groups, cache).prop_map(|(program, records, groups, cache)| Case {
        program,
        records,
        groups,
        cache,
    })
}

fn check(case: &Case) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(run(case));
}

async fn run(case: &Case) {
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
            0 => runner.run_twice(&events).await,
            1 => {
                runner.restart();
                oracle.restart();
                runner.run(&events).await;
            }
            _ => runner.run(&events).await,
        }
        for record in group {
            match oracle.apply(record) {
                Outcome::Unmatched => expected.unmatched += 1,
                Outcome::Stale => expected.stale += 1,
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

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn groups_leave_what_single_events_leave(case in case(50)) {
        check(&case);
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 100_000,
        failure_persistence: None,
        max_shrink_iters: 4_000,
        ..ProptestConfig::default()
    })]

    #[test]
    #[ignore = "minutes long; part of the soak"]
    fn soak_groups_leave_what_single_events_leave(case in case(120)) {
        check(&case);
    }
}
