//! Which Rust files the checks look at, and where production code ends and tests begin.

use super::files::Files;

/// Folders with Rust code.
const FOLDERS: [&str; 4] = ["benchmarks/", "crates/", "examples/", "xtask/"];

/// Path and text of the project's Rust files. The cases under `tests/ui` are left out: they are
/// inputs of tests, some written so as not to compile.
pub(crate) fn rust_files(files: &Files) -> impl Iterator<Item = (&str, &str)> {
    files.texts().filter(|(path, _)| {
        path.ends_with(".rs")
            && FOLDERS.iter().any(|folder| path.starts_with(folder))
            && !path.contains("/tests/ui/")
    })
}

/// Whether the whole file is a test: it lies in a `tests` folder or is a `tests.rs`.
pub(crate) fn is_test(path: &str) -> bool {
    path.split('/')
        .any(|part| part == "tests" || part == "tests.rs")
}

/// The number of lines before the test module at the end of a file; all of them without one.
pub(crate) fn production_lines(text: &str) -> usize {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let opens_tests = |&at: &usize| {
        lines[at].starts_with("#[cfg(test)]")
            && lines[at + 1..]
                .iter()
                .find(|line| !line.starts_with("#["))
                .is_some_and(opens_module)
    };
    (0..lines.len()).find(opens_tests).unwrap_or(lines.len())
}

fn opens_module(line: &&str) -> bool {
    let line = line.strip_prefix("pub(crate) ").unwrap_or(line);
    line.starts_with("mod ") && line.ends_with('{')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_that_must_not_compile_are_no_files_of_ours() {
        let files = Files::of(&[
            ("crates/engine/src/lib.rs", ""),
            ("crates/engine/tests/ui/wrong.rs", ""),
            ("crates/engine/README.md", ""),
            ("notes/try.rs", ""),
        ]);
        let paths: Vec<&str> = rust_files(&files).map(|(path, _)| path).collect();
        assert_eq!(paths, ["crates/engine/src/lib.rs"]);
    }

    #[test]
    fn production_ends_where_an_inline_test_module_begins() {
        let lints = "fn a() {}\n\n#[cfg(test)]\n#[expect(x)]\nmod tests {\n}\n";
        assert_eq!(production_lines(lints), 2);
        assert_eq!(production_lines("#[cfg(test)]\nmod tests;\nfn a() {}\n"), 3);
        assert_eq!(production_lines("#[cfg(test)]\nfn helper() {}\n"), 2);
    }

    #[test]
    fn a_file_is_a_test_by_its_folder_or_its_name() {
        assert!(is_test("crates/core/tests/offsets.rs"));
        assert!(is_test("crates/core/src/lane/tests.rs"));
        assert!(!is_test("crates/testing/testkit/src/lib.rs"));
    }
}
