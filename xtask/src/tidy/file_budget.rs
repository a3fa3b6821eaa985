//! Files stay small enough to be read in one sitting. A cap alone lets every file grow to it, so the
//! spread of the production files is held too, and printed.

use super::project::Project;
use super::report::Report;
use super::rust_files::{is_test, production_lines, rust_files};

const MOST_LINES: usize = 600;
const MOST_MEDIAN: usize = 150;
const MOST_NINTH_DECILE: usize = 400;

pub(crate) fn check(project: &Project, report: &mut Report) {
    let mut production = Vec::new();
    for (path, text) in rust_files(&project.files) {
        let lines = text.lines().count();
        if lines > MOST_LINES {
            let wrong = format!("{lines} lines, more than {MOST_LINES}");
            report.fault(path, 1, wrong, "split it by what changes together");
        }
        if path.contains("/src/") && !is_test(path) {
            production.push((production_lines(text), path));
        }
    }
    production.sort_unstable();
    let (Some(median), Some(ninth)) = (quantile(&production, 5), quantile(&production, 9)) else {
        return;
    };
    report.figure(format!(
        "lines of production files: median {} of at most {MOST_MEDIAN}, p90 {} of at most \
         {MOST_NINTH_DECILE}, {} files",
        median.0,
        ninth.0,
        production.len()
    ));
    for ((lines, path), most, name) in [
        (median, MOST_MEDIAN, "median"),
        (ninth, MOST_NINTH_DECILE, "p90"),
    ] {
        if *lines > most {
            let wrong = format!("the {name} of all production files is {lines} lines, not {most}");
            report.fault(path, 1, wrong, "split this file and those above it in size");
        }
    }
}

/// The smallest value that so many tenths of the sorted values do not exceed.
fn quantile<T>(sorted: &[T], tenths: usize) -> Option<&T> {
    sorted.get((sorted.len() * tenths).div_ceil(10).saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::super::report::faults_of;
    use super::*;

    #[test]
    fn a_file_over_the_cap_is_a_fault_also_when_it_is_a_test() {
        let (most, more) = ("\n".repeat(MOST_LINES), "\n".repeat(MOST_LINES + 1));
        let found = faults_of(
            check,
            &[
                ("crates/core/tests/a.rs", &most),
                ("crates/core/tests/b.rs", &more),
            ],
        );
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("crates/core/tests/b.rs:1: 601 lines"));
    }

    #[test]
    fn the_median_counts_production_lines_only() {
        let short = "\n".repeat(MOST_MEDIAN);
        let long = "\n".repeat(MOST_MEDIAN + 1);
        let tested = format!("{short}#[cfg(test)]\nmod tests {{\n}}\n");
        let of = |first: &str, second: &str| {
            let paths = [
                "crates/a/src/a.rs",
                "crates/a/src/b.rs",
                "crates/a/src/c.rs",
            ];
            faults_of(
                check,
                &[(paths[0], first), (paths[1], second), (paths[2], &long)],
            )
        };
        assert_eq!(of(&short, &tested), [""; 0]);
        let found = of(&short, &long);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("the median of all production files is 151"));
    }

    #[test]
    fn quantiles_are_values_of_the_list() {
        let ten: Vec<usize> = (1..=10).collect();
        assert_eq!(quantile(&ten, 5), Some(&5));
        assert_eq!(quantile(&ten, 9), Some(&9));
        assert_eq!(quantile(&ten[..1], 9), Some(&1));
        assert_eq!(quantile(&ten[..0], 5), None);
    }
}
