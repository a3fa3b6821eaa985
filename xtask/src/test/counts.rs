//! How many tests passed, added up over all test programs of a run.

use std::fmt;

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    passed: u64,
    failed: u64,
}

impl Counts {
    /// Takes the figures from a line such as `test result: ok. 12 passed; 0 failed; 1 ignored`.
    pub(crate) fn read(&mut self, line: &str) {
        let Some((_, figures)) = line.split_once("test result: ") else {
            return;
        };
        let (_, figures) = figures.split_once(". ").unwrap_or_default();
        for figure in figures.split("; ") {
            match figure
                .split_once(' ')
                .map(|(count, what)| (count.parse::<u64>(), what))
            {
                Some((Ok(count), "passed")) => self.passed += count,
                Some((Ok(count), "failed")) => self.failed += count,
                _ => {}
            }
        }
    }

    pub(crate) fn passed(&self) -> u64 {
        self.passed
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} passed, {} failed", self.passed, self.failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_add_up_and_other_lines_do_not_count() {
        let mut counts = Counts::default();
        for line in [
            "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out",
            "test lane::tests::a_key ... ok",
            "7 passed",
            "test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured",
        ] {
            counts.read(line);
        }
        assert_eq!(counts.to_string(), "15 passed, 2 failed");
    }
}
