//! Applies the events of dead letters again.

use std::collections::{BTreeSet, HashMap};

use projectionist_apply::{
    ApplyOptions, DeclaredCodec, DeclaredProjection, LetterReplay, Replayed,
};
use projectionist_core::contract::{
    StoredDeadLetter, TransactionalDeadLetterStore, TransactionalOffsetStore,
};
use projectionist_core::{Clock, DeadLetterFate, Result, SystemClock};
use projectionist_language::{Program, Sequence};
use projectionist_store_sqlite::{SqliteStore, SqliteTx};

use super::declaration::declaration_of;
use super::open;
use super::order::by_position;
use super::outcome::Outcome;
use super::report::Report;
use super::select::{HeadReader, Letter, check_name, visit};
use crate::args::dead_letters::ReplayArguments;
use crate::commands::tables;
use crate::exit::{Failure, both};

pub(super) async fn execute(arguments: &ReplayArguments) -> Result<(), Failure> {
    let selection = &arguments.selection;
    let store = open(selection)?;
    check_name(&store, selection).await?;
    let name = selection.name.as_deref();
    let program = declaration_of(&store, name, selection.file.as_deref()).await?;
    let replay = Replay::new(&store, &program, arguments)?;
    if let Some(name) = name.filter(|name| replay.needs_force(name)) {
        return Err(Failure::usage(format!(
            "projection `{name}` has `sequence: none`: it cannot tell whether a later event was \
             applied, so its letters are replayed only with --force"
        )));
    }
    let mut report = Report::new(arguments.dry_run);
    let ended = run(replay, &program, &mut report).await;
    let printed = report.print(selection.format);
    let failed = match report.count("failed_again") {
        0 => Ok(()),
        failed => {
            let kept = if arguments.dry_run {
                "would fail again"
            } else {
                "failed again and were kept"
            };
            let message = format!("{failed} dead letter(s) {kept}");
            Err(Failure::at_run_time(message))
        }
    };
    both(both(printed, ended.map(drop)), failed)
}

/// Replays the letters of the selection. Whether there are more than its limit.
pub(super) async fn run(
    mut replay: Replay<'_>,
    program: &Program,
    report: &mut Report,
) -> Result<bool, Failure> {
    let Replay {
        store, arguments, ..
    } = replay;
    let mut letters = Vec::new();
    let limit = arguments.limit.unwrap_or(usize::MAX);
    let add = |letter: Letter| letters.push(letter.without_record());
    let selection = &arguments.selection;
    let more = visit(store, selection, &mut replay.reader, limit, add).await?;
    let names: BTreeSet<&str> = letters
        .iter()
        .map(|letter| &*letter.stored.projection)
        .collect();
    let declared = program.projections.iter().enumerate();
    let chosen: Vec<usize> = declared
        .filter(|(_, projection)| names.contains(&*projection.name))
        .map(|(index, _)| index)
        .collect();
    tables::check(store, program, &chosen).await?;
    replay.all(by_position(letters), report).await?;
    Ok(more.is_some())
}

/// Replays letters of the projections of a program.
pub(super) struct Replay<'a> {
    store: &'a SqliteStore,
    arguments: &'a ReplayArguments,
    reader: HeadReader,
    projections: HashMap<Box<str>, Declared>,
}

/// A projection whose letters may be replayed.
struct Declared {
    sequence: Sequence,
    letters: LetterReplay<SqliteStore>,
}

impl<'a> Replay<'a> {
    pub(super) fn new(
        store: &'a SqliteStore,
        program: &Program,
        arguments: &'a ReplayArguments,
    ) -> Result<Self> {
        let codec = DeclaredCodec::new(program);
        let options = ApplyOptions {
            max_tenants: arguments.max_tenants,
            ..ApplyOptions::default()
        };
        let mut projections = HashMap::new();
        for (index, projection) in program.projections.iter().enumerate() {
            let declared = DeclaredProjection::new(program, index, &codec, options)?;
            let declared = Declared {
                sequence: projection.sequence,
                letters: LetterReplay::new(&declared, codec.clone(), store.clone()),
            };
            projections.insert(projection.name.clone(), declared);
        }
        Ok(Self {
            store,
            arguments,
            reader: HeadReader::new(program),
            projections,
        })
    }

    /// Whether letters of that projection need to be forced, and are not.
    fn needs_force(&self, name: &str) -> bool {
        let declared = self.projections.get(name);
        !self.arguments.force && declared.is_some_and(|it| it.sequence == Sequence::None)
    }

    /// Replays letters, each in a transaction of its own; in a dry run all in one, so that each
    /// finds what those before it leave, which is then rolled back.
    async fn all(&mut self, letters: Vec<Letter>, report: &mut Report) -> Result<()> {
        let mut dry = None;
        for mut letter in letters {
            let mut tx = match dry.take() {
                Some(tx) => tx,
                None => self.store.begin_settling().await?,
            };
            // Somebody else may have settled it since it was chosen, or failed to.
            let outcome = match self.store.letter_in(&mut tx, letter.stored.id).await? {
                None => Outcome::Gone,
                Some(stored) => {
                    let outcome = self.outcome(&mut tx, &stored).await?;
                    letter.stored = stored;
                    outcome
                }
            };
            if self.arguments.dry_run {
                dry = Some(tx);
            } else {
                self.store.commit_settled(tx).await?;
            }
            report.add(letter.without_record(), outcome);
        }
        match dry {
            Some(tx) => self.store.rollback(tx).await,
            None => Ok(()),
        }
    }

    async fn outcome(&mut self, tx: &mut SqliteTx, stored: &StoredDeadLetter) -> Result<Outcome> {
        if stored.projection.is_empty() {
            return Ok(Outcome::Malformed);
        }
        if self.needs_force(&stored.projection) {
            return Ok(Outcome::NeedsForce);
        }
        let Some(declared) = self.projections.get_mut(&*stored.projection) else {
            return Ok(Outcome::NotDeclared);
        };
        let (fate, outcome) = match declared.letters.apply(tx, stored).await? {
            Replayed::Superseded { sequence, last } => {
                return Ok(Outcome::Superseded { sequence, last });
            }
            Replayed::Settled(counters) => {
                let outcome = Outcome::settled(&counters);
                (DeadLetterFate::Settled(counters), outcome)
            }
            Replayed::FailedAgain(defect) => {
                let fate = DeadLetterFate::FailedAgain {
                    defect: defect.clone(),
                    at: SystemClock.now(),
                };
                (fate, Outcome::FailedAgain(defect))
            }
        };
        self.store.settle_in(tx, stored.id, &fate).await?;
        Ok(outcome)
    }
}
