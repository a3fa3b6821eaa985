//! Runs the cases in turn, so that all of them meet the same minutes of the machine, and prints what
//! they cost beside each other.

use super::case::Case;
use super::peer::{Peer, VARIABLE};
use super::run::run;
use crate::failure::Outcome;
use crate::flavor::Flavor;
use crate::sample::Sample;
use crate::table::Table;

/// How much is measured.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Envelopes of one run.
    pub envelopes: u64,
    /// Envelopes of one run of the peer.
    pub envelopes_of_peer: u64,
    /// Runs of each case.
    pub runs: u64,
}

/// The measurements of one case on one runtime.
struct Measured {
    case: Case,
    flavor: Flavor,
    cpu_nanos: Sample,
    allocations: Sample,
    peer_nanos: Sample,
    peer_allocations: Option<f64>,
}

/// Measures and prints.
///
/// # Errors
/// When a run fails.
pub fn report(plan: Plan) -> Outcome<()> {
    let peer = Peer::from_environment();
    let mut all: Vec<Measured> = Flavor::ALL
        .into_iter()
        .flat_map(|flavor| Case::ALL.map(|case| Measured::new(case, flavor)))
        .collect();
    // The first run of a process pays for pages and caches that later ones find.
    run(Case::AtLeastOnce, Flavor::Threads, plan.envelopes)?;
    for _ in 0..plan.runs {
        for measured in &mut all {
            measured.once(plan, peer.as_ref())?;
        }
    }
    if let Some(peer) = &peer {
        for measured in &mut all {
            measured.count_peer(plan, peer)?;
        }
    }
    println!(
        "engine alone: {} envelopes a run, {} runs, medians (least..most)\n",
        plan.envelopes, plan.runs
    );
    print!("{}", table(&all));
    if peer.is_none() {
        println!("\nno peer: set {VARIABLE} to the program of benchmarks/peers/datum");
    }
    Ok(())
}

impl Measured {
    fn new(case: Case, flavor: Flavor) -> Self {
        Self {
            case,
            flavor,
            cpu_nanos: Sample::default(),
            allocations: Sample::default(),
            peer_nanos: Sample::default(),
            peer_allocations: None,
        }
    }

    fn once(&mut self, plan: Plan, peer: Option<&Peer>) -> Outcome<()> {
        let cost = run(self.case, self.flavor, plan.envelopes)?;
        self.cpu_nanos.push(cost.cpu_nanos);
        self.allocations.push(cost.allocations);
        // The observed case meets the same peer as the one before it.
        if let (Some(peer), Some(mode)) = (peer, self.case.mode_of_peer()) {
            let nanos = peer.cpu_nanos(&mode, self.flavor, plan.envelopes_of_peer)?;
            self.peer_nanos.push(nanos);
        }
        Ok(())
    }

    fn count_peer(&mut self, plan: Plan, peer: &Peer) -> Outcome<()> {
        if let Some(mode) = self.case.mode_of_peer() {
            let counted = peer.counted(&mode, self.flavor, plan.envelopes_of_peer)?;
            self.peer_allocations = Some(counted.allocations);
        }
        Ok(())
    }
}

fn table(all: &[Measured]) -> Table {
    let mut table = Table::new(&[
        "runtime",
        "case",
        "CPU ns/envelope",
        "envelopes/CPU s",
        "allocations/envelope",
        "times the bare loop",
        "Datum CPU ns",
        "Datum allocations",
        "Datum / ours",
    ]);
    for measured in all {
        let nanos = measured.cpu_nanos.median();
        let bare = all
            .iter()
            .find(|other| other.case == Case::BareLoop && other.flavor == measured.flavor);
        let times_bare = bare.map_or(f64::NAN, |bare| nanos / bare.cpu_nanos.median());
        let peer = measured.peer_nanos.median();
        let or_dash = |value: f64, decimals: usize| match value.is_nan() {
            true => "-".to_owned(),
            false => format!("{value:.decimals$}"),
        };
        table.row([
            measured.flavor.name().to_owned(),
            measured.case.name(),
            measured.cpu_nanos.spread(1),
            format!("{:.0}", 1e9 / nanos),
            format!("{:.4}", measured.allocations.median()),
            or_dash(times_bare, 2),
            or_dash(peer, 0),
            or_dash(measured.peer_allocations.unwrap_or(f64::NAN), 2),
            or_dash(peer / nanos, 1),
        ]);
    }
    table
}
