//! A folder to try documented commands in: it shows the files of the checkout, and what the commands
//! write stays in it, so that a second run finds what the first one found.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Stdio;

use tempfile::TempDir;

use crate::failure::{Doing, Result};
use crate::workspace::Workspace;

/// Makes cargo build the checkout and not its picture in the folder, and joins the two outputs as a
/// terminal does.
const PRELUDE: &str = r#"cargo() {
  case "$1" in
    build|run|test) command cargo "$1" --manifest-path "$PROJECT_ROOT/Cargo.toml" "${@:2}" ;;
    *) command cargo "$@" ;;
  esac
}
exec 2>&1
"#;

pub(crate) struct Playground<'workspace> {
    workspace: &'workspace Workspace,
    folder: TempDir,
}

/// How a command ended, and all that it printed.
pub(crate) struct Outcome {
    /// None when a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) printed: String,
}

impl<'workspace> Playground<'workspace> {
    /// A new folder with a link to everything in the root of the checkout.
    pub(crate) fn open(workspace: &'workspace Workspace) -> Result<Self> {
        let folder = tempfile::tempdir().doing("create a temporary folder")?;
        link_all(workspace.root(), folder.path())?;
        Ok(Self { workspace, folder })
    }

    /// Writes a file into the folder.
    pub(crate) fn write(&self, name: &str, content: &str) -> Result<()> {
        fs::write(self.folder.path().join(name), content).doing("write a file of a page")
    }

    /// Runs a command of bash in the folder, without input.
    pub(crate) fn run(&self, command: &str) -> Result<Outcome> {
        let output = self
            .workspace
            .command("bash")
            .args(["-c", &format!("{PRELUDE}{command}")])
            .current_dir(self.folder.path())
            .env("PATH", path_with_program(self.workspace)?)
            .env("PROJECT_ROOT", self.workspace.root())
            .env("NO_COLOR", "1")
            .stdin(Stdio::null())
            .output()
            .doing("start bash")?;
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        Ok(Outcome {
            code: output.status.code(),
            printed,
        })
    }
}

fn link_all(root: &Path, folder: &Path) -> Result<()> {
    for entry in fs::read_dir(root).doing("list the checkout")? {
        let entry = entry.doing("list the checkout")?;
        let name = entry.file_name();
        if name != ".git" && name != "target" {
            symlink(entry.path(), folder.join(&name)).doing("link the checkout")?;
        }
    }
    Ok(())
}

/// Where programs are looked for, with the release build in front.
pub(crate) fn path_with_program(workspace: &Workspace) -> Result<OsString> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(workspace.programs()).chain(env::split_paths(&path));
    env::join_paths(folders).doing("put the program in front of PATH")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_see_the_checkout_and_write_beside_it() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("data"), "one\n").unwrap();
        let workspace = Workspace::at(root.path());
        let playground = Playground::open(&workspace).unwrap();
        let outcome = playground
            .run("cat data | tee copy; echo two >&2; exit 3")
            .unwrap();
        assert_eq!(
            (outcome.code, outcome.printed.as_str()),
            (Some(3), "one\ntwo\n")
        );
        assert_eq!(playground.run("cat copy").unwrap().printed, "one\n");
        assert!(!root.path().join("copy").exists());
    }

    #[test]
    fn the_release_build_is_found_first() {
        let root = tempfile::tempdir().unwrap();
        let workspace = Workspace::at(root.path());
        let outcome = Playground::open(&workspace)
            .unwrap()
            .run("echo $PATH")
            .unwrap();
        assert!(
            outcome
                .printed
                .starts_with(&workspace.programs().display().to_string())
        );
    }

    #[test]
    fn cargo_builds_the_checkout_itself() {
        let root = tempfile::tempdir().unwrap();
        let programs = root.path().join("target/release");
        fs::create_dir_all(&programs).unwrap();
        let workspace = Workspace::at(root.path());
        let echo = format!(
            "echo 'echo cargo \"$@\"' > {0}; chmod +x {0}; ",
            programs.join("cargo").display()
        );
        let playground = Playground::open(&workspace).unwrap();
        let run = playground
            .run(&format!("{echo} cargo run -p cli -- \"a b\""))
            .unwrap();
        let manifest = root.path().join("Cargo.toml");
        let expected = format!(
            "cargo run --manifest-path {} -p cli -- a b\n",
            manifest.display()
        );
        assert_eq!(run.printed, expected);
        assert_eq!(
            playground.run("cargo version").unwrap().printed,
            "cargo version\n"
        );
    }
}
