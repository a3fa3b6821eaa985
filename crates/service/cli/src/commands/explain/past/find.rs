//! Finds what a projection has read, in one view of its target.

use std::collections::HashMap;
use std::sync::Arc;

use futures::StreamExt;
use projectionist_apply::DeclaredCodec;
use projectionist_core::contract::{Mode, SourceProvider, StoredDeclaration};
use projectionist_core::{Counters, LaneState, Position, ProjectionId, SourceItem};
use projectionist_language::did_you_mean;
use projectionist_language::model::{Program, Projection, Sequence};
use projectionist_source_file::FilePosition;
use projectionist_store_sqlite::{KeptLetter, SqliteView};

use super::{KEY, Past};
use crate::commands::deployment::programs;
use crate::commands::files::{
    Place, file_source, from_anywhere, kept_source, place_of, refuse_rotated,
};
use crate::exit::Failure;
use crate::place::{Source, Target};

/// A projection as a target keeps it.
pub(in crate::commands) struct Declared {
    kept: StoredDeclaration,
    /// The projection, alone.
    program: Program,
}

impl Declared {
    /// The projection.
    pub(in crate::commands) fn projection(&self) -> Option<&Projection> {
        self.program.projections.first()
    }

    fn name(&self) -> &str {
        &self.kept.declaration.projection
    }
}

/// All projections that the target declares.
pub(in crate::commands) fn declared(view: &SqliteView) -> Result<Vec<Declared>, Failure> {
    let kept = view.declarations()?;
    let programs = programs(&kept)?;
    let both = kept.into_iter().zip(programs);
    Ok(both
        .map(|(kept, program)| Declared { kept, program })
        .collect())
}

/// The projection of that name.
pub(in crate::commands) fn named(
    declared: Vec<Declared>,
    name: &str,
    target: &Target,
) -> Result<Declared, Failure> {
    let known: Vec<String> = declared.iter().map(|one| one.name().to_owned()).collect();
    let mut declared = declared.into_iter();
    declared.find(|one| one.name() == name).ok_or_else(|| {
        let suggestion = did_you_mean(name, known.iter().map(String::as_str));
        let known = match known.is_empty() {
            true => "nothing was deployed or run there".to_owned(),
            false => format!("it has {}", known.join(", ")),
        };
        Failure::usage(format!(
            "{target} declares no projection `{name}`; {known}{suggestion}"
        ))
    })
}

/// Finds what a projection has read: in the file that it was first run from, or in `from`.
pub(in crate::commands) async fn find(
    view: &SqliteView,
    declared: Declared,
    from: Option<&Source>,
) -> Result<Past, Failure> {
    let name = declared.name().to_owned();
    let lanes = view.lanes()?;
    let own = lanes.iter().filter(|(lane, _)| *lane.name() == *name);
    let (of_files, others): (Vec<_>, Vec<_>) = own.partition(|(lane, _)| lane.key() == KEY);
    let lane = of_files.first().map(|(_, state)| state);
    let other = others.iter().find(|(_, state)| state.counters.read > 0);
    let mut past = Past {
        program: Arc::new(declared.program),
        source: None,
        until: None,
        passed_over: 0,
        letters: HashMap::new(),
        counters: lane.map(|lane| lane.counters).unwrap_or_default(),
        notes: Vec::new(),
    };
    let end = lane.map(end_of).transpose()?.flatten();
    if let (None, Some(lane)) = (from, lane) {
        refuse_rotated(&name, lane)?;
    }
    if end.is_none() && other.is_none() {
        return Ok(past);
    }
    let source = file(
        &name,
        &declared.kept,
        from,
        other.map(|(lane, state)| (lane, state)),
    )?;
    let codec = DeclaredCodec::new(&past.program);
    let files = file_source(&source, codec.clone())?;
    past.source = Some(source);
    match (end.filter(|_| other.is_none()), from) {
        (Some(end), _) if files.open(Some(end.clone()), Mode::Current).await.is_ok() => {
            past.until = Some(end);
            past.note_moved_back(lane);
            let lane = ProjectionId::new(&name, KEY)?;
            past.letters = by_place(view.letters(&lane)?);
            past.find_start(codec).await?;
        }
        (Some(end), None) => {
            let opened = files.open(Some(end), Mode::Current).await;
            return Err(gone(&name, opened.err().map(|error| error.to_string())));
        }
        _ => {
            if let Err(error) = files.open(None, Mode::Current).await {
                return Err(gone(&name, Some(error.to_string())));
            }
            past.notes.push(
                "the file is not the one in which the projection stands: it is read to its end, and \
                 dead letters of the target are not looked at"
                    .to_owned(),
            );
        }
    }
    past.note_rest(declared.kept.withdrawn);
    Ok(past)
}

impl Past {
    /// Finds how many events in front were not read: those before the place where it began.
    async fn find_start(&mut self, codec: DeclaredCodec) -> Result<(), Failure> {
        let Counters {
            read, malformed, ..
        } = self.counters;
        let lines = self.until.as_ref().map_or(0, |until| until.line);
        // Blank lines are neither, and so only a reason to count.
        if lines <= read.saturating_add(malformed) {
            return Ok(());
        }
        let Some(source) = self.reread(codec)? else {
            return Ok(());
        };
        let mut stream = source.open(None, Mode::Current).await?;
        let mut events = 0_u64;
        while let Some(item) = stream.next().await {
            events += u64::from(matches!(item?, SourceItem::Envelope(_)));
        }
        self.passed_over = events.saturating_sub(read);
        if self.passed_over > 0 {
            let first = self.passed_over;
            self.notes.push(format!(
                "the projection has read {read} of the {events} event(s) up to where it stands: it \
                 began behind the first ones, or was moved; the first {first} are left out"
            ));
        }
        Ok(())
    }

    /// Notes that the tables may hold what events behind the end have done.
    fn note_moved_back(&mut self, lane: Option<&LaneState>) {
        let before = lane.and_then(|lane| lane.replay_until.as_ref());
        let before = before.and_then(|offset| FilePosition::parse(&offset.text).ok());
        if let Some(before) = before.filter(|before| Some(before) > self.until.as_ref()) {
            self.notes.push(format!(
                "the projection was moved back and has not come again to line {}, where it stood: \
                 unless its tables were emptied too, they hold what was applied up to there",
                before.line
            ));
        }
    }

    /// Notes what else a person must know.
    fn note_rest(&mut self, withdrawn: bool) {
        let skipped = self.counters.skipped;
        if skipped > 0 {
            self.notes.push(format!(
                "{skipped} event(s) were given up or passed over in the target; where one of them can \
                 be applied now, the table lacks what it does"
            ));
        }
        if self
            .projection()
            .is_some_and(|one| one.sequence == Sequence::None)
        {
            self.notes.push(
                "with `sequence: none` repeated events are not told: every event is taken to have \
                 been applied once, in the order of the file"
                    .to_owned(),
            );
        }
        if withdrawn {
            self.notes
                .push("its file declares the projection no more".to_owned());
        }
    }
}

/// The last position that a lane has read; `None` when it has read nothing.
fn end_of(lane: &LaneState) -> Result<Option<FilePosition>, Failure> {
    let offset = lane.offset.as_ref();
    let offset = offset.filter(|offset| offset.manifest == FilePosition::MANIFEST);
    let end = offset.map(|offset| FilePosition::parse(&offset.text));
    Ok(end.transpose()?.filter(|end| end.byte > 0))
}

fn by_place(letters: Vec<KeptLetter>) -> HashMap<Place, KeptLetter> {
    let with_place = |letter: KeptLetter| {
        let is_of_file = letter.manifest == FilePosition::MANIFEST;
        let position = FilePosition::parse(&letter.offset).ok()?;
        is_of_file.then_some((place_of(&position), letter))
    };
    letters.into_iter().filter_map(with_place).collect()
}

/// The files that hold the events.
fn file(
    name: &str,
    kept: &StoredDeclaration,
    from: Option<&Source>,
    other: Option<(&ProjectionId, &LaneState)>,
) -> Result<Source, Failure> {
    if let Some(source) = from {
        return Ok(from_anywhere(source));
    }
    if let Some((lane, state)) = other {
        return Err(Failure::usage(format!(
            "projection {name} has read {} event(s) under the key `{}`, which cannot be read again; \
             name a file that holds all of its events with --from FILE",
            state.counters.read,
            lane.key(),
        )));
    }
    match kept.source.as_deref() {
        Some(source) if source != "-" => kept_source(source),
        _ => Err(Failure::usage(format!(
            "the target does not tell which file projection {name} was run from; name it with \
             --from FILE"
        ))),
    }
}

fn gone(name: &str, error: Option<String>) -> Failure {
    let error = error.unwrap_or_default();
    Failure::at_run_time(format!(
        "what projection {name} has read cannot be read again: {error}; name a file that holds its \
         events with --from FILE"
    ))
}
