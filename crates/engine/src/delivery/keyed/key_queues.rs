//! Envelopes that wait to be handled, in order for each key.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasherDefault, Hasher};

/// No job.
const NONE: u32 = u32::MAX;

/// Jobs that wait, in order for each key. A key whose job is taken gives no other one before that
/// one is done.
///
/// Its buffers are used again: a job that passes through allocates nothing.
#[derive(Debug)]
pub(super) struct KeyQueues<J> {
    /// The keys that have a job which waits or is taken.
    keys: HashMap<u64, Waiting, BuildHasherDefault<Hashed>>,
    /// The keys whose next job may be taken.
    ready: VecDeque<u64>,
    jobs: Vec<Place<J>>,
    free: Vec<u32>,
}

/// The jobs of a key that wait.
#[derive(Debug)]
struct Waiting {
    first: u32,
    last: u32,
}

#[derive(Debug)]
struct Place<J> {
    job: Option<J>,
    next: u32,
}

impl<J> Default for KeyQueues<J> {
    fn default() -> Self {
        Self {
            keys: HashMap::default(),
            ready: VecDeque::new(),
            jobs: Vec::new(),
            free: Vec::new(),
        }
    }
}

impl<J> KeyQueues<J> {
    /// A job for the key with this hash, behind all others of that key.
    pub(super) fn push(&mut self, key: u64, job: J) {
        let at = self.keep(job);
        match self.keys.entry(key) {
            Entry::Vacant(entry) => {
                entry.insert(Waiting {
                    first: at,
                    last: at,
                });
                self.ready.push_back(key);
            }
            Entry::Occupied(mut entry) => {
                let waiting = entry.get_mut();
                match self.jobs.get_mut(waiting.last as usize) {
                    Some(last) => last.next = at,
                    None => waiting.first = at,
                }
                waiting.last = at;
            }
        }
    }

    /// Takes the next job of a key that has none taken.
    pub(super) fn take(&mut self) -> Option<(u64, J)> {
        let key = self.ready.pop_front()?;
        let waiting = self.keys.get_mut(&key)?;
        let at = waiting.first;
        let place = self.jobs.get_mut(at as usize)?;
        let job = place.job.take()?;
        waiting.first = place.next;
        if waiting.first == NONE {
            waiting.last = NONE;
        }
        self.free.push(at);
        Some((key, job))
    }

    /// The job that was taken of this key is done.
    pub(super) fn done(&mut self, key: u64) {
        if let Entry::Occupied(entry) = self.keys.entry(key) {
            if entry.get().first == NONE {
                entry.remove();
            } else {
                self.ready.push_back(key);
            }
        }
    }

    /// Whether a job may be taken.
    pub(super) fn is_ready(&self) -> bool {
        !self.ready.is_empty()
    }

    fn keep(&mut self, job: J) -> u32 {
        let place = Place {
            job: Some(job),
            next: NONE,
        };
        if let Some(at) = self.free.pop() {
            self.jobs[at as usize] = place;
            return at;
        }
        self.jobs.push(place);
        // The window lets through far fewer.
        u32::try_from(self.jobs.len() - 1).unwrap_or(NONE)
    }
}

/// The hasher of what is a hash already.
#[derive(Debug, Default)]
pub(super) struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }
    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_gives_its_jobs_in_order_and_one_at_a_time() {
        let mut queues = KeyQueues::default();
        for (key, job) in [(1, "a"), (1, "b"), (2, "c"), (1, "d")] {
            queues.push(key, job);
        }
        assert_eq!(queues.take(), Some((1, "a")));
        assert_eq!(queues.take(), Some((2, "c")));
        assert_eq!(queues.take(), None, "the other jobs are of taken keys");
        queues.push(2, "e");
        queues.done(1);
        assert_eq!(queues.take(), Some((1, "b")));
        assert_eq!(queues.take(), None);
        queues.done(2);
        queues.done(1);
        assert_eq!(queues.take(), Some((2, "e")));
        assert_eq!(queues.take(), Some((1, "d")));
        queues.done(1);
        queues.done(2);
        assert!(!queues.is_ready());
        assert!(queues.keys.is_empty(), "a key without a job is forgotten");
    }

    #[test]
    fn places_are_used_again() {
        let mut queues = KeyQueues::default();
        for turn in 0..1_000_u64 {
            queues.push(turn % 3, turn);
            queues.push(turn % 3, turn);
            for _ in 0..2 {
                assert_eq!(queues.take(), Some((turn % 3, turn)));
                queues.done(turn % 3);
            }
        }
        assert_eq!(queues.jobs.len(), 2);
    }
}
