//! A path as it is written in an expression.

use std::fmt::Write;

use crate::expression::{is_name, metadata_name};
use crate::model::{Path, Step};

/// The path as it is written in an expression: `event.a['b c'][0]`.
pub(super) fn of(path: &Path) -> String {
    let (mut text, steps) = match path {
        Path::Metadata(metadata) => return format!("event.{}", metadata_name(*metadata)),
        Path::Item(steps) => ("item".to_owned(), steps),
        Path::Payload(steps) => {
            let hidden = match steps.first() {
                Some(Step::Key(key)) => crate::expression::means_envelope(key),
                Some(Step::Index(_)) | None => true,
            };
            let root = if hidden { "event.payload" } else { "event" };
            (root.to_owned(), steps)
        }
    };
    for step in steps {
        // Writing to a string cannot fail.
        let _ = match step {
            Step::Key(key) if is_name(key) => write!(text, ".{key}"),
            Step::Key(key) => write!(text, "['{key}']"),
            Step::Index(index) => write!(text, "[{index}]"),
        };
    }
    text
}
