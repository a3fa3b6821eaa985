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
    warnings: Vec<Fault>,
    omitted: usize,
}

impl<'a> Report<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self {
            source: Source::new(text),
            faults: Vec::new(),
            warnings: Vec::new(),
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

    /// Records what is allowed and yet seldom meant, and what to write instead.
    pub(crate) fn warning(
        &mut self,
        place: Place,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        if self.warnings.len() < Faults::MOST {
            self.warnings
                .push(written(place, message.into(), Some(help.into())));
        }
    }

    fn push(&mut self, place: Place, message: String, help: Option<String>) {
        if self.faults.len() == Faults::MOST {
            self.omitted += 1;
            return;
        }
        self.faults.push(written(place, message, help));
    }

    pub(crate) fn is_clean(&self) -> bool {
        self.faults.is_empty()
    }

    /// The warnings, by place.
    pub(crate) fn take_warnings(&mut self) -> Vec<Fault> {
        let mut warnings = std::mem::take(&mut self.warnings);
        warnings.sort();
        warnings
    }

    pub(crate) fn into_faults(self, file_name: &str) -> Faults {
        Faults::new(file_name, self.faults, self.omitted)
    }
}

fn written(place: Place, message: String, help: Option<String>) -> Fault {
    Fault {
        line: place.line,
        column: place.column,
        message: printable(message),
        help: help.map(printable),
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
