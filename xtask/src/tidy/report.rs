//! What the checks found: faults, each with its place and its remedy, and figures worth printing.

use std::fmt;

/// Something that must be changed before the check passes.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Fault {
    path: String,
    line: usize,
    wrong: String,
    remedy: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            path,
            line,
            wrong,
            remedy,
        } = self;
        write!(formatter, "{path}:{line}: {wrong}; {remedy}")
    }
}

/// Collects what all checks have to say.
#[derive(Default)]
pub(crate) struct Report {
    faults: Vec<Fault>,
    figures: Vec<String>,
}

impl Report {
    /// Adds a fault: what is wrong in that line, and what to do about it.
    pub(crate) fn fault(
        &mut self,
        path: &str,
        line: usize,
        wrong: impl Into<String>,
        remedy: impl Into<String>,
    ) {
        let (path, wrong, remedy) = (path.to_owned(), wrong.into(), remedy.into());
        self.faults.push(Fault {
            path,
            line,
            wrong,
            remedy,
        });
    }

    /// Adds a line that is printed whether or not there are faults.
    pub(crate) fn figure(&mut self, line: String) {
        self.figures.push(line);
    }

    pub(crate) fn faults(&self) -> &[Fault] {
        &self.faults
    }
}

impl fmt::Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut faults: Vec<&Fault> = self.faults.iter().collect();
        faults.sort();
        for fault in faults {
            writeln!(formatter, "{fault}")?;
        }
        for figure in &self.figures {
            writeln!(formatter, "{figure}")?;
        }
        Ok(())
    }
}

/// Runs one check over a project of a few small files and gives its faults as text.
#[cfg(test)]
pub(crate) fn faults_of(check: super::Check, files: &[(&str, &str)]) -> Vec<String> {
    let mut report = Report::default();
    check(&super::Project::of(files), &mut report);
    report.faults.iter().map(ToString::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_printed_by_place_and_before_the_figures() {
        let mut report = Report::default();
        report.figure("figures last".to_owned());
        report.fault("b.rs", 1, "is wrong", "put it right");
        report.fault("a.rs", 10, "is late", "move it");
        report.fault("a.rs", 9, "is early", "move it");
        let text = "a.rs:9: is early; move it\na.rs:10: is late; move it\n\
                    b.rs:1: is wrong; put it right\nfigures last\n";
        assert_eq!(report.to_string(), text);
    }
}
