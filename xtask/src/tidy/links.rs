//! Every link between the project's own documents leads somewhere.

use std::collections::BTreeMap;

use super::files::Files;
use super::project::Project;
use super::report::Report;
use crate::markdown;

pub(crate) fn check(project: &Project, report: &mut Report) {
    for (path, text) in project
        .files
        .texts()
        .filter(|(path, _)| path.ends_with(".md"))
    {
        for (line, prose) in markdown::prose(text) {
            for target in targets(&without_code(prose)) {
                if let Some(wrong) = fault(&project.files, path, target) {
                    report.fault(path, line, wrong, "correct the link, or remove it");
                }
            }
        }
    }
}

/// What is wrong with a link in that document, if anything is.
fn fault(files: &Files, document: &str, target: &str) -> Option<String> {
    if target.starts_with("//") || has_scheme(target) {
        return None;
    }
    let (place, anchor) = target.split_once('#').unwrap_or((target, ""));
    let place = match place {
        "" => document.to_owned(),
        _ => match resolve(document, place) {
            Some(place) => place,
            None => return Some(format!("the link {target} leads out of the project")),
        },
    };
    if !files.exists(&place) {
        return Some(format!("the link {target} leads to no file"));
    }
    let headings = files
        .text(&place)
        .filter(|_| place.ends_with(".md"))
        .map(anchors)?;
    let found = anchor.is_empty() || headings.iter().any(|heading| heading == anchor);
    (!found).then(|| format!("the link {target} leads to no heading"))
}

/// The targets of `[text](target)` and `[name]: target`.
fn targets(prose: &str) -> Vec<&str> {
    let inline = prose.match_indices("](").filter_map(|(at, opening)| {
        let rest = &prose[at + opening.len()..];
        rest.split([')', ' ']).next()
    });
    let named = prose
        .trim_start()
        .strip_prefix('[')
        .and_then(|rest| rest.split_once("]: "));
    let named = named.and_then(|(_, rest)| rest.split_whitespace().next());
    inline
        .chain(named)
        .map(|target| target.trim_matches(['<', '>']))
        .collect()
}

/// The line without what stands between backticks.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect()
}

fn has_scheme(target: &str) -> bool {
    let scheme = target.split_once(':').map_or("", |(scheme, _)| scheme);
    !scheme.is_empty()
        && scheme
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || letter == '+')
}

/// The path from the root that a link in a document means; none above the root.
fn resolve(document: &str, place: &str) -> Option<String> {
    let folder = document.rsplit_once('/').map_or("", |(folder, _)| folder);
    let start = if place.starts_with('/') { "" } else { folder };
    let mut parts: Vec<&str> = Vec::new();
    for part in start.split('/').chain(place.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The anchors that the headings of a document get where it is shown.
fn anchors(document: &str) -> Vec<String> {
    let mut seen = BTreeMap::<String, usize>::new();
    let headings = markdown::headings(document);
    headings
        .iter()
        .map(|heading| {
            let kept = |letter: &char| letter.is_alphanumeric() || " -_".contains(*letter);
            let title = heading.title.to_lowercase();
            let anchor: String = title
                .chars()
                .filter(kept)
                .collect::<String>()
                .replace(' ', "-");
            let before = seen.entry(anchor.clone()).or_default();
            *before += 1;
            if *before == 1 {
                anchor
            } else {
                format!("{anchor}-{}", *before - 1)
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::report::faults_of;
    use super::*;

    fn faults(text: &str) -> Vec<String> {
        let glossary = "# Words\n## `Lane`, a part\n## Words\n";
        faults_of(
            check,
            &[
                ("docs/A.md", text),
                ("docs/B.md", glossary),
                ("README.md", ""),
            ],
        )
    }

    #[test]
    fn links_that_lead_somewhere_pass() {
        for link in [
            "[b](B.md) and [up](../README.md)",
            "[root](/docs/B.md) [folder](../docs/)",
            "[lane](B.md#lane-a-part) [second](B.md#words-1)",
            "[net](https://example.org/x) [mail](mailto:me@example.org)",
            "[b]: B.md",
            "`[code](gone.md)`",
            "```\n[code](gone.md)\n```",
        ] {
            assert_eq!(faults(link), [""; 0], "{link}");
        }
    }

    #[test]
    fn links_that_lead_nowhere_are_faults() {
        for (link, wrong) in [
            (
                "\n[b](C.md \"title\")",
                "docs/A.md:2: the link C.md leads to no file",
            ),
            ("[b]: C.md", "docs/A.md:1: the link C.md leads to no file"),
            (
                "[b](../../x.md)",
                "docs/A.md:1: the link ../../x.md leads out of the project",
            ),
            (
                "[b](B.md#slice)",
                "docs/A.md:1: the link B.md#slice leads to no heading",
            ),
            (
                "[b](#slice)",
                "docs/A.md:1: the link #slice leads to no heading",
            ),
        ] {
            let found = faults(link);
            assert_eq!(found.len(), 1, "{link}: {found:?}");
            assert!(found[0].starts_with(wrong), "{found:?}");
        }
    }
}
