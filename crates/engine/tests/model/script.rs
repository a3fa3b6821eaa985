//! What happens in a script.

use crate::common::random::Random;
use crate::common::store::{Fault, Verb};
use crate::world::Guarantee;

/// One of the two processes that share the store.
pub(crate) type Process = usize;

/// One thing that happens.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// So many events are written.
    Push(u64),
    /// A record is written that is no envelope.
    PushMalformed,
    /// The event that will be written so many places further on fails so many times.
    Fail { ahead: u64, times: usize },
    /// The handler panics there.
    Panic { ahead: u64 },
    /// The event there can never be applied. Only where data errors are isolated.
    Refuse { ahead: u64 },
    /// The source fails when it has delivered what is written.
    SourceFails,
    /// The next call of this kind in a process meets a fault.
    StoreFails(Process, Verb, Fault),
    /// Commits of a process take so many milliseconds from now on.
    SlowCommits(Process, u64),
    /// The process stops, when it runs.
    Stop(Process),
    /// The process starts and waits for the lane, when it does not run.
    Spawn(Process),
    /// The process starts anew and takes the lane.
    Steal(Process),
    /// The clock jumps so far that every claim has ended.
    ClaimsExpire,
    /// So many milliseconds pass.
    Pass(u64),
}

/// The settings and the steps of a script.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    pub(crate) save_after: u64,
    pub(crate) max_unsaved: u64,
    pub(crate) group: usize,
    pub(crate) retries: u32,
    pub(crate) inclusive: bool,
    pub(crate) steps: Vec<Step>,
}

impl Script {
    /// The script that the seed decides.
    pub(crate) fn drawn(guarantee: Guarantee, seed: u64) -> Self {
        let mut random = Random::seeded(seed);
        let max_unsaved = random.within(1..=20);
        let length = random.within(4..=30);
        let steps = (0..length).map(|_| step(guarantee, &mut random)).collect();
        Self {
            save_after: random.within(1..=12),
            max_unsaved,
            group: usize::try_from(random.within(1..=7)).unwrap(),
            retries: u32::try_from(random.within(0..=2)).unwrap(),
            inclusive: random.once_in(2),
            steps,
        }
    }
}

fn step(guarantee: Guarantee, random: &mut Random) -> Step {
    let process = usize::try_from(random.within(0..=1)).unwrap();
    let ahead = random.within(1..=8);
    match random.within(0..=18) {
        0..=4 => Step::Push(random.within(1..=12)),
        5 => Step::PushMalformed,
        6 => Step::Fail {
            ahead,
            times: usize::try_from(random.within(1..=4)).unwrap(),
        },
        7 => Step::Panic { ahead },
        8 if guarantee == Guarantee::GroupedExactlyOnce => Step::Refuse { ahead },
        8 | 9 => Step::SourceFails,
        10 | 11 => {
            let verbs = [
                Verb::Commit,
                Verb::Commit,
                Verb::Begin,
                Verb::Load,
                Verb::Renew,
                Verb::Claim,
            ];
            let faults = [Fault::Refused, Fault::AnswerLost, Fault::Panics];
            let verb = verbs[usize::try_from(random.within(0..=5)).unwrap()];
            let mut fault = faults[usize::try_from(random.within(0..=2)).unwrap()];
            if verb == Verb::Claim && fault == Fault::Panics {
                // A store that panics while it is asked for the lane ends the projection.
                fault = Fault::Refused;
            }
            Step::StoreFails(process, verb, fault)
        }
        12 => Step::Stop(process),
        13 | 14 => Step::Spawn(process),
        15 => Step::Steal(process),
        16 => Step::SlowCommits(process, random.within(0..=700)),
        17 if random.once_in(2) => Step::ClaimsExpire,
        _ => Step::Pass(random.within(0..=3_000)),
    }
}
