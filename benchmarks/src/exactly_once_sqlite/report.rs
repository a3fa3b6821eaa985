//! Lets both take turns, compares what they left, and prints what they used beside each other.

use std::path::Path;

use super::case::{Case, Who};
use super::run::{Cost, run};
use super::verify::same_results;
use crate::failure::Outcome;
use crate::sample::Sample;
use crate::table::Table;

/// How much is measured.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Envelopes of a run that has a transaction for each.
    pub envelopes: u64,
    /// Envelopes of a run in groups.
    pub grouped_envelopes: u64,
    /// Runs of each.
    pub runs: u64,
}

/// The measurements of one case.
#[derive(Default)]
struct Compared {
    both: [Measured; 2],
    /// The processor time of the engine in a turn, in that of the loop in the same turn: both met
    /// the same minute of the machine.
    ratios: Sample,
}

/// The measurements of one of both in one case.
#[derive(Default)]
struct Measured {
    cpu_micros: Sample,
    wall_micros: Sample,
}

impl Measured {
    fn add(&mut self, cost: Cost, envelopes: u64) {
        let an_envelope = |seconds: f64| seconds * 1e6 / envelopes as f64;
        self.cpu_micros.push(an_envelope(cost.cpu.as_secs_f64()));
        self.wall_micros.push(an_envelope(cost.wall.as_secs_f64()));
    }
}

/// Measures and prints. The files stay in `folder`.
///
/// # Errors
/// When a run fails, or when the results differ.
pub fn report(folder: &Path, plan: Plan) -> Outcome<()> {
    std::fs::create_dir_all(folder)?;
    let mut table = Table::new(&[
        "case",
        "engine CPU µs/envelope",
        "by hand CPU µs/envelope",
        "engine / by hand",
        "engine wall µs/envelope",
        "by hand wall µs/envelope",
    ]);
    let mut all = Case::ALL.map(|case| (case, Compared::default()));
    let mut entities = 0;
    for turn in 0..plan.runs {
        for (case, compared) in &mut all {
            entities = compared.take_turns(folder, *case, envelopes(plan, *case), turn)?;
        }
    }
    for (case, compared) in &all {
        let [engine, by_hand] = &compared.both;
        table.row([
            case.name(),
            engine.cpu_micros.spread(2),
            by_hand.cpu_micros.spread(2),
            compared.ratios.spread(2),
            engine.wall_micros.spread(2),
            by_hand.wall_micros.spread(2),
        ]);
    }
    println!(
        "exactly-once into SQLite: {} envelopes one a transaction, {} in groups, {entities} \
         entities, the same rows from both; {} runs in turn, medians (least..most)\n",
        plan.envelopes, plan.grouped_envelopes, plan.runs
    );
    print!("{table}");
    Ok(())
}

fn envelopes(plan: Plan, case: Case) -> u64 {
    match case {
        Case::Single => plan.envelopes,
        Case::Grouped(_) => plan.grouped_envelopes,
    }
}

impl Compared {
    /// A run of each; who begins changes from turn to turn, so that a machine that becomes slower
    /// spares nobody. Gives how many rows both have left.
    fn take_turns(
        &mut self,
        folder: &Path,
        case: Case,
        envelopes: u64,
        turn: u64,
    ) -> Outcome<usize> {
        let order = match turn.is_multiple_of(2) {
            true => [0, 1],
            false => [1, 0],
        };
        let mut used = [0.0; 2];
        for index in order {
            let cost = run(folder, case, Who::ALL[index], envelopes)?;
            self.both[index].add(cost, envelopes);
            used[index] = cost.cpu.as_secs_f64();
        }
        let [engine, by_hand] = used;
        self.ratios.push(engine / by_hand);
        same_results(folder, case, envelopes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tiny_run_has_every_figure() {
        let folder = tempfile::tempdir().unwrap();
        let mut compared = Compared::default();
        for turn in 0..2 {
            let case = Case::Grouped(500);
            let entities = compared
                .take_turns(folder.path(), case, 1_500, turn)
                .unwrap();
            assert_eq!(entities, 64);
        }
        assert_eq!(compared.ratios.runs(), 2);
        for measured in &compared.both {
            assert_eq!(measured.cpu_micros.runs(), 2);
            assert!(measured.cpu_micros.median() > 0.0 && measured.wall_micros.median() > 0.0);
        }
    }
}
