//! What is wrong with a file, and where: for people as text, for programs as fields.

mod render;

use std::fmt;

/// One thing that is wrong in a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fault {
    /// The line; the first is 1.
    pub line: usize,
    /// The column in characters; the first is 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
    /// What to write instead, where that is known.
    pub help: Option<String>,
}

/// Everything that is wrong in a file, by place. Never empty.
///
/// At most [`Faults::MOST`] are kept; how many more there were is said at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Faults {
    file_name: String,
    faults: Vec<Fault>,
    omitted: usize,
}

impl Faults {
    /// The most faults that are kept of one file.
    pub const MOST: usize = 1_000;

    pub(crate) fn new(file_name: &str, mut faults: Vec<Fault>, omitted: usize) -> Self {
        faults.sort();
        faults.dedup();
        Self {
            file_name: file_name.to_owned(),
            faults,
            omitted,
        }
    }

    /// The faults, by line and column.
    #[must_use]
    pub fn as_slice(&self) -> &[Fault] {
        &self.faults
    }

    /// How many faults were found beyond those that are kept.
    #[must_use]
    pub fn omitted(&self) -> usize {
        self.omitted
    }

    /// The faults for a person: each with the line of `text` it stands in, a caret under its
    /// column, and what to write instead. Control characters of the file are not repeated.
    #[must_use]
    pub fn render(&self, file_name: &str, text: &str) -> String {
        render::render(self, file_name, text)
    }
}

/// Warnings for a person, as [`Faults::render`] gives faults, each beginning with `warning:`. Empty
/// when there are none.
#[must_use]
pub fn render_warnings(warnings: &[Fault], file_name: &str, text: &str) -> String {
    render::render_each(warnings, "warning: ", file_name, text)
}

impl IntoIterator for Faults {
    type Item = Fault;
    type IntoIter = std::vec::IntoIter<Fault>;

    fn into_iter(self) -> Self::IntoIter {
        self.faults.into_iter()
    }
}

/// One line a fault, without the text of the file.
impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, fault) in self.faults.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            let file_name = &self.file_name;
            write!(
                f,
                "{file_name}:{}:{}: {}",
                fault.line, fault.column, fault.message
            )?;
            if let Some(help) = &fault.help {
                write!(f, " (help: {help})")?;
            }
        }
        if self.omitted > 0 {
            write!(f, "\nand {} more", self.omitted)?;
        }
        Ok(())
    }
}

impl std::error::Error for Faults {}
