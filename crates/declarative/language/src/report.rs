//! Collects the faults of a file, so that one run shows all of them.

use crate::fault::{Fault, Faults};
use crate::source::{Place, Source};

/// The most characters of one sentence: a name that it repeats may be the whole file.
const LONGEST: usize = 600;

/// The faults found so far, and the text they are found in.
#[derive(Debug)]
pub(crate) struct Report<'a> {
    source: Source<'a>,
    faults: Vec<Fault>,
    omitted: usize,
}

impl<'a> Report<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self {
            source: Source::new(text),
            faults: Vec::new(),
            omitted: 0,
        }
    }

    pub(crate) fn source(&self) -> &Source<'a> {
        &self.source
    }

    /// Records a fault.
    pub(crate) fn fault(&mut self, place: Place, message: impl Into<String>) {
        self.push(place, message.into(), None);
    }

    /// Records a fault and what to write instead.
    pub(crate) fn fault_with_help(
        &mut self,
        place: Place,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.push(place, message.into(), Some(help.into()));
    }

    /// Records a thing of the language that this build does not have.
    pub(crate) fn not_built(&mut self, place: Place, what: &str) {
        self.fault(place, format!("{what} is not built yet"));
    }

    fn push(&mut self, place: Place, message: String, help: Option<String>) {
        if self.faults.len() == Faults::MOST {
            self.omitted += 1;
            return;
        }
        self.faults.push(Fault {
            line: place.line,
            column: place.column,
            message: printable(message),
            help: help.map(printable),
        });
    }

    pub(crate) fn is_clean(&self) -> bool {
        self.faults.is_empty()
    }

    pub(crate) fn into_faults(self, file_name: &str) -> Faults {
        Faults::new(file_name, self.faults, self.omitted)
    }
}

/// The sentence without what a terminal might obey, and not longer than a person reads.
fn printable(sentence: String) -> String {
    let mut sentence = if sentence.contains(char::is_control) {
        sentence.replace(char::is_control, "\u{fffd}")
    } else {
        sentence
    };
    if let Some((end, _)) = sentence.char_indices().nth(LONGEST) {
        sentence.truncate(end);
        sentence.push('…');
    }
    sentence
}
