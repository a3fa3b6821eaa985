//! An IR that is read: a file of the language with some keys more, all of which are checked.

use super::document::{COMPILER, FORMAT, sql};
use super::hash::program_hash;
use super::json::Json;
use crate::model::Program;
use crate::parse::MAX_FILE_BYTES;
use crate::report::Report;
use crate::source::Place;
use crate::tree::{self, Entry, Node, Plain, Value};

/// The key that makes a file an IR.
const FORMAT_KEY: &str = "format";

/// The keys that an IR has beside those of a file.
const KEYS: [&str; 4] = [FORMAT_KEY, "compiler", "hash", "sql"];

const COMPILE_AGAIN: &str = "an IR is not edited: change the file it was compiled from, and write it anew \
                             with `projectionist compile`";

/// How much larger an IR may be than a file: it says everything, and has the SQL of two dialects.
const LARGER: usize = 16;

/// The most bytes of a file, which may be an IR. An IR begins as [`compile`](super::compile) writes
/// it; another text of that size is no file of anybody's hand.
pub(crate) fn max_bytes(text: &str) -> usize {
    let head = text.trim_start().strip_prefix('{').map(str::trim_start);
    if head.is_some_and(|head| head.starts_with("\"format\"")) {
        MAX_FILE_BYTES * LARGER
    } else {
        MAX_FILE_BYTES
    }
}

/// The format of an IR that only a newer build can read; `None` for every other text.
#[must_use]
pub fn newer_format(text: &str) -> Option<u32> {
    if max_bytes(text) == MAX_FILE_BYTES {
        return None;
    }
    let mut report = Report::new(text);
    let root = tree::build(text, &mut report)?;
    let Value::Mapping(file) = &root.value else {
        return None;
    };
    format(file.get(FORMAT_KEY)?).filter(|format| *format > FORMAT)
}

/// The number of the format.
fn format(entry: &Entry) -> Option<u32> {
    let Value::Scalar(scalar) = &entry.value.value else {
        return None;
    };
    match scalar.resolved() {
        Plain::Number(number) => number.parse().ok(),
        _ => None,
    }
}

/// What an IR has beside its declarations.
#[derive(Debug)]
pub(crate) struct Additions {
    entries: Vec<Entry>,
    start: Place,
}

/// Takes what belongs to an IR out of a file, which leaves a file of the language. `Ok(None)` for a
/// file that is no IR; `Err` for an IR that cannot be read any further, which is reported.
pub(crate) fn take(report: &mut Report<'_>, root: &mut Node) -> Result<Option<Additions>, ()> {
    let start = root.place;
    let Value::Mapping(file) = &mut root.value else {
        return Ok(None);
    };
    if file.get(FORMAT_KEY).is_none() {
        return Ok(None);
    }
    let entries = file
        .entries
        .extract_if(.., |entry| KEYS.contains(&entry.key.as_str()))
        .collect();
    let additions = Additions { entries, start };
    additions.check_format(report)?;
    Ok(Some(additions))
}

impl Additions {
    fn get(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    /// Refuses an IR whose keys may mean something else than this build knows.
    fn check_format(&self, report: &mut Report<'_>) -> Result<(), ()> {
        let Some(entry) = self.get(FORMAT_KEY) else {
            return Ok(());
        };
        let place = entry.value.place;
        match format(entry) {
            Some(format) if (1..=FORMAT).contains(&format) => return Ok(()),
            Some(format) if format > FORMAT => {
                let message = format!(
                    "this IR has the format {format}, and this build reads formats up to {FORMAT}"
                );
                let help = "use the build that wrote it, or a newer one; or compile the file again \
                            with this build";
                report.fault_with_help(place, message, help);
            }
            _ => {
                let message = format!("`{FORMAT_KEY}` is the number of the IR's format, such as 1");
                report.fault_with_help(place, message, COMPILE_AGAIN);
            }
        }
        Err(())
    }

    /// Compares what the IR says of its declarations with the declarations themselves.
    pub(crate) fn check(&self, report: &mut Report<'_>, program: &Program) {
        let compiler = self.text(report, "compiler");
        if let Some((stated, place)) = self.text(report, "hash") {
            let hash = program_hash(program);
            if stated != hash {
                let message =
                    format!("the declarations have the hash {hash}, and the IR says {stated}");
                report.fault_with_help(place, message, COMPILE_AGAIN);
            }
        }
        let Some(stored) = self.required(report, "sql") else {
            return;
        };
        // Another version may write other statements; they are for people, and none is ever run.
        let is_ours = compiler.is_some_and(|(compiler, _)| compiler == COMPILER);
        if is_ours && as_json(&stored.value) != sql(program).canonical() {
            let message = "the SQL is not what the declarations give";
            report.fault_with_help(stored.place, message, COMPILE_AGAIN);
        }
    }

    fn required(&self, report: &mut Report<'_>, key: &str) -> Option<&Entry> {
        let entry = self.get(key);
        if entry.is_none() {
            report.fault_with_help(self.start, format!("the IR has no `{key}`"), COMPILE_AGAIN);
        }
        entry
    }

    fn text(&self, report: &mut Report<'_>, key: &str) -> Option<(&str, Place)> {
        let entry = self.required(report, key)?;
        match &entry.value.value {
            Value::Scalar(scalar) => Some((&scalar.text, entry.value.place)),
            _ => {
                let message = format!("`{key}` must be a text, not {}", entry.value.kind());
                report.fault_with_help(entry.value.place, message, COMPILE_AGAIN);
                None
            }
        }
    }
}

/// The value in its canonical form.
fn as_json(node: &Node) -> String {
    json(node).canonical()
}

fn json(node: &Node) -> Json {
    match &node.value {
        Value::Scalar(scalar) => match scalar.resolved() {
            Plain::Text => Json::text(&scalar.text),
            _ => Json::Raw(scalar.text.clone()),
        },
        Value::List(elements) => Json::List(elements.iter().map(json).collect()),
        Value::Mapping(mapping) => {
            let entries = mapping.entries.iter();
            Json::Object(
                entries
                    .map(|entry| (entry.key.clone(), json(&entry.value)))
                    .collect(),
            )
        }
        Value::Broken => Json::Raw(String::new()),
    }
}
