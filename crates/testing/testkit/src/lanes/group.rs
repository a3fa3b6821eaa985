//! Several consumers that share lanes.

use std::time::Duration;

use super::TestLanes;
use super::shared::SharedLanes;
use crate::TestSource;
use crate::misuse::misuse;

/// Several consumers of one group: each lane belongs to at most one of them at a time, and a test
/// moves it from one to another. Members are known by their index, from 0.
///
/// ```
/// use std::time::Duration;
/// use projectionist_testkit::{Handover, TestLaneGroup};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let group = TestLaneGroup::new(2, ["a", "b", "c"]);
/// group.lane("a").push("opened");
/// assert_eq!(group.member(0).assigned(), ["a", "c"]);
/// // A projection over `group.member(0)` reads "a" and "c", one over `group.member(1)` reads "b".
/// let handover = group.move_lane("a", 1, Duration::from_secs(10)).await;
/// assert_eq!((handover, group.holder("a")), (Handover::Released, Some(1)));
/// # }
/// ```
#[derive(Debug)]
pub struct TestLaneGroup<E> {
    lanes: SharedLanes<E>,
    members: Vec<TestLanes<E>>,
}

/// How a lane came to be free for the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handover {
    /// The one who had it released it.
    Released,
    /// The deadline passed before that.
    DeadlinePassed,
}

impl<E> TestLaneGroup<E> {
    /// A group of so many members, over which the lanes of these keys are dealt out one by one.
    #[must_use]
    pub fn new<K: AsRef<str>>(members: usize, keys: impl IntoIterator<Item = K>) -> Self {
        let lanes = SharedLanes::empty();
        let watchers = (0..members).map(|_| TestLanes::over(lanes.clone()));
        let members: Vec<TestLanes<E>> = watchers.collect();
        for (key, member) in keys.into_iter().zip(members.iter().cycle()) {
            member.assign(key.as_ref());
        }
        Self { lanes, members }
    }

    /// The lane source of one member.
    ///
    /// # Panics
    /// When there is no such member.
    #[must_use]
    #[track_caller]
    pub fn member(&self, index: usize) -> TestLanes<E> {
        let member = self.members.get(index).cloned();
        member.unwrap_or_else(|| misuse(&format!("the group has no member {index}")))
    }

    /// The source behind a lane, whoever holds it.
    #[must_use]
    pub fn lane(&self, key: &str) -> TestSource<E> {
        self.lanes.lane(key).source
    }

    /// The keys of all lanes, in alphabetical order.
    #[must_use]
    pub fn keys(&self) -> Vec<String> {
        self.lanes.keys()
    }

    /// The member that holds a lane.
    #[must_use]
    pub fn holder(&self, key: &str) -> Option<usize> {
        self.members
            .iter()
            .position(|member| member.lock().holds(key))
    }

    /// Gives a lane that nobody holds to a member.
    ///
    /// # Panics
    /// When a member holds it, or there is no such member.
    #[track_caller]
    pub fn assign(&self, key: &str, to: usize) {
        if let Some(holder) = self.holder(key) {
            misuse(&format!("the lane {key} is held by member {holder}"));
        }
        self.member(to).assign(key);
    }

    /// Moves a lane in order: it is revoked at its holder, and given to the other member when that
    /// one has released it or the deadline has passed. The revocation begins at once; what follows
    /// happens as the future is awaited.
    ///
    /// # Panics
    /// When nobody holds the lane, or there is no such member.
    #[track_caller]
    pub fn move_lane(
        &self,
        key: &str,
        to: usize,
        deadline: Duration,
    ) -> impl Future<Output = Handover> + Send + 'static + use<E>
    where
        E: Send + 'static,
    {
        let (from, to) = (self.holding(key), self.member(to));
        let released = from.revoke(key, deadline);
        let key = key.to_owned();
        async move {
            let handover = match tokio::time::timeout(deadline, released).await {
                Ok(()) => Handover::Released,
                Err(_) => Handover::DeadlinePassed,
            };
            to.assign(&key);
            handover
        }
    }

    /// Moves a lane behind the back of its holder, which loses it when the other member has it
    /// already.
    ///
    /// # Panics
    /// When nobody holds the lane, or there is no such member.
    #[track_caller]
    pub fn take_over(&self, key: &str, to: usize) {
        let (from, to) = (self.holding(key), self.member(to));
        to.assign(key);
        from.lose(key);
    }

    #[track_caller]
    fn holding(&self, key: &str) -> TestLanes<E> {
        match self.holder(key) {
            Some(index) => self.member(index),
            None => misuse(&format!("nobody holds the lane {key}")),
        }
    }
}
