//! A file of cases that does not validate is exit code 3, with every fault and its place.

use crate::tested;

#[test]
fn every_fault_is_told_at_once_and_nothing_is_run() {
    let cases = "\
cases:
  one:
    events:
      - { eventtype: PLACED, entityId: o-1 }
    expect:
      ordres: []
      orders: [{ id: o-1, totl: 5 }]
  two:
    events: []
    expect: { orders: [{ id: o-1, total: five }] }
";
    let ended = tested(cases, &[]);
    assert_eq!((ended.code, ended.stdout.as_str()), (3, ""), "{ended:?}");
    for words in [
        "cases.yaml:4:11: `eventtype` is no name of the envelope; did you mean `eventType`?",
        "cases.yaml:6:7: there is no table `ordres`; did you mean `orders`?",
        "cases.yaml:7:27: `orders` has no column `totl`; did you mean `total`?",
        "cases.yaml:10:42: `total` can never hold this: ",
    ] {
        assert!(ended.stderr.contains(words), "{words}: {ended:?}");
    }
}

#[test]
fn a_wrong_file_of_projections_is_told_as_check_tells_it() {
    let place = crate::common::Place::with(&crate::SHOP.replace("fields:", "fileds:"));
    let cases = place.path("cases.yaml");
    std::fs::write(&cases, "cases: { a: { events: [], expect: {} } }\n").unwrap();
    let ended = crate::test_files(&place.projections(), &[&cases], &[]);
    assert_eq!((ended.code, ended.stdout.as_str()), (3, ""), "{ended:?}");
    assert!(ended.stderr.contains("did you mean `fields`?"), "{ended:?}");
}

#[test]
fn a_file_that_is_not_there_is_exit_code_1_and_no_file_at_all_is_2() {
    let place = crate::common::Place::with(crate::SHOP);
    let ended = crate::test_files(&place.projections(), &[&place.path("none.yaml")], &[]);
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(ended.stderr.contains("none.yaml"), "{ended:?}");
    let ended = crate::test_files(&place.projections(), &[], &[]);
    assert_eq!(ended.code, 2, "{ended:?}");
}
