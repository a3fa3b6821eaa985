//! Where the checkout and the build folder are, and cargo called so that both stay as they are.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::{Doing, Failure, Result};

/// The checkout that this program works on.
pub(crate) struct Workspace {
    root: PathBuf,
    target: PathBuf,
}

impl Workspace {
    /// The checkout that the current folder lies in.
    pub(crate) fn find() -> Result<Self> {
        let here = env::current_dir().doing("read the current folder")?;
        let root = here
            .ancestors()
            .find(|folder| folder.join("xtask/Cargo.toml").is_file())
            .ok_or_else(|| Failure::new("run this inside a checkout of the project"))?;
        let target = target(|name| env::var_os(name).filter(|value| !value.is_empty()))?;
        Ok(Self {
            root: root.to_owned(),
            target: root.join(target),
        })
    }

    /// A folder of a test in place of the checkout.
    #[cfg(test)]
    pub(crate) fn at(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            target: root.join("target"),
        }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The folder where `cargo build --release` leaves its programs.
    pub(crate) fn programs(&self) -> PathBuf {
        self.target.join("release")
    }

    /// A cargo command in the root of the checkout.
    pub(crate) fn cargo<'word>(&self, words: impl IntoIterator<Item = &'word str>) -> Command {
        let mut command = self.command(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.args(words);
        command
    }

    /// A command in the root of the checkout, with the environment of the shell: what cargo adds
    /// for this program would make build scripts of other packages run again.
    pub(crate) fn command(&self, program: impl Into<OsString>) -> Command {
        let mut command = Command::new(program.into());
        command
            .current_dir(&self.root)
            .env("CARGO_TARGET_DIR", &self.target);
        for (name, _) in env::vars_os() {
            let text = name.to_string_lossy();
            if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
                command.env_remove(&name);
            }
        }
        command
    }
}

/// The build folder: the one that is set, else one in the user's cache, outside the checkout, so
/// that a fresh clone does not build the dependencies again.
fn target(variable: impl Fn(&str) -> Option<OsString>) -> Result<PathBuf> {
    if let Some(folder) = variable("CARGO_TARGET_DIR") {
        return Ok(folder.into());
    }
    let cache = match (variable("XDG_CACHE_HOME"), variable("HOME")) {
        (Some(cache), _) => PathBuf::from(cache),
        (None, Some(home)) => Path::new(&home).join(".cache"),
        (None, None) => {
            return Err(Failure::new(
                "no build folder: set CARGO_TARGET_DIR or HOME",
            ));
        }
    };
    Ok(cache.join("projectionist/target"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target_with(variables: &[(&str, &str)]) -> Option<String> {
        let look_up = |name: &str| {
            let found = variables.iter().find(|(variable, _)| *variable == name);
            found.map(|(_, value)| OsString::from(value))
        };
        target(look_up)
            .ok()
            .map(|folder| folder.display().to_string())
    }

    #[test]
    fn the_build_folder_is_the_one_set_else_in_the_cache() {
        let all = [
            ("CARGO_TARGET_DIR", "built"),
            ("XDG_CACHE_HOME", "cache"),
            ("HOME", "me"),
        ];
        assert_eq!(target_with(&all).unwrap(), "built");
        assert_eq!(
            target_with(&all[1..]).unwrap(),
            "cache/projectionist/target"
        );
        assert_eq!(
            target_with(&all[2..]).unwrap(),
            "me/.cache/projectionist/target"
        );
        assert_eq!(target_with(&[]), None);
    }
}
