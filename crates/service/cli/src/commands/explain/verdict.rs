//! Whether a row is as its events make it, and where it is not, by which event.

use projectionist_language::model::Projection;

use super::retelling::{Book, Mark};
use super::values::{Row, text_of};
use crate::output::on_one_line;

/// Whether a row is as its events make it.
#[derive(Debug)]
pub(in crate::commands) enum Verdict<'a> {
    /// It is, or it is missing and must be.
    Equal,
    /// The events make it, and it is not there.
    Missing,
    /// It is there, and the events leave none.
    Unexpected,
    /// Some columns differ.
    Differing(Vec<ColumnVerdict<'a>>),
}

/// A column that is not as the events make it.
#[derive(Debug)]
pub(in crate::commands) struct ColumnVerdict<'a> {
    pub(in crate::commands) name: &'a str,
    pub(in crate::commands) actual: String,
    pub(in crate::commands) expected: String,
    /// The event that made it what it should be.
    pub(in crate::commands) last: Option<&'a Mark>,
    /// The last event that made it what it is.
    pub(in crate::commands) made: Option<&'a Mark>,
}

impl<'a> Verdict<'a> {
    /// Judges the row of a book.
    pub(in crate::commands) fn of(projection: &'a Projection, book: &'a Book) -> Self {
        match (&book.row, &book.actual) {
            (None, None) => Self::Equal,
            (Some(_), None) => Self::Missing,
            (None, Some(_)) => Self::Unexpected,
            (Some(expected), Some(actual)) if expected == actual => Self::Equal,
            (Some(expected), Some(actual)) => {
                Self::Differing(columns(projection, book, expected, actual))
            }
        }
    }

    /// Whether it is as the events make it.
    pub(in crate::commands) fn is_equal(&self) -> bool {
        matches!(self, Self::Equal)
    }

    /// What is wrong, in sentences.
    pub(in crate::commands) fn sentences(&self, book: &Book) -> Vec<String> {
        match self {
            Self::Equal => Vec::new(),
            Self::Missing => {
                let made = by(book.last.as_ref());
                vec![format!(
                    "the row is not in the table; {made} wrote it, and no event deletes it"
                )]
            }
            Self::Unexpected => vec![match (&book.last, &book.made_row) {
                (None, _) => "the row is in the table, and no event makes it".to_owned(),
                (Some(last), Some(made)) => format!(
                    "the row is in the table as {} made it; {} deleted it",
                    by(Some(made)),
                    by(Some(last))
                ),
                (Some(last), None) => format!(
                    "the row is in the table; {} deleted it, and no event makes it as it is there",
                    by(Some(last))
                ),
            }],
            Self::Differing(columns) => columns.iter().map(ColumnVerdict::sentence).collect(),
        }
    }
}

impl ColumnVerdict<'_> {
    /// What is wrong, in a sentence.
    pub(in crate::commands) fn sentence(&self) -> String {
        let Self {
            name,
            actual,
            expected,
            last,
            made,
        } = self;
        let made = match made {
            Some(mark) => format!("{} made it {actual}", by(Some(mark))),
            None => format!("no event makes it {actual}"),
        };
        format!(
            "`{name}` is {actual} in the table; {} made it {expected}; {made}",
            by(*last)
        )
    }
}

fn by(mark: Option<&Mark>) -> String {
    mark.map_or_else(
        || "an event".to_owned(),
        |mark| format!("the event at {mark}"),
    )
}

fn columns<'a>(
    projection: &'a Projection,
    book: &'a Book,
    expected: &Row,
    actual: &Row,
) -> Vec<ColumnVerdict<'a>> {
    let columns = projection.columns.iter().enumerate();
    let columns = columns.zip(expected.iter().zip(actual));
    let differing = columns.filter(|(_, (expected, actual))| expected != actual);
    differing
        .map(|((index, column), (expected, actual))| ColumnVerdict {
            name: &column.name,
            actual: on_one_line(&text_of(actual)),
            expected: on_one_line(&text_of(expected)),
            last: book.columns.get(index).and_then(Option::as_ref),
            made: book.made.get(index).and_then(Option::as_ref),
        })
        .collect()
}
