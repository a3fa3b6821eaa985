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
    /// The place in `keys` of each key that has a job which waits or is taken, by its hash.
    places: HashMap<u64, u32, BuildHasherDefault<Hashed>>,
    keys: Vec<Waiting>,
    free_keys: Vec<u32>,
    /// The keys whose next job may be taken.
    ready: VecDeque<TakenKey>,
    jobs: Vec<Place<J>>,
    free: Vec<u32>,
}

/// A key of which a job is taken: found again by its place, without its hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TakenKey(u32);

/// The jobs of a key that wait.
#[derive(Debug)]
struct Waiting {
    hash: u64,
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
            places: HashMap::default(),
            keys: Vec::new(),
            free_keys: Vec::new(),
            ready: VecDeque::new(),
            jobs: Vec::new(),
            free: Vec::new(),
        }
    }
}

impl<J> KeyQueues<J> {
    /// A job for the key with this hash, behind all others of that key.
    pub(super) fn push(&mut self, hash: u64, job: J) {
        let at = self.keep(job);
        match self.places.entry(hash) {
            Entry::Vacant(entry) => {
                let waiting = Waiting {
                    hash,
                    first: at,
                    last: at,
                };
                let key = put(&mut self.keys, &mut self.free_keys, waiting);
                entry.insert(key);
                self.ready.push_back(TakenKey(key));
            }
            Entry::Occupied(entry) => {
                let Some(waiting) = self.keys.get_mut(*entry.get() as usize) else {
                    return;
                };
                match self.jobs.get_mut(waiting.last as usize) {
                    Some(last) => last.next = at,
                    None => waiting.first = at,
                }
                waiting.last = at;
            }
        }
    }

    /// Puts the next job of a key that has none taken into `taken`, and gives the key. In place: to
    /// hand a job from one to the next costs more than to find it.
    pub(super) fn take(&mut self, taken: &mut Option<J>) -> Option<TakenKey> {
        let key = self.ready.pop_front()?;
        let waiting = self.keys.get_mut(key.0 as usize)?;
        let at = waiting.first;
        let place = self.jobs.get_mut(at as usize)?;
        *taken = place.job.take();
        waiting.first = place.next;
        if waiting.first == NONE {
            waiting.last = NONE;
        }
        self.free.push(at);
        Some(key)
    }

    /// The job that was taken of this key is done.
    pub(super) fn done(&mut self, key: TakenKey) {
        let Some(waiting) = self.keys.get(key.0 as usize) else {
            return;
        };
        if waiting.first == NONE {
            self.places.remove(&waiting.hash);
            self.free_keys.push(key.0);
        } else {
            self.ready.push_back(key);
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
        put(&mut self.jobs, &mut self.free, place)
    }
}

/// Puts something into a free place, or a new one; gives the place.
fn put<T>(places: &mut Vec<T>, free: &mut Vec<u32>, value: T) -> u32 {
    if let Some(at) = free.pop() {
        places[at as usize] = value;
        return at;
    }
    places.push(value);
    // The window lets through far fewer.
    u32::try_from(places.len() - 1).unwrap_or(NONE)
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

    /// Takes the job that must be next, and gives the key to be done with it.
    fn takes(queues: &mut KeyQueues<&'static str>, expected: &str) -> TakenKey {
        let mut job = None;
        let key = queues.take(&mut job).unwrap();
        assert_eq!(job, Some(expected));
        key
    }

    #[test]
    fn a_key_gives_its_jobs_in_order_and_one_at_a_time() {
        let mut queues = KeyQueues::default();
        for (key, job) in [(1, "a"), (1, "b"), (2, "c"), (1, "d")] {
            queues.push(key, job);
        }
        let one = takes(&mut queues, "a");
        let two = takes(&mut queues, "c");
        assert_eq!(
            queues.take(&mut None),
            None,
            "the other jobs are of taken keys"
        );
        queues.push(2, "e");
        queues.done(one);
        let one = takes(&mut queues, "b");
        assert_eq!(queues.take(&mut None), None);
        queues.done(two);
        queues.done(one);
        let two = takes(&mut queues, "e");
        let one = takes(&mut queues, "d");
        queues.done(one);
        queues.done(two);
        assert!(!queues.is_ready());
        assert!(queues.places.is_empty(), "a key without a job is forgotten");
    }

    #[test]
    fn a_place_of_a_forgotten_key_is_used_by_another_one() {
        let mut queues = KeyQueues::default();
        queues.push(1, "a");
        let one = takes(&mut queues, "a");
        queues.done(one);
        queues.push(2, "b");
        queues.push(1, "c");
        let two = takes(&mut queues, "b");
        queues.push(2, "d");
        let one = takes(&mut queues, "c");
        assert_ne!(one, two);
        assert_eq!(queues.take(&mut None), None, "both keys have a job taken");
        queues.done(two);
        takes(&mut queues, "d");
        assert_eq!(queues.keys.len(), 2);
    }

    #[test]
    fn places_are_used_again() {
        let mut queues = KeyQueues::default();
        for turn in 0..1_000_u64 {
            queues.push(turn % 3, turn);
            queues.push(turn % 3, turn);
            for _ in 0..2 {
                let mut job = None;
                let key = queues.take(&mut job).unwrap();
                assert_eq!(job, Some(turn));
                queues.done(key);
            }
        }
        assert_eq!((queues.jobs.len(), queues.keys.len()), (2, 1));
    }
}
