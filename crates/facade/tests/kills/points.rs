//! The points at which a process is killed, and how it tells that it is there.

use std::io::{Read, Write};
use std::sync::{Arc, Mutex, PoisonError};

use crate::mode::Mode;
use crate::random::Random;

/// A point in the work of a projection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Point {
    /// The handler has done what it does with an event.
    Handled,
    /// The handler has failed with an event.
    Failed,
    /// A commit is about to go to the store.
    BeforeSave,
    /// The store has taken a commit.
    AfterSave,
    /// Everything is written through a transaction, and nothing is committed.
    InTransaction,
    /// A transaction is committed, and nobody was told.
    AtCommit,
}

impl Point {
    pub(crate) const ALL: [Self; 6] = [
        Self::Handled,
        Self::Failed,
        Self::BeforeSave,
        Self::AfterSave,
        Self::InTransaction,
        Self::AtCommit,
    ];

    /// How it is written: in the plan, and on standard output when it is reached.
    fn name(self) -> String {
        format!("reached {self:?}")
    }

    /// The point that a line of output tells.
    pub(crate) fn told_by(line: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|point| point.name() == line)
    }
}

/// Where a process is killed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kill {
    pub(crate) point: Point,
    /// When the point is reached for so many times.
    pub(crate) count: u64,
    /// It goes no step further, so that the kill meets exactly this point. Else it goes on, and
    /// the kill meets it wherever it has come to.
    pub(crate) stays: bool,
}

/// So many points further a process stays that goes on, so that it cannot run away.
const LEASH: u64 = 40;

impl Kill {
    pub(crate) fn drawn(mode: Mode, random: &mut Random) -> Self {
        let points = mode.points();
        let last = points.len() as u64 - 1;
        let point = points[usize::try_from(random.within(0..=last)).unwrap()];
        let most = if point == Point::Handled { 20 } else { 5 };
        Self {
            point,
            count: random.within(1..=most),
            stays: random.once_in(2),
        }
    }

    /// What [`Kill::parse`] reads.
    pub(crate) fn text(&self) -> String {
        format!("{};{};{}", self.point.name(), self.count, self.stays)
    }

    pub(crate) fn parse(text: &str) -> Self {
        let parts: Vec<&str> = text.split(';').collect();
        Self {
            point: Point::told_by(parts[0]).unwrap(),
            count: parts[1].parse().unwrap(),
            stays: parts[2].parse().unwrap(),
        }
    }
}

/// Tells the parent which points are reached. A clone tells for the same process.
#[derive(Clone, Debug)]
pub(crate) struct Teller(Arc<Mutex<Told>>);

#[derive(Debug)]
struct Told {
    /// `None` for a process that is not killed.
    kill: Option<Kill>,
    /// How often the point of the kill was reached.
    reached: u64,
    /// How many points may still be passed, once it is to be killed.
    leash: Option<u64>,
}

impl Teller {
    pub(crate) fn new(kill: Option<Kill>) -> Self {
        Self(Arc::new(Mutex::new(Told {
            kill,
            reached: 0,
            leash: None,
        })))
    }

    /// Tells that `point` is reached. Does not return where the process is to stay.
    pub(crate) fn reach(&self, point: Point) {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(kill) = told.kill else { return };
        let mut output = std::io::stdout().lock();
        // The test runner may have written half a line.
        write!(output, "\n{}\n", point.name()).unwrap();
        output.flush().unwrap();
        drop(output);
        if point == kill.point {
            told.reached += 1;
        }
        let stays = match told.leash {
            None if told.reached == kill.count => {
                told.leash = Some(LEASH);
                kill.stays
            }
            None => false,
            Some(0) => true,
            Some(left) => {
                told.leash = Some(left - 1);
                false
            }
        };
        if stays {
            // Nothing else of this process tells anything either: the lock is kept.
            wait_for_the_kill();
        }
    }
}

/// Blocks until the parent kills this process, or is gone itself.
fn wait_for_the_kill() -> ! {
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
    std::process::exit(1)
}
