//! The files of the dashboard hold together, are all compiled in, and ask nobody else for anything.
#![allow(clippy::unwrap_used, reason = "a helper of tests fails its test")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use projectionist_dashboard::{asset, assets};

/// Most lines of a file: one concept each.
const MOST_LINES: usize = 300;

fn files(folder: &Path, found: &mut BTreeSet<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.insert(path);
        }
    }
}

fn text(path: &str) -> &'static str {
    std::str::from_utf8(asset(path).unwrap().body).unwrap()
}

/// What stands between these two, wherever it does.
fn between<'a>(text: &'a str, before: &str, after: char) -> Vec<&'a str> {
    let rest = text.split(before).skip(1);
    rest.filter_map(|rest| rest.split_once(after).map(|(found, _)| found))
        .collect()
}

#[test]
fn every_file_is_compiled_in_and_small() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("pages");
    let mut found = BTreeSet::new();
    files(&folder, &mut found);
    let found: BTreeSet<String> = found
        .iter()
        .map(|path| format!("/{}", path.strip_prefix(&folder).unwrap().display()))
        .collect();
    let listed: BTreeSet<String> = assets().iter().map(|one| one.path.to_owned()).collect();
    assert_eq!(listed, found);
    for path in &found {
        let lines = text(path).lines().count();
        assert!(lines <= MOST_LINES, "{path} has {lines} lines");
    }
}

#[test]
fn every_file_that_is_named_is_there_and_none_is_in_vain() {
    let mut named = BTreeSet::from(["/index.html".to_owned()]);
    let page = text("/index.html");
    named.extend(
        [
            between(page, "href=\"/", '"'),
            between(page, "src=\"/", '"'),
        ]
        .concat()
        .iter()
        .map(|path| format!("/{path}")),
    );
    for one in assets().iter().filter(|one| one.path.ends_with(".js")) {
        for import in between(text(one.path), "from \"", '"') {
            let mut folder: Vec<&str> = one.path.split('/').collect();
            folder.pop();
            for part in import.split('/') {
                match part {
                    "." => {}
                    ".." => drop(folder.pop()),
                    name => folder.push(name),
                }
            }
            named.insert(folder.join("/"));
        }
    }
    let listed: BTreeSet<String> = assets().iter().map(|one| one.path.to_owned()).collect();
    assert_eq!(named, listed);
}

#[test]
fn nothing_is_inline_and_nothing_is_asked_of_another_host() {
    let page = text("/index.html");
    for inline in ["<style", "style=", "onclick=", "onload=", "javascript:"] {
        assert!(!page.contains(inline), "{inline}");
    }
    for script in between(page, "<script", '<') {
        assert!(
            script.contains("src=\"/") && script.ends_with('>'),
            "{script}"
        );
    }
    for one in assets() {
        let text = text(one.path);
        let hosts = between(text, "http", ' ')
            .into_iter()
            .chain(between(text, "url(", ')'));
        let foreign: Vec<&str> = hosts
            .filter(|found| found.contains("://") && !found.contains("www.w3.org/2000/svg"))
            .collect();
        assert_eq!(foreign, Vec::<&str>::new(), "{}", one.path);
    }
}

/// Text of events must never be read as markup.
#[test]
fn no_script_makes_markup_of_a_text_or_runs_one() {
    let ways = [
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "new Function",
    ];
    for one in assets().iter().filter(|one| one.path.ends_with(".js")) {
        for way in ways {
            assert!(!text(one.path).contains(way), "{}: {way}", one.path);
        }
    }
}

#[test]
fn the_first_page_is_found_by_its_short_name_and_others_only_by_their_own() {
    assert_eq!(asset("/").map(|one| one.path), Some("/index.html"));
    for path in ["", "/css", "/../Cargo.toml", "/js/main.js/", "//index.html"] {
        assert!(asset(path).is_none(), "{path}");
    }
}
