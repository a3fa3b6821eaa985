//! CEL expressions over a decoded event.

use std::fmt;
use std::sync::Arc;

use projectionist_core::{Defect, Error, Result};
use projectionist_language::cel::{Found as Place, Lookup, Outcome, Program};
use projectionist_language::coerce::JsonValue;
use projectionist_language::model::{CelExpression, Path};

use super::reader::Found;
use super::{Reader, Source};
use crate::fault::Fault;

/// How much of an expression an error shows, in characters.
const HEAD: usize = 80;

/// An expression in the form in which it is run: its program, and where the places that it reads
/// stand among the spans of an event.
pub(crate) struct CompiledCel {
    text: Arc<str>,
    program: Program,
    /// By the index of the place.
    sources: Box<[Source]>,
}

impl CompiledCel {
    /// Compiles the expression; `source` says where a place is looked up.
    ///
    /// # Errors
    ///
    /// When a place cannot be looked up, or the text was not checked.
    pub(crate) fn new(
        expression: &CelExpression,
        source: impl FnMut(&Path) -> Result<Source>,
    ) -> Result<Self> {
        let text = Arc::clone(&expression.text);
        let program = Program::compile(&text).map_err(|error| Error::Configuration {
            subject: format!("expression `{text}`"),
            reason: error.to_string(),
        })?;
        let sources = program.places().iter().map(source);
        let sources = sources.collect::<Result<_>>()?;
        Ok(Self {
            text,
            program,
            sources,
        })
    }

    /// The value for the event of the reader, whose text is written to `text` where it is none of
    /// the event's own. A computed value costs allocations of its own; a plain path costs none.
    ///
    /// # Errors
    ///
    /// A defect of the event that names the expression and the cause.
    pub(crate) fn evaluate<'a>(
        &self,
        reader: Reader<'a>,
        text: &'a mut String,
    ) -> std::result::Result<JsonValue<'a>, Defect> {
        let places = Places {
            reader,
            sources: &self.sources,
        };
        // What is found is told apart first: both need the buffer, and only one of them keeps it.
        let place = match self.program.evaluate(&places, text) {
            Err(error) => return Err(self.defect(&error.to_string())),
            Ok(Outcome::Place(place)) => Some(place),
            Ok(Outcome::Value(value)) => match Computed::of(value) {
                Computed::Short(value) => return Ok(value),
                Computed::InBuffer(kind) => return Ok(kind.value(text)),
            },
        };
        let source = place.and_then(|place| self.sources.get(place));
        let found = source.map_or(Found::Missing, |source| reader.find(*source));
        found.as_json(text).ok_or_else(|| {
            self.defect("the text holds half a surrogate pair, which is no character")
                .with_value(found.shown())
        })
    }

    fn defect(&self, cause: &str) -> Defect {
        let end = self.text.char_indices().nth(HEAD).map(|(index, _)| index);
        let shown = end.and_then(|end| self.text.get(..end));
        let (shown, more) = shown.map_or((&*self.text, ""), |shown| (shown, "…"));
        Fault::data(format!("`{shown}{more}`: {cause}"))
    }
}

impl fmt::Debug for CompiledCel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CompiledCel")
            .field("text", &self.text)
            .finish_non_exhaustive()
    }
}

/// A computed value, apart from the buffer that holds its text.
enum Computed {
    Short(JsonValue<'static>),
    InBuffer(Kind),
}

/// What a text in the buffer is.
#[derive(Clone, Copy)]
enum Kind {
    Number,
    Text,
    Json,
}

impl Computed {
    fn of(value: JsonValue<'_>) -> Self {
        match value {
            JsonValue::Null => Self::Short(JsonValue::Null),
            JsonValue::Bool(truth) => Self::Short(JsonValue::Bool(truth)),
            JsonValue::Number(_) => Self::InBuffer(Kind::Number),
            JsonValue::Text(_) => Self::InBuffer(Kind::Text),
            JsonValue::Json(_) => Self::InBuffer(Kind::Json),
        }
    }
}

impl Kind {
    fn value(self, text: &str) -> JsonValue<'_> {
        match self {
            Self::Number => JsonValue::Number(text),
            Self::Text => JsonValue::Text(text),
            Self::Json => JsonValue::Json(text),
        }
    }
}

/// The places of an expression in one event.
struct Places<'a> {
    reader: Reader<'a>,
    sources: &'a [Source],
}

impl Lookup for Places<'_> {
    fn find(&self, place: usize) -> Place<'_> {
        let source = self.sources.get(place);
        match source.map_or(Found::Missing, |source| self.reader.find(*source)) {
            Found::Missing => Place::Missing,
            Found::Raw(json) => Place::Json(json),
            Found::Text(text) => Place::Text(text),
        }
    }
}
