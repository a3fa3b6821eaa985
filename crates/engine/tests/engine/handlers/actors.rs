//! Actors of tests: what they do with each envelope is planned, and what they met is kept.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use projectionist_core::contract::{Ask, HandlerResult, Mailbox, MailboxError};
use projectionist_engine::handlers::SpawnedActor;
use projectionist_testkit::TestEnvelope;
use tokio::sync::{Notify, mpsc};

pub(crate) type Event = TestEnvelope<u64>;

/// What an actor does at an envelope instead of handling it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    /// Says that it failed.
    Fail,
    /// Dies without an answer.
    Die,
    /// Panics without an answer.
    Panic,
    /// Answers, and ends then.
    AnswerAndEnd,
    /// Waits until it is told to go on.
    Wait,
}

/// What the actors of a test share. A clone is the same.
#[derive(Clone, Default)]
pub(crate) struct Stage {
    state: Arc<Mutex<State>>,
    go_on: Arc<Notify>,
}

#[derive(Default)]
struct State {
    acts: BTreeMap<u64, Vec<Act>>,
    handled: Vec<u64>,
    calls: Vec<String>,
}

impl Stage {
    /// At `position` an actor does this, once.
    pub(crate) fn plan(&self, position: u64, act: Act) {
        let mut state = self.state.lock().unwrap();
        state.acts.entry(position).or_default().push(act);
    }

    pub(crate) fn go_on(&self) {
        self.go_on.notify_one();
    }

    pub(crate) fn say(&self, call: impl Into<String>) {
        self.state.lock().unwrap().calls.push(call.into());
    }

    /// `up` for an actor that begins, position and attempt for an ask, `down` for an actor that
    /// ends by itself.
    pub(crate) fn calls(&self) -> String {
        self.state.lock().unwrap().calls.join(" ")
    }

    pub(crate) fn handled(&self) -> Vec<u64> {
        self.state.lock().unwrap().handled.clone()
    }

    /// The life of an actor.
    pub(crate) async fn play(self, mut asks: mpsc::Receiver<Ask<Event>>) {
        self.say("up");
        while let Some(ask) = asks.recv().await {
            let position = ask.envelope.position.0;
            assert_eq!(ask.offset.text, position.to_string());
            self.say(format!("{position}#{}", ask.attempt));
            let act = {
                let mut state = self.state.lock().unwrap();
                let acts = state.acts.get_mut(&position);
                acts.filter(|acts| !acts.is_empty())
                    .map(|acts| acts.remove(0))
            };
            match act {
                Some(Act::Fail) => {
                    ask.failed("as planned");
                    continue;
                }
                Some(Act::Die) => return,
                Some(Act::Panic) => panic!("as planned"),
                Some(Act::Wait) => self.go_on.notified().await,
                Some(Act::AnswerAndEnd) | None => {}
            }
            self.state.lock().unwrap().handled.push(ask.envelope.event);
            ask.done();
            if act == Some(Act::AnswerAndEnd) {
                return;
            }
        }
        self.say("down");
    }

    /// The mailbox of an actor that belongs to the projection.
    pub(crate) fn spawned(&self, room: usize) -> impl Mailbox<Event> + use<> {
        let stage = self.clone();
        SpawnedActor::new(room, move |asks| stage.clone().play(asks))
    }
}

/// The mailbox of an actor that others own: it is found, and outlives the projection's handlers.
#[derive(Clone)]
pub(crate) struct Found {
    pub(crate) stage: Stage,
    actor: Arc<Mutex<Option<mpsc::Sender<Ask<Event>>>>>,
}

impl Found {
    pub(crate) fn on(stage: &Stage) -> Self {
        let stage = stage.clone();
        let actor = Arc::default();
        Self { stage, actor }
    }

    /// Mailboxes of the one actor, which lives as long as this one.
    pub(crate) fn mailbox(&self) -> impl Fn() -> Self + Send + Sync + 'static + use<> {
        let found = self.clone();
        move || found.clone()
    }
}

impl Mailbox<Event> for Found {
    fn tell(&mut self, ask: Ask<Event>) -> Result<(), MailboxError> {
        let actor = self.actor.lock().unwrap();
        let sent = actor.as_ref().unwrap().try_send(ask);
        sent.map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => MailboxError::Full,
            mpsc::error::TrySendError::Closed(_) => MailboxError::Closed,
        })
    }

    async fn start(&mut self) -> HandlerResult {
        self.stage.say("start");
        let mut actor = self.actor.lock().unwrap();
        if actor.as_ref().is_none_or(mpsc::Sender::is_closed) {
            let (sender, asks) = mpsc::channel(1);
            tokio::spawn(self.stage.clone().play(asks));
            *actor = Some(sender);
        }
        Ok(())
    }

    async fn stop(&mut self) -> HandlerResult {
        self.stage.say("stop");
        Ok(())
    }
}
