//! Writes a starter file with sample events and test cases.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

use projectionist_language::json_schema;

use crate::args::InitArguments;
use crate::exit::Failure;
use crate::output::{print, shell_word};

const PROJECTIONS: &str = "projections.yaml";
const EVENTS: &str = "events.jsonl";
const FIXTURES: &str = "fixtures.yaml";
/// The first line of [`PROJECTIONS`] points to it.
const SCHEMA: &str = "projections.schema.json";

pub(crate) fn execute(arguments: &InitArguments) -> Result<(), Failure> {
    let folder = arguments.folder.as_path();
    let files = [
        (
            PROJECTIONS,
            include_str!("starter/projections.yaml").to_owned(),
        ),
        (EVENTS, include_str!("starter/events.jsonl").to_owned()),
        (FIXTURES, include_str!("starter/fixtures.yaml").to_owned()),
        (SCHEMA, json_schema()),
    ];
    fs::create_dir_all(folder).map_err(|error| cannot("make the folder", folder, &error))?;
    if !arguments.force {
        refuse_to_overwrite(folder, &files)?;
    }
    for (name, text) in &files {
        write(&folder.join(name), text, arguments.force)?;
    }
    print(told(folder, &files))
}

/// Fails, before anything is written, when one of the files is there.
fn refuse_to_overwrite(folder: &Path, files: &[(&str, String)]) -> Result<(), Failure> {
    // A link that leads nowhere is there as well.
    let is_there = |path: &Path| path.symlink_metadata().is_ok();
    let there: Vec<String> = files
        .iter()
        .filter(|(name, _)| is_there(&folder.join(name)))
        .map(|(name, _)| shown(folder, name))
        .collect();
    if there.is_empty() {
        return Ok(());
    }
    let there = there.join(", ");
    Err(Failure::at_run_time(format!(
        "nothing was written, because this is there already: {there}; name another folder, or \
         overwrite with --force"
    )))
}

fn write(path: &Path, text: &str, overwrite: bool) -> Result<(), Failure> {
    let mut options = OpenOptions::new();
    options.write(true);
    if overwrite {
        options.create(true).truncate(true);
    } else {
        options.create_new(true);
    }
    options
        .open(path)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(|error| cannot("write", path, &error))
}

fn cannot(what: &str, path: &Path, error: &std::io::Error) -> Failure {
    Failure::at_run_time(format!("cannot {what} {}: {error}", path.display()))
}

/// The path of a file in the folder, as short as it can be typed.
fn shown(folder: &Path, name: &str) -> String {
    match folder.to_str() {
        Some("." | "") => name.to_owned(),
        _ => folder.join(name).display().to_string(),
    }
}

/// What was written, and the commands to try next.
fn told(folder: &Path, files: &[(&str, String)]) -> String {
    let path = |name: &str| shown(folder, name);
    let word = |name: &str| shell_word(&path(name));
    let (projections, events, fixtures) = (word(PROJECTIONS), word(EVENTS), word(FIXTURES));
    let target = shell_word(&format!("sqlite:{}", path("views.db")));
    let written: String = files
        .iter()
        .map(|(name, _)| format!("  {}\n", path(name)))
        .collect();
    format!(
        "written:\n{written}\ntry next:\n  \
         projectionist check {projections}\n  \
         projectionist test {projections} {fixtures}\n  \
         projectionist run {projections} --from {events} --into {target} --once --show\n"
    )
}
