//! `cargo xtask soak`: the proofs that take too long for every change, with their full counts.
//!
//! A proof is a test that is ignored and whose name begins with `soak_`. It takes its counts from
//! `PROJECTIONIST_SOAK`, its randomness from `PROJECTIONIST_SEED`, and prints its results in lines
//! that begin with `figure:`.

use std::collections::BTreeSet;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::path::Path;

use clap::Args;

use crate::failure::{Doing, Failure, Result};
use crate::stopwatch::Stopwatch;
use crate::stream;
use crate::test::Counts;
use crate::tidy::{Files, functions};
use crate::workspace::Workspace;

const PREFIX: &str = "soak_";
const FIGURE: &str = "figure:";

#[derive(Args)]
pub(crate) struct Options {
    /// Run only the proofs whose name goes on so, behind `soak_`; all of them without
    what: Option<String>,
    /// Print the proofs there are, and run none
    #[arg(long)]
    list: bool,
    /// Repeat a run; chosen anew and printed without
    #[arg(long)]
    seed: Option<u64>,
}

pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    let what = options.what.as_deref().unwrap_or_default();
    let filter = format!("{PREFIX}{}", what.strip_prefix(PREFIX).unwrap_or(what));
    let mut proofs = proofs(&Files::read(workspace)?);
    if options.list {
        proofs.iter().for_each(|proof| println!("{proof}"));
        return Ok(());
    }
    proofs.retain(|proof| proof.name.starts_with(&filter));
    if proofs.is_empty() {
        let wrong = format!("no proof begins with {filter}; see cargo xtask soak --list");
        return Err(Failure::new(wrong));
    }
    let seed = options
        .seed
        .unwrap_or_else(|| RandomState::new().hash_one(FIGURE));
    println!("seed: {seed} (again: cargo xtask soak --seed {seed} {what})");
    prove(workspace, &proofs, &filter, seed)
}

fn prove(workspace: &Workspace, proofs: &[Proof], filter: &str, seed: u64) -> Result<()> {
    let watch = Stopwatch::start();
    let mut tests = workspace.cargo(["test", "--profile", "soak"]);
    // Only what holds a proof is built: the rest would take longer than the proofs.
    let packages: BTreeSet<&Path> = proofs.iter().filter_map(Proof::package).collect();
    for folder in packages {
        let manifest = workspace.root().join(folder).join("Cargo.toml");
        tests.arg("--package").arg(package_name(&manifest)?);
    }
    let targets: BTreeSet<Option<&str>> = proofs.iter().map(Proof::test_target).collect();
    if !targets.contains(&None) {
        for target in targets.into_iter().flatten() {
            tests.arg("--test").arg(target);
        }
    }
    tests.args(["--", "--ignored", "--nocapture", filter]);
    tests
        .env("PROJECTIONIST_SOAK", "1")
        .env("PROJECTIONIST_SEED", seed.to_string());
    let mut counts = Counts::default();
    let mut figures = Vec::new();
    let status = stream::watch(&mut tests, |line| {
        counts.read(line);
        figures.extend(figure(line).map(str::to_owned));
    })?;
    println!("== soak: done in {watch}, seed {seed}");
    figures.iter().for_each(|figure| println!("{figure}"));
    stream::check(&tests, status)?;
    if counts.passed() == 0 {
        return Err(Failure::new(format!(
            "no proof ran: is {filter} an ignored test?"
        )));
    }
    println!("{counts}");
    Ok(())
}

/// The figure in a line of output. The test runner may have put the test's name in front of it.
fn figure(line: &str) -> Option<&str> {
    line.find(FIGURE).map(|at| &line[at..])
}

/// A test that is ignored because it takes long.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Proof {
    name: String,
    path: String,
    line: usize,
    /// What it says about itself.
    summary: String,
}

impl Proof {
    /// The folder of the package that holds it.
    fn package(&self) -> Option<&Path> {
        let folders = Path::new(&self.path).ancestors();
        // What stands in `src` and `tests` belongs to the folder above.
        folders
            .filter(|folder| folder.ends_with("tests") || folder.ends_with("src"))
            .last()
            .and_then(Path::parent)
    }

    /// The test target that holds it; `None` for one that stands in `src`.
    fn test_target(&self) -> Option<&str> {
        let package = self.package()?;
        let within = Path::new(&self.path).strip_prefix(package).ok()?;
        let within = within.strip_prefix("tests").ok()?;
        // A target is a file of `tests`, or a folder of it.
        Path::new(within.iter().next()?).file_stem()?.to_str()
    }
}

impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            name,
            path,
            line,
            summary,
        } = self;
        write!(f, "{name}  {path}:{line}  {summary}")
    }
}

/// The name of the package that `manifest` describes.
fn package_name(manifest: &Path) -> Result<String> {
    let text = std::fs::read_to_string(manifest).doing("read a manifest")?;
    let name = text
        .lines()
        .find_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'));
    name.map(str::to_owned)
        .ok_or_else(|| Failure::new(format!("{} names no package", manifest.display())))
}

/// Every proof, in the order of their names.
fn proofs(files: &Files) -> Vec<Proof> {
    let mut proofs = Vec::new();
    for (path, text) in files.texts().filter(|(path, _)| path.ends_with(".rs")) {
        // A file that does not parse is the compiler's to report.
        let functions = functions(text).unwrap_or_default();
        for function in functions.iter().filter(|function| function.is_test) {
            if function.name.starts_with(PREFIX) {
                proofs.push(Proof {
                    name: function.name.clone(),
                    path: path.to_string(),
                    line: function.line,
                    summary: function.summary.clone(),
                });
            }
        }
    }
    proofs.sort();
    proofs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proofs_are_tests_with_the_prefix() {
        let text = "/// Kills a store.\n#[test]\n#[ignore = \"long\"]\nfn soak_kills() {}\n\
                    fn soak_helper() {}\n#[tokio::test]\nasync fn short() {}\n";
        let files = Files::of(&[("crates/a/tests/kills.rs", text)]);
        let proofs = proofs(&files);
        let listed: Vec<_> = proofs.iter().map(Proof::to_string).collect();
        assert_eq!(
            listed,
            ["soak_kills  crates/a/tests/kills.rs:4  Kills a store."]
        );
        assert_eq!(proofs[0].package(), Some(Path::new("crates/a")));
        assert_eq!(proofs[0].test_target(), Some("kills"));
    }

    #[test]
    fn a_figure_is_found_behind_the_name_of_its_test() {
        let figure_line = "figure: kills=1000 lost=0";
        assert_eq!(
            figure(&format!("test soak_kills ... {figure_line}")),
            Some(figure_line)
        );
        assert_eq!(figure("test soak_kills ... ok"), None);
    }
}
