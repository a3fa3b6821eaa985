//! A shared pass over a source: what is kept of it, and who reads it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use projectionist_core::contract::SourceProvider;
use projectionist_core::{Error, Result};
use tokio::sync::{Notify, watch};

use super::HubConfig;
use super::shared_error::share;
use super::window::{Entry, Position, Window};

/// How many records a reader takes in one go.
const TAKE: usize = 64;

/// A shared pass over a source.
pub(super) struct Pass<P: SourceProvider> {
    state: Mutex<State<P>>,
    config: HubConfig,
    /// Tells the readers that there is something new.
    told: watch::Sender<()>,
    /// Tells the pass that a reader came, moved or left.
    pub(super) moved: Notify,
}

struct State<P: SourceProvider> {
    stage: Stage,
    /// Where it began, or will begin.
    from: Option<Position<P>>,
    window: Window<P>,
    members: Vec<Member>,
    numbered: u64,
    end: Option<Result<(), Arc<Error>>>,
    /// Nobody reads it any more, and nobody can begin to.
    is_over: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// It waits for others who may want to begin at a lower position.
    Gathering,
    Opening,
    Open,
}

struct Member {
    number: u64,
    place: Place,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// The number of the record that it takes next.
    At(u64),
    /// It reads alone.
    Alone,
}

/// Whether a pass can go on.
pub(super) enum Room {
    Free,
    /// The slowest reader has not taken what would have to go.
    Full,
    /// All readers are alone at the moment; it waits for one to join.
    Idle,
    /// It has no reader.
    Over,
}

/// What a reader finds.
pub(super) enum Taken {
    Items,
    /// It was too slow, and is alone.
    Detached,
    End(Result<(), Arc<Error>>),
}

impl<P: SourceProvider> Pass<P> {
    /// A pass that begins at the lowest position that is asked for before it opens the source.
    pub(super) fn gathering(config: HubConfig) -> Arc<Self> {
        Self::new(config, Stage::Gathering, None)
    }

    /// A pass that begins behind `from`.
    pub(super) fn behind(config: HubConfig, from: Option<Position<P>>) -> Arc<Self> {
        Self::new(config, Stage::Opening, from)
    }

    fn new(config: HubConfig, stage: Stage, from: Option<Position<P>>) -> Arc<Self> {
        let state = State {
            stage,
            window: Window::behind(from.clone()),
            from,
            members: Vec::new(),
            numbered: 0,
            end: None,
            is_over: false,
        };
        Arc::new(Self {
            state: Mutex::new(state),
            config,
            told: watch::Sender::new(()),
            moved: Notify::new(),
        })
    }

    /// Makes whoever stands at `from` a member, sharing or alone; `None` when the pass is over.
    pub(super) fn join(self: &Arc<Self>, from: Option<&Position<P>>) -> Option<Membership<P>> {
        let mut state = self.lock();
        if state.is_over || state.end.is_some() {
            return None;
        }
        let is_gathered = state.stage == Stage::Gathering;
        if is_gathered && (state.members.is_empty() || from < state.from.as_ref()) {
            state.from = from.cloned();
            state.window = Window::behind(from.cloned());
        }
        let place = state.place_for(from, &self.config);
        let number = state.numbered;
        state.numbered += 1;
        state.members.push(Member { number, place });
        drop(state);
        self.moved.notify_one();
        Some(Membership {
            pass: Arc::clone(self),
            number,
            is_gathered,
            news: self.told.subscribe(),
        })
    }

    /// Ends the gathering; gives where the pass begins.
    pub(super) fn opens(&self) -> Option<Position<P>> {
        let mut state = self.lock();
        state.stage = Stage::Opening;
        state.from.clone()
    }

    pub(super) fn is_gathering(&self) -> bool {
        self.lock().stage == Stage::Gathering
    }

    /// The source is open.
    pub(super) fn opened(&self) {
        self.lock().stage = Stage::Open;
        self.told.send_replace(());
    }

    /// Whether another record may be kept; lets go of those that nobody needs, where that is
    /// necessary.
    pub(super) fn room(&self) -> Room {
        let mut state = self.lock();
        if state.members.is_empty() {
            state.is_over = true;
            return Room::Over;
        }
        let Some(needed) = state.slowest() else {
            return Room::Idle;
        };
        while !state.window.has_room(&self.config) {
            if !state.window.forget_one(needed) {
                return Room::Full;
            }
        }
        Room::Free
    }

    /// Keeps as many of these records as there is room for.
    pub(super) fn push(&self, entries: &mut VecDeque<Entry<P>>) {
        let mut state = self.lock();
        while state.window.has_room(&self.config) {
            let Some(entry) = entries.pop_front() else {
                break;
            };
            state.window.push(entry);
        }
        drop(state);
        self.told.send_replace(());
    }

    /// Lets the slowest readers go, who read alone from now on, if they hold up others.
    pub(super) fn detach_slowest(&self) {
        let mut state = self.lock();
        let (first, next) = (state.window.first(), Place::At(state.window.next()));
        if !state.members.iter().any(|member| member.place == next) {
            return;
        }
        let first = Place::At(first);
        for member in &mut state.members {
            if member.place == first {
                member.place = Place::Alone;
            }
        }
        drop(state);
        self.told.send_replace(());
    }

    /// Waits until nobody reads it; nobody can begin to from then on.
    pub(super) async fn deserted(&self) {
        loop {
            {
                let mut state = self.lock();
                if state.members.is_empty() {
                    state.is_over = true;
                    return;
                }
            }
            self.moved.notified().await;
        }
    }

    /// The source has ended, or has failed. It is told behind what was read.
    pub(super) fn finish(&self, end: Result<()>) {
        self.lock().end = Some(end.map_err(Arc::new));
        self.told.send_replace(());
    }

    fn lock(&self) -> MutexGuard<'_, State<P>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<P: SourceProvider> State<P> {
    /// Where one who stands at `from` begins: in the newer half of what is kept, so that it is not
    /// the next to be too slow, or alone.
    fn place_for(&self, from: Option<&Position<P>>, config: &HubConfig) -> Place {
        let kept = self.window.find(from);
        let near = |number: &u64| self.window.next() - number <= (config.max_records / 2) as u64;
        kept.filter(near).map_or(Place::Alone, Place::At)
    }

    /// The number of the first record that a reader has still to take; `None` when all are alone.
    fn slowest(&self) -> Option<u64> {
        let places = self.members.iter().map(|member| member.place);
        let numbers = places.filter_map(|place| match place {
            Place::At(number) => Some(number),
            Place::Alone => None,
        });
        numbers.min()
    }

    fn member(&mut self, number: u64) -> Option<&mut Member> {
        self.members.iter_mut().find(|one| one.number == number)
    }
}

/// A reader's part in a pass. Dropping it leaves the pass.
pub(super) struct Membership<P: SourceProvider> {
    pass: Arc<Pass<P>>,
    number: u64,
    /// Whether it was there before the source was opened.
    pub(super) is_gathered: bool,
    news: watch::Receiver<()>,
}

impl<P: SourceProvider> Membership<P> {
    /// Whether the pass began where this reader wanted to.
    pub(super) fn begins_at(&self, from: Option<&Position<P>>) -> bool {
        self.is_gathered && self.pass.lock().from.as_ref() == from
    }

    pub(super) fn is_alone(&self) -> bool {
        let mut state = self.pass.lock();
        let place = state.member(self.number).map(|member| member.place);
        place == Some(Place::Alone)
    }

    /// Waits until the source is open.
    pub(super) async fn opened(&mut self) -> Result<()> {
        loop {
            self.news.mark_unchanged();
            {
                let state = self.pass.lock();
                match &state.end {
                    _ if state.stage == Stage::Open => return Ok(()),
                    Some(Err(error)) => return Err(share(error)),
                    _ => {}
                }
            }
            // The sender lives in the pass: the channel cannot close.
            let _open = self.news.changed().await;
        }
    }

    /// Shares the pass again from behind `from`, if that is near; `None` when the pass is over.
    pub(super) fn rejoin(&self, from: Option<&Position<P>>) -> Option<bool> {
        let mut state = self.pass.lock();
        if state.end.is_some() || state.stage == Stage::Gathering {
            return None;
        }
        let place = state.place_for(from, &self.pass.config);
        state.member(self.number)?.place = place;
        drop(state);
        self.pass.moved.notify_one();
        Some(place != Place::Alone)
    }

    /// Waits for records, and appends them to `out`.
    pub(super) async fn take(&mut self, out: &mut VecDeque<Entry<P>>) -> Taken {
        loop {
            self.news.mark_unchanged();
            if let Some(taken) = self.take_now(out) {
                return taken;
            }
            let _open = self.news.changed().await;
        }
    }

    fn take_now(&self, out: &mut VecDeque<Entry<P>>) -> Option<Taken> {
        let mut state = self.pass.lock();
        let member = state.member(self.number)?;
        let Place::At(number) = member.place else {
            return Some(Taken::Detached);
        };
        let taken = state.window.copy(number, TAKE, out);
        if taken == 0 {
            return state.end.clone().map(Taken::End);
        }
        if let Some(member) = state.member(self.number) {
            member.place = Place::At(number + taken);
        }
        drop(state);
        self.pass.moved.notify_one();
        Some(Taken::Items)
    }
}

impl<P: SourceProvider> Drop for Membership<P> {
    fn drop(&mut self) {
        let mut state = self.pass.lock();
        state.members.retain(|one| one.number != self.number);
        drop(state);
        self.pass.moved.notify_one();
    }
}
