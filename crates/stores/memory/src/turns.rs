//! Who may use what a store holds, and when.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Mutex as Turn, OwnedMutexGuard};

use crate::state::State;

/// What a store holds, and whose turn it is.
///
/// A single call is over before it could be waited for, so it locks the state itself, which costs
/// a few instructions. A transaction lasts as long as its handler, so it has the turn, and takes
/// the state out of its place until it ends: a call that finds the place empty waits for the turn.
/// Whoever waits has it in the order of asking.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    /// Where the state stands while a transaction has it; empty otherwise.
    turn: Arc<Turn<Box<State>>>,
    place: Mutex<Place>,
}

/// Where the state stands while no transaction has it.
#[derive(Debug, Default)]
struct Place {
    state: Box<State>,
    /// A transaction has the state; the empty one that stands here instead is never looked at.
    is_lent: bool,
}

/// The state during a single call.
pub(crate) struct Held<'a>(MutexGuard<'a, Place>);

impl Deref for Held<'_> {
    type Target = State;

    fn deref(&self) -> &State {
        &self.0.state
    }
}

impl DerefMut for Held<'_> {
    fn deref_mut(&mut self) -> &mut State {
        &mut self.0.state
    }
}

/// The state while a transaction has it. Dropping it puts the state back and ends the turn.
#[derive(Debug)]
pub(crate) struct Lent {
    turn: OwnedMutexGuard<Box<State>>,
    turns: Arc<Turns>,
}

impl Deref for Lent {
    type Target = State;

    fn deref(&self) -> &State {
        &self.turn
    }
}

impl DerefMut for Lent {
    fn deref_mut(&mut self) -> &mut State {
        &mut self.turn
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let mut place = self.turns.place();
        std::mem::swap(&mut place.state, &mut self.turn);
        place.is_lent = false;
    }
}

impl Turns {
    /// The state for a single call; waits while a transaction has it.
    pub(crate) async fn hold(&self) -> Held<'_> {
        if let Some(held) = self.held() {
            return held;
        }
        let _turn = self.turn.lock().await;
        // Whoever has the turn finds the state in its place: it is lent under the turn alone.
        Held(self.place())
    }

    /// As [`hold`](Self::hold); `None` where that would wait.
    pub(crate) fn held(&self) -> Option<Held<'_>> {
        let place = self.place();
        (!place.is_lent).then_some(Held(place))
    }

    /// The state for a transaction; waits while another one has it.
    pub(crate) async fn lend(self: &Arc<Self>) -> Lent {
        // To stand in the queue costs as much as most of what is done in the turn.
        let mut turn = match Arc::clone(&self.turn).try_lock_owned() {
            Ok(turn) => turn,
            Err(_) => Arc::clone(&self.turn).lock_owned().await,
        };
        let mut place = self.place();
        place.is_lent = true;
        std::mem::swap(&mut place.state, &mut turn);
        drop(place);
        Lent {
            turn,
            turns: Arc::clone(self),
        }
    }

    fn place(&self) -> MutexGuard<'_, Place> {
        self.place.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
