//! The rules of `docs/spec/store.md` and the cases of the registry tell the same.

use std::collections::BTreeSet;

use projectionist_conformance::CASES;

const SPEC: &str = include_str!("../../../../docs/spec/store.md");

/// The numbers that the page defines, in its order.
fn defined() -> Vec<&'static str> {
    let marked = SPEC.lines().filter_map(|line| line.strip_prefix("- **"));
    marked
        .filter_map(|line| line.split_once("** "))
        .map(|(number, _)| number)
        .collect()
}

#[test]
fn every_rule_has_a_case_and_every_case_a_rule() {
    let defined: BTreeSet<&str> = defined().into_iter().collect();
    let cited: BTreeSet<&str> = CASES.iter().flat_map(|case| case.rules).copied().collect();
    assert_eq!(defined, cited);
    assert!(CASES.iter().all(|case| !case.rules.is_empty()));
}

#[test]
fn rules_are_numbered_without_gaps() {
    let mut last = ("", 0);
    for number in defined() {
        let (theme, index) = number.rsplit_once('-').unwrap();
        let expected = if theme == last.0 { last.1 + 1 } else { 1 };
        assert_eq!(index.parse(), Ok(expected), "{number}");
        last = (theme, expected);
    }
}

#[test]
fn every_rule_says_must_or_may() {
    let mut rules = SPEC.split("\n- **").skip(1);
    assert!(rules.all(|rule| {
        let rule = rule.split("\n\n").next().unwrap();
        rule.contains("MUST") || rule.contains(" may ")
    }));
}

#[test]
fn the_count_of_cases_is_the_one_that_is_written() {
    let (_, rest) = SPEC.split_once("**Cases: ").unwrap();
    let (count, _) = rest.split_once("**").unwrap();
    assert_eq!(count.parse(), Ok(CASES.len()));
}

#[test]
fn no_case_is_listed_twice() {
    let names: BTreeSet<_> = CASES.iter().map(|case| (case.theme, case.name)).collect();
    assert_eq!(names.len(), CASES.len());
}
