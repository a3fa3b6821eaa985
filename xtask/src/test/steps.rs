//! The steps of a test run, in their order: the ones that fail soonest come first.

use std::fmt;

use clap::ValueEnum;

use super::counts::Counts;
use super::{browser, examples, readme};
use crate::failure::Result;
use crate::stream;
use crate::tidy;
use crate::workspace::Workspace;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Step {
    /// The code is formatted
    Fmt,
    /// The checks of `cargo xtask tidy`
    Tidy,
    /// No warning of the compiler or of clippy
    Clippy,
    /// The browser for the tests of the dashboard is there
    Browser,
    /// Unit, integration and documentation tests
    Test,
    /// The release build of the program
    Program,
    /// The commands of the README and the guides print what is shown there
    Readme,
    /// Every example with a `run.sh` succeeds
    Examples,
}

impl Step {
    pub(crate) const ALL: [Self; 8] = [
        Self::Fmt,
        Self::Tidy,
        Self::Clippy,
        Self::Browser,
        Self::Test,
        Self::Program,
        Self::Readme,
        Self::Examples,
    ];

    pub(crate) fn needs_program(self) -> bool {
        matches!(self, Self::Readme | Self::Examples)
    }

    pub(crate) fn run(self, workspace: &Workspace, counts: &mut Counts) -> Result<()> {
        let cargo = |words: &str| workspace.cargo(words.split(' '));
        match self {
            Self::Fmt => stream::succeed(&mut cargo("fmt --all -- --check")),
            Self::Tidy => tidy::run(workspace),
            Self::Clippy => stream::succeed(&mut cargo(
                "clippy --workspace --all-targets --all-features -- -D warnings",
            )),
            Self::Browser => browser::bring(workspace),
            Self::Test => {
                let mut tests = cargo("test --workspace --all-features");
                let status = stream::watch(&mut tests, |line| counts.read(line))?;
                stream::check(&tests, status)
            }
            Self::Program => stream::succeed(&mut cargo("build --release -p projectionist-cli")),
            Self::Readme => readme::run(workspace),
            Self::Examples => examples::run(workspace),
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.to_possible_value();
        formatter.write_str(value.as_ref().map_or("", |value| value.get_name()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_printed_as_it_is_typed() {
        for step in Step::ALL {
            assert_eq!(Step::from_str(&step.to_string(), false), Ok(step));
        }
    }

    #[test]
    fn no_step_is_left_out() {
        assert_eq!(Step::value_variants(), Step::ALL);
    }
}
