//! What happens in a script.

use std::time::Duration;

use projectionist_engine::{
    KeyedConfig, LossRecovery, ParkConfig, Recovery, RetryDelay, WhenExhausted, WindowLimits,
};

use crate::common::millis;
use crate::common::random::Random;
use crate::common::store::{Fault as StoreFault, Verb};
use crate::guarantee::Guarantee;
use crate::subject::Fault;

/// One of the two places in which a process lives that shares the store.
pub(crate) type Slot = usize;

/// One thing that happens. Where a place is asked for, it is so many records behind what is
/// written.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// So many events are written.
    Push(u64),
    /// A record is written that is no envelope.
    PushMalformed,
    /// The event there meets a fault so many times.
    Meet {
        ahead: u64,
        fault: Fault,
        times: usize,
    },
    /// The event there never fits.
    Refuse { ahead: u64 },
    /// The source does not vouch for the record there.
    NotVouchedFor { ahead: u64 },
    /// The next verification fails.
    VerificationFails,
    /// The source fails when it has delivered what is written.
    SourceFails,
    /// The source panics when it has delivered what is written.
    SourcePanics,
    /// The source cannot be opened the next time.
    OpenFails,
    /// The next call of this kind in a process meets a fault.
    StoreFails(Slot, Verb, StoreFault),
    /// Commits of a process take so many milliseconds from now on.
    SlowCommits(Slot, u64),
    /// The process stops, when it runs.
    Stop(Slot),
    /// The process starts and waits for the lane, when it does not run.
    Spawn(Slot),
    /// The process starts anew and takes the lane.
    Steal(Slot),
    /// The process dies where it stands.
    Crash(Slot),
    /// The clock jumps so far that every claim has ended.
    ClaimsExpire,
    /// So many milliseconds pass.
    Pass(u64),
    /// Management asks for something.
    Ask(Asker, Wish),
}

/// Who asks.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Asker {
    /// The handle of a process.
    Handle(Slot),
    /// Another process, through the store.
    Store,
}

/// What is asked. A place is the remainder of a number by what is written.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wish {
    Pause,
    PauseAndWait,
    PauseAll,
    Resume,
    ResumeAll,
    SetOffset(u64),
    ClearOffset,
    /// Whether the expected offset is the one that the lane holds when this is asked.
    CompareAndSet {
        right: bool,
        to: u64,
    },
    SkipCurrent,
    Skip(u64),
    Report,
    WaitUntil(u64),
}

/// The settings of a projection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    pub(crate) guarantee: Guarantee,
    pub(crate) save_after: u64,
    pub(crate) max_unsaved: u64,
    pub(crate) group: u64,
    /// Not for at-most-once.
    pub(crate) recovery: Recovery,
    /// For at-most-once alone.
    pub(crate) loss: LossRecovery,
    pub(crate) letters: bool,
    pub(crate) isolates: bool,
    pub(crate) bisects: bool,
    pub(crate) when_exhausted: WhenExhausted,
    pub(crate) timeout: Option<Duration>,
    pub(crate) verifies: bool,
    pub(crate) inclusive: bool,
    /// For what is keyed alone.
    pub(crate) keyed: KeyedConfig,
    /// For what parks alone.
    pub(crate) parking: ParkConfig,
}

/// The settings and the steps of a script.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    pub(crate) settings: Settings,
    pub(crate) steps: Vec<Step>,
}

impl Script {
    /// The script that the seed decides.
    pub(crate) fn drawn(guarantee: Guarantee, seed: u64) -> Self {
        let mut random = Random::seeded(seed);
        let settings = Settings::drawn(guarantee, &mut random);
        let length = random.within(4..=30);
        let steps = (0..length).map(|_| step(&mut random)).collect();
        Self { settings, steps }
    }
}

impl Settings {
    fn drawn(guarantee: Guarantee, random: &mut Random) -> Self {
        let retries = u32::try_from(random.within(0..=2)).unwrap();
        let delay = RetryDelay::Fixed(millis(50));
        let recoveries = [
            Recovery::Fail,
            Recovery::Skip,
            Recovery::RetryAndFail { retries, delay },
            Recovery::RetryAndSkip { retries, delay },
        ];
        Self {
            guarantee,
            save_after: random.within(1..=12),
            max_unsaved: random.within(1..=20),
            group: random.within(1..=7),
            recovery: one_of(&recoveries, random),
            loss: one_of(&[LossRecovery::Fail, LossRecovery::Skip], random),
            letters: random.once_in(2),
            isolates: guarantee.is_grouped() && random.once_in(2),
            bisects: guarantee.is_grouped() && random.once_in(2),
            when_exhausted: if random.once_in(4) {
                WhenExhausted::Stop
            } else {
                WhenExhausted::Restart
            },
            timeout: random.once_in(2).then(|| millis(2_000)),
            verifies: random.once_in(3),
            inclusive: random.once_in(2),
            keyed: keyed(random),
            parking: parking(random),
        }
    }
}

/// A few handlers, and limits that are reached now and then.
fn keyed(random: &mut Random) -> KeyedConfig {
    let mut size = |most| usize::try_from(random.within(1..=most)).unwrap();
    KeyedConfig {
        handlers: size(4),
        window: WindowLimits {
            max_unsettled: size(12),
            max_ranges: size(4),
            max_held: size(3),
            ..WindowLimits::default()
        },
    }
}

/// Short waits, and limits that are reached now and then.
fn parking(random: &mut Random) -> ParkConfig {
    ParkConfig {
        retries: u32::try_from(random.within(0..=2)).unwrap(),
        delay: RetryDelay::Fixed(millis(50)),
        min_backoff: millis(random.within(1..=500)),
        max_backoff: millis(random.within(100..=1_000)),
        max_keys: usize::try_from(random.within(0..=3)).unwrap(),
        max_envelopes: usize::try_from(random.within(1..=10)).unwrap(),
    }
}

fn one_of<T: Copy>(choices: &[T], random: &mut Random) -> T {
    let last = choices.len() as u64 - 1;
    choices[usize::try_from(random.within(0..=last)).unwrap()]
}

fn step(random: &mut Random) -> Step {
    let slot = usize::try_from(random.within(0..=1)).unwrap();
    let ahead = random.within(1..=8);
    match random.within(0..=31) {
        0..=5 => Step::Push(random.within(1..=12)),
        6 => Step::PushMalformed,
        7..=9 => {
            let after = millis(random.within(0..=400));
            let faults = [
                Fault::Fails,
                Fault::Fails,
                Fault::Panics,
                Fault::Hangs,
                Fault::Drops,
                Fault::RetriesAfter(after),
                Fault::LosesVoucher,
            ];
            let fault = one_of(&faults, random);
            let times = usize::try_from(random.within(1..=4)).unwrap();
            Step::Meet {
                ahead,
                fault,
                times,
            }
        }
        10 => Step::Refuse { ahead },
        11 => one_of(
            &[Step::NotVouchedFor { ahead }, Step::VerificationFails],
            random,
        ),
        12 => one_of(
            &[Step::SourceFails, Step::SourcePanics, Step::OpenFails],
            random,
        ),
        13..=15 => store_fails(slot, random),
        16 => Step::Stop(slot),
        17..=19 => Step::Spawn(slot),
        20 => Step::Steal(slot),
        21 => Step::Crash(slot),
        22 => Step::SlowCommits(slot, random.within(0..=700)),
        23 if random.once_in(2) => Step::ClaimsExpire,
        24..=27 => ask(slot, random),
        _ => Step::Pass(random.within(0..=3_000)),
    }
}

fn store_fails(slot: Slot, random: &mut Random) -> Step {
    let verbs = [
        Verb::Commit,
        Verb::Commit,
        Verb::Begin,
        Verb::Load,
        Verb::Renew,
        Verb::Claim,
        Verb::Release,
        Verb::Manage,
    ];
    let faults = [
        StoreFault::Refused,
        StoreFault::Refused,
        StoreFault::AnswerLost,
        StoreFault::AnswerLost,
        StoreFault::Panics,
        StoreFault::RefusedForGood,
    ];
    Step::StoreFails(slot, one_of(&verbs, random), one_of(&faults, random))
}

fn ask(slot: Slot, random: &mut Random) -> Step {
    let place = random.within(0..=1_000);
    let right = random.once_in(2);
    let by_handle = random.once_in(2);
    let wishes = [
        Wish::Pause,
        if by_handle {
            Wish::PauseAndWait
        } else {
            Wish::PauseAll
        },
        Wish::Resume,
        Wish::ResumeAll,
        Wish::SetOffset(place),
        Wish::ClearOffset,
        Wish::CompareAndSet { right, to: place },
        if by_handle {
            Wish::SkipCurrent
        } else {
            Wish::Skip(place)
        },
        Wish::Skip(place),
        Wish::Report,
        Wish::WaitUntil(place),
    ];
    let asker = if by_handle {
        Asker::Handle(slot)
    } else {
        Asker::Store
    };
    Step::Ask(asker, one_of(&wishes, random))
}
