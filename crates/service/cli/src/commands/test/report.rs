//! Prints what the cases came to.

use std::io::IsTerminal;

use serde_json::{Value, json};

use super::Tested;
use super::cell::{as_json, as_text};
use super::finding::{Cells, Finding, What};
use crate::args::Format;
use crate::exit::Failure;
use crate::output::{TextTable, print, print_line};

pub(super) fn print_all(tested: &[Tested], format: Format) -> Result<(), Failure> {
    match format {
        Format::Text => print(as_lines(tested, Colours::of_terminal())),
        Format::Json => print_line(as_object(tested)),
    }
}

/// Whether expected and actual values have colours.
#[derive(Clone, Copy, Debug)]
struct Colours(bool);

impl Colours {
    /// On a terminal, unless `NO_COLOR` is set.
    fn of_terminal() -> Self {
        let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Self(std::io::stdout().is_terminal() && !refused)
    }

    fn red(self, text: &str) -> String {
        self.paint("31", text)
    }

    fn green(self, text: &str) -> String {
        self.paint("32", text)
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.0 {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }
}

fn as_lines(tested: &[Tested], colours: Colours) -> String {
    let mut text = String::new();
    let (mut passed, mut all) = (0, 0);
    for Tested { file, cases } in tested {
        for (case, findings) in cases {
            all += 1;
            let name = printable(&case.name);
            if findings.is_empty() {
                passed += 1;
                text.push_str(&format!("{}  {name}\n", colours.green("ok  ")));
                continue;
            }
            text.push_str(&format!("{}  {name}\n", colours.red("FAIL")));
            for finding in findings {
                let line = finding.line;
                let subject = printable(&finding.subject);
                text.push_str(&format!("  {file}:{line}: {subject}: "));
                text.push_str(&detail(finding, colours));
            }
        }
    }
    text.push_str(&format!("{passed} of {all} case(s) passed\n"));
    text
}

/// What is not as expected, to the end of its lines.
fn detail(finding: &Finding, colours: Colours) -> String {
    match &finding.what {
        What::Missing(cells) => colours.red(&format!("missing row {}", row(cells))) + "\n",
        What::Unexpected(cells) => colours.green(&format!("unexpected row {}", row(cells))) + "\n",
        What::Other(told) => printable(told) + "\n",
        What::Count {
            of,
            expected,
            actual,
        } => {
            let expected = colours.red(&format!("expected {expected}"));
            let actual = colours.green(&format!("actual {actual}"));
            let of = match *of == finding.subject {
                true => String::new(),
                false => format!("{of}: "),
            };
            format!("{of}{expected}, {actual}\n")
        }
        What::Changed { key, columns } => {
            let mut table = TextTable::with_headings(["", "expected", "actual"]);
            for changed in columns {
                table.push([
                    printable(&changed.column),
                    printable(&as_text(&changed.expected)),
                    printable(&as_text(&changed.actual)),
                ]);
            }
            let body: String = table
                .render()
                .lines()
                .map(|line| format!("    {line}\n"))
                .collect();
            format!("other values in the row {}\n{body}", row(key))
        }
    }
}

fn row(cells: &Cells) -> String {
    let cells: Vec<String> = cells
        .iter()
        .map(|(column, cell)| format!("{}={}", printable(column), printable(&as_text(cell))))
        .collect();
    cells.join(" ")
}

/// Nothing that a terminal obeys, on one line.
fn printable(text: &str) -> String {
    text.replace(char::is_control, "\u{fffd}")
}

fn as_object(tested: &[Tested]) -> Value {
    let cases: Vec<Value> = tested
        .iter()
        .flat_map(|tested| tested.cases.iter().map(move |case| (&tested.file, case)))
        .map(|(file, (case, findings))| {
            json!({
                "file": file,
                "line": case.line,
                "name": case.name,
                "passed": findings.is_empty(),
                "findings": findings.iter().map(told).collect::<Vec<_>>(),
            })
        })
        .collect();
    let passed = cases.iter().filter(|case| case["passed"] == true).count();
    json!({ "passed": passed, "failed": cases.len() - passed, "cases": cases })
}

fn told(finding: &Finding) -> Value {
    let mut told = match &finding.what {
        What::Missing(cells) => json!({ "kind": "missing", "row": object(cells) }),
        What::Unexpected(cells) => json!({ "kind": "unexpected", "row": object(cells) }),
        What::Other(text) => json!({ "kind": "other", "message": text }),
        What::Count {
            of,
            expected,
            actual,
        } => json!({ "kind": "count", "of": of, "expected": expected, "actual": actual }),
        What::Changed { key, columns } => {
            let column = |of: fn(&super::finding::ChangedColumn) -> &_| {
                let columns = columns.iter();
                let columns = columns.map(|changed| (changed.column.clone(), as_json(of(changed))));
                Value::Object(columns.collect())
            };
            json!({
                "kind": "changed",
                "key": object(key),
                "expected": column(|changed| &changed.expected),
                "actual": column(|changed| &changed.actual),
            })
        }
    };
    told["subject"] = json!(finding.subject);
    told["line"] = json!(finding.line);
    told
}

fn object(cells: &Cells) -> Value {
    let cells = cells.iter();
    Value::Object(
        cells
            .map(|(column, cell)| (column.clone(), as_json(cell)))
            .collect(),
    )
}
