//! From the events of the YAML parser to the tree.

use std::collections::HashMap;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Span, StrInput};

use super::meant::{self, Meant};
use super::surrogates::Joined;
use super::{Entry, Mapping, Node, Plain, Scalar, Style, Value, scan_fault};
use crate::report::Report;
use crate::source::Place;

/// How deep lists and mappings may be nested.
pub(super) const MAX_DEPTH: usize = 64;

/// Builds the tree of the first document. `None` when the text could not be read to its end, or
/// holds nothing; that is reported.
pub(crate) fn build(text: &str, report: &mut Report<'_>) -> Option<Node> {
    let joined = Joined::new(text);
    let mut builder = Builder {
        parser: Parser::new_from_str(&joined.text),
        joined: &joined,
        report,
    };
    builder.document()
}

/// What a key is.
const KEY_HELP: &str = "write a name before the `:`, in quotes where it is no plain word";

struct Builder<'t, 'r, 's> {
    parser: Parser<'t, StrInput<'t>>,
    joined: &'t Joined<'t>,
    report: &'r mut Report<'s>,
}

/// The text cannot be read any further; why is reported.
struct Stop;

impl<'t> Builder<'t, '_, '_> {
    fn document(&mut self) -> Option<Node> {
        let mut root = None;
        loop {
            match self.next().ok()? {
                (Event::StreamEnd, _) => break,
                (Event::DocumentStart(_), span) if root.is_some() => {
                    self.report.fault_with_help(
                        self.place(span.start),
                        "a second document begins here",
                        "keep one document in a file",
                    );
                    return root;
                }
                (Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd, _) => {}
                (event, span) => root = Some(self.node(event, span, 0).ok()?),
            }
        }
        if root.is_none() {
            self.report.fault_with_help(
                Place::START,
                "the file is empty",
                "begin with `projections:`",
            );
        }
        root
    }

    fn next(&mut self) -> Result<(Event<'t>, Span), Stop> {
        match self.parser.next_event() {
            Some(Ok(event)) => Ok(event),
            Some(Err(error)) => {
                let place = self.place(*error.marker());
                scan_fault::report(&error, place, self.report);
                Err(Stop)
            }
            None => Err(Stop),
        }
    }

    /// The value that begins with `event`. Recursion ends at the depth limit.
    fn node(&mut self, event: Event<'t>, span: Span, depth: usize) -> Result<Node, Stop> {
        let place = self.place(span.start);
        if depth > MAX_DEPTH {
            scan_fault::report_too_deep(place, self.report);
            return Err(Stop);
        }
        let tagged = self.refuse_properties(&event, place);
        let value = match event {
            Event::Scalar(text, style, ..) => Value::Scalar(Scalar {
                text: text.into_owned(),
                style: match style {
                    ScalarStyle::Plain => Style::Plain,
                    ScalarStyle::SingleQuoted => Style::SingleQuoted,
                    ScalarStyle::DoubleQuoted => Style::DoubleQuoted,
                    ScalarStyle::Literal | ScalarStyle::Folded => Style::Block,
                },
                one_line: span.start.line() == span.end.line(),
            }),
            Event::SequenceStart(..) => Value::List(self.list(depth)?),
            Event::MappingStart(..) => Value::Mapping(self.mapping(depth, place)?),
            _ => {
                self.report.fault_with_help(
                    place,
                    "aliases such as `*name` are not part of this language",
                    "write the value out at each place",
                );
                Value::Broken
            }
        };
        let value = if tagged { Value::Broken } else { value };
        Ok(Node { place, value })
    }

    /// Reports an anchor or a tag of the value; true for a tag, which may change its meaning.
    fn refuse_properties(&mut self, event: &Event<'_>, place: Place) -> bool {
        let (anchor, tagged) = match event {
            Event::Scalar(_, _, anchor, tag) => (*anchor, tag.is_some()),
            Event::SequenceStart(anchor, tag) | Event::MappingStart(anchor, tag) => {
                (*anchor, tag.is_some())
            }
            _ => (0, false),
        };
        if anchor > 0 {
            self.report.fault_with_help(
                place,
                "anchors such as `&name` are not part of this language",
                "write the value out at each place",
            );
        }
        if tagged {
            self.report.fault_with_help(
                place,
                "tags such as `!!str` are not part of this language",
                "take the tag out; put a text in quotes",
            );
        }
        tagged
    }

    fn list(&mut self, depth: usize) -> Result<Vec<Node>, Stop> {
        let mut elements = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, _) => return Ok(elements),
                (event, span) => elements.push(self.node(event, span, depth + 1)?),
            }
        }
    }

    /// The mapping that begins at `start`.
    fn mapping(&mut self, depth: usize, start: Place) -> Result<Mapping, Stop> {
        let in_braces = meant::begins_braces(self.report.source(), start);
        let mut meant: Option<Meant> = None;
        let mut mapping = Mapping::default();
        let mut seen: HashMap<String, Place> = HashMap::new();
        loop {
            let (event, span) = self.next()?;
            if event == Event::MappingEnd {
                return Ok(mapping);
            }
            let key = self.node(event, span, depth + 1)?;
            if meant.as_ref().is_some_and(|meant| meant.covers(key.place)) {
                // The rest of a value that a comma has cut; that is reported.
                let (event, span) = self.next()?;
                self.node(event, span, depth + 1)?;
                continue;
            }
            if key.is_null() {
                let (event, span) = self.next()?;
                let value = self.node(event, span, depth + 1)?;
                self.refuse_null_as_key(&key, &value);
                mapping.broken = true;
                continue;
            }
            let text = self.key(&key);
            let (event, span) = self.next()?;
            let Some(text) = text else {
                mapping.broken = true;
                // An alias behind a merge key is the same fault.
                if !matches!(event, Event::Alias(_)) {
                    self.node(event, span, depth + 1)?;
                }
                continue;
            };
            let mut value = self.node(event, span, depth + 1)?;
            if value.is_null() {
                // An empty value has no place of its own.
                value.place = key.place;
            }
            if lacks_blank(&key, &value) {
                mapping.broken = true;
                let message =
                    format!("`{text}` is a key without a value; a blank is missing after the `:`");
                let help = format!("write `{}`", text.replacen(':', ": ", 1));
                self.report.fault_with_help(key.place, message, help);
                continue;
            }
            if let Some(first) = seen.get(&text) {
                let message = format!(
                    "the key `{text}` stands here a second time; the first is in line {}",
                    first.line
                );
                self.report
                    .fault_with_help(key.place, message, "keep one of them");
                continue;
            }
            if in_braces && is_open(&value) {
                meant = self.refuse_cut(&mut value);
            }
            seen.insert(text.clone(), key.place);
            mapping.entries.push(Entry {
                key: text,
                place: key.place,
                value,
            });
        }
    }

    /// Reports a value that a comma or a bracket has cut, where all of it is known.
    fn refuse_cut(&mut self, value: &mut Node) -> Option<Meant> {
        let meant = meant::at(self.report.source(), value.place, true)?;
        meant.report(self.report);
        value.value = Value::Broken;
        Some(meant)
    }

    /// Reports a key that is null, which may have been meant as SQL means it.
    fn refuse_null_as_key(&mut self, key: &Node, value: &Node) {
        let truth = match &value.value {
            Value::Scalar(scalar) => match scalar.resolved() {
                Plain::Bool(truth) => Some(truth),
                _ => None,
            },
            _ => None,
        };
        let help = match truth {
            Some(truth) => format!("write `nullable: {truth}` for a column"),
            None => KEY_HELP.to_owned(),
        };
        let message = format!("a key must be a text; this is {}", key.kind());
        self.report.fault_with_help(key.place, message, help);
    }

    /// The text of a key, when it is one.
    fn key(&mut self, key: &Node) -> Option<String> {
        match &key.value {
            Value::Scalar(scalar) if scalar.style == Style::Plain && scalar.text == "<<" => {
                self.report.fault_with_help(
                    key.place,
                    "merge keys (`<<`) are not part of this language",
                    "write the keys out at each place",
                );
                None
            }
            Value::Scalar(scalar) => Some(scalar.text.clone()),
            Value::Broken => None,
            _ => {
                let message = format!("a key must be a text; this is {}", key.kind());
                self.report.fault_with_help(key.place, message, KEY_HELP);
                None
            }
        }
    }

    /// The place in the file of a marker of the parser.
    fn place(&self, marker: Marker) -> Place {
        self.joined.original(Place {
            line: marker.line().max(1),
            column: marker.col() + 1,
        })
    }
}

/// Whether an unquoted value has a bracket or a quote that nothing in it closes.
fn is_open(value: &Node) -> bool {
    let count = |text: &str, sign| text.matches(sign).count();
    matches!(&value.value, Value::Scalar(Scalar { text, style: Style::Plain, .. })
        if count(text, '(') > count(text, ')')
            || ['\'', '"'].iter().any(|quote| count(text, *quote) % 2 == 1))
}

/// Whether an entry is `key:value` in one piece, which YAML reads as a key with nothing under it.
fn lacks_blank(key: &Node, value: &Node) -> bool {
    value.is_left_out()
        && matches!(&key.value, Value::Scalar(scalar) if scalar.is_key_without_blank())
}
