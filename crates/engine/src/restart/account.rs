//! What the owner of a lane keeps of its own doings, for its reports.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use projectionist_core::{ErrorClass, Offset, ReportedError, Timestamp};

/// The longest text of a reason or an error that is reported, in characters.
const LONGEST_TEXT: usize = 1_000;

/// No count yet.
const NONE: u64 = u64::MAX;

/// What the owner of a lane keeps of its own doings. What is counted once a commit is a few loads
/// and stores; all else happens seldom.
#[derive(Debug)]
pub(crate) struct Account {
    /// Events that commits have counted as read, since the projection was spawned.
    read: AtomicU64,
    restarts: AtomicU64,
    /// What was read when nothing more was at hand last, and the time of the last event then.
    quiet_at: AtomicU64,
    quiet_time: AtomicI64,
    behind: Mutex<Option<Behind>>,
    last_error: Mutex<Option<NotedError>>,
}

/// How many events the source had behind the offset when they were counted.
#[derive(Clone, Copy, Debug)]
struct Behind {
    events: u64,
    /// What was read by then.
    read: u64,
}

#[derive(Debug)]
struct NotedError {
    error: ReportedError,
    attempts: u32,
    /// It is over: the same error later is a new one.
    is_mended: bool,
}

impl Default for Account {
    fn default() -> Self {
        Self {
            read: AtomicU64::new(0),
            restarts: AtomicU64::new(0),
            quiet_at: AtomicU64::new(NONE),
            quiet_time: AtomicI64::new(0),
            behind: Mutex::default(),
            last_error: Mutex::default(),
        }
    }
}

impl Account {
    /// The store has taken a commit that counts so many events as read.
    pub(crate) fn has_read(&self, events: u64) {
        self.read.fetch_add(events, Ordering::Relaxed);
    }

    /// Events that were read since the projection was spawned.
    pub(crate) fn read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// A failed run is followed by another one.
    pub(crate) fn restarts_once_more(&self) {
        self.restarts.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn restarts(&self) -> u64 {
        self.restarts.load(Ordering::Relaxed)
    }

    /// Nothing more is at hand; the last event that was delivered happened at `event_time`.
    pub(crate) fn is_quiet_at(&self, event_time: i64) {
        self.quiet_time.store(event_time, Ordering::Relaxed);
        self.quiet_at.store(self.read(), Ordering::Relaxed);
    }

    /// Whether nothing was delivered, and nothing read, since nothing more was at hand.
    pub(crate) fn is_as_when_quiet(&self, event_time: i64) -> bool {
        self.quiet_at.load(Ordering::Relaxed) == self.read()
            && self.quiet_time.load(Ordering::Relaxed) == event_time
    }

    /// The source was asked how many events stand behind the offset.
    pub(crate) fn counted_behind(&self, events: Option<u64>) {
        let read = self.read();
        *lock(&self.behind) = events.map(|events| Behind { events, read });
    }

    /// How many events stand behind the offset by now, as far as that is known: what was counted
    /// last, without what was read since.
    pub(crate) fn behind(&self) -> Option<u64> {
        let behind = (*lock(&self.behind))?;
        let since = self.read().saturating_sub(behind.read);
        Some(behind.events.saturating_sub(since))
    }

    /// An attempt at the envelope at `offset` failed.
    pub(crate) fn attempt_failed(
        &self,
        offset: Offset,
        attempts: u32,
        text: &str,
        class: ErrorClass,
        now: Timestamp,
    ) {
        let mut last = lock(&self.last_error);
        let since = last
            .as_ref()
            .filter(|last| !last.is_mended && last.error.offset.as_ref() == Some(&offset))
            .map_or(now, |last| last.error.since);
        let error = ReportedError {
            text: capped(text),
            class,
            offset: Some(offset),
            since,
        };
        *last = Some(NotedError {
            error,
            attempts,
            is_mended: false,
        });
    }

    /// A run failed, at `offset` where an envelope is to blame. The attempt at that envelope has
    /// told more.
    pub(crate) fn run_failed(
        &self,
        offset: Option<&str>,
        text: &str,
        class: ErrorClass,
        now: Timestamp,
    ) {
        let mut last = lock(&self.last_error);
        let open = last.as_ref().filter(|last| !last.is_mended);
        let is_told = |last: &NotedError| match (&last.error.offset, offset) {
            (Some(told), Some(offset)) => told.text == offset,
            (None, None) => last.error.text == capped(text),
            _ => false,
        };
        if open.is_some_and(is_told) {
            return;
        }
        let error = ReportedError {
            text: capped(text),
            class,
            offset: None,
            since: now,
        };
        *last = Some(NotedError {
            error,
            attempts: 0,
            is_mended: false,
        });
    }

    /// What failed goes on, or is passed over.
    pub(crate) fn mended(&self) {
        if let Some(last) = lock(&self.last_error).as_mut() {
            last.is_mended = true;
        }
    }

    pub(crate) fn last_error(&self) -> Option<ReportedError> {
        lock(&self.last_error)
            .as_ref()
            .map(|last| last.error.clone())
    }

    /// How often the envelope at `offset` was tried, where that is the one that failed last.
    pub(crate) fn attempts_at(&self, offset: &Offset) -> u32 {
        let last = lock(&self.last_error);
        let last = last.as_ref();
        last.filter(|last| last.error.offset.as_ref() == Some(offset))
            .map_or(0, |last| last.attempts)
    }
}

/// A text of at most [`LONGEST_TEXT`] characters.
pub(crate) fn capped(text: &str) -> String {
    match text.char_indices().nth(LONGEST_TEXT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offset(text: &str) -> Offset {
        Offset {
            manifest: "m".into(),
            text: text.to_owned(),
        }
    }

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_unix_millis(seconds * 1_000)
    }

    #[test]
    fn errors_in_a_row_keep_the_time_of_the_first() {
        let account = Account::default();
        let fails = |text: &str, attempt, now| {
            account.attempt_failed(offset("4"), attempt, text, ErrorClass::Data, now);
        };
        fails("no", 1, at(1));
        fails("still no", 2, at(2));
        account.run_failed(Some("4"), "the handler failed", ErrorClass::Handler, at(3));
        let error = account.last_error().unwrap();
        assert_eq!((error.since, error.text.as_str()), (at(1), "still no"));
        assert_eq!(error.class, ErrorClass::Data);
        assert_eq!(account.attempts_at(&offset("4")), 2);
        assert_eq!(account.attempts_at(&offset("5")), 0);
        account.mended();
        fails("no", 1, at(9));
        assert_eq!(account.last_error().unwrap().since, at(9));
    }

    #[test]
    fn a_fault_of_the_source_keeps_its_time_while_it_lasts() {
        let account = Account::default();
        let fails = |text: &str, now| account.run_failed(None, text, ErrorClass::Outage, now);
        fails("away", at(1));
        fails("away", at(5));
        assert_eq!(account.last_error().unwrap().since, at(1));
        fails("gone", at(7));
        let error = account.last_error().unwrap();
        assert_eq!((error.since, error.text.as_str()), (at(7), "gone"));
    }

    #[test]
    fn what_is_behind_shrinks_with_what_is_read() {
        let account = Account::default();
        assert_eq!(account.behind(), None);
        account.has_read(10);
        account.counted_behind(Some(7));
        account.has_read(3);
        assert_eq!(account.behind(), Some(4));
        account.has_read(30);
        assert_eq!(account.behind(), Some(0));
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        let long = "é".repeat(LONGEST_TEXT + 1);
        assert_eq!(capped(&long).chars().count(), LONGEST_TEXT + 1);
        assert_eq!(capped("short"), "short");
    }
}
