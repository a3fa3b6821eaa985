//! What the compiler says to whom puts a projection together wrongly.

#[test]
fn messages_name_the_way_out() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/*.rs");
}
