//! Every example with a `run.sh` runs and succeeds, so that none of them rots.

use std::fs;
use std::path::PathBuf;
use std::process::Stdio;

use super::playground::path_with_program;
use crate::failure::{Doing, Result};
use crate::stream;
use crate::workspace::Workspace;

pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    for script in scripts(workspace)? {
        println!(
            "-- {}",
            script
                .strip_prefix(workspace.root())
                .unwrap_or(&script)
                .display()
        );
        let mut bash = workspace.command("bash");
        bash.arg(&script)
            .stdin(Stdio::null())
            .env("PATH", path_with_program(workspace)?);
        if let Some(folder) = script.parent() {
            bash.current_dir(folder);
        }
        stream::succeed(&mut bash)?;
    }
    Ok(())
}

/// The scripts in the order of their folders.
fn scripts(workspace: &Workspace) -> Result<Vec<PathBuf>> {
    let mut scripts = Vec::new();
    for entry in fs::read_dir(workspace.root().join("examples")).doing("list the examples")? {
        let script = entry.doing("list the examples")?.path().join("run.sh");
        if script.is_file() {
            scripts.push(script);
        }
    }
    scripts.sort();
    Ok(scripts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run_examples(scripts: &[(&str, &str)]) -> std::result::Result<(), String> {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("examples/src")).unwrap();
        for (name, script) in scripts {
            let folder = root.path().join("examples").join(name);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("run.sh"), script).unwrap();
        }
        run(&Workspace::at(root.path())).map_err(|failure| failure.to_string())
    }

    #[test]
    fn scripts_run_in_their_folder_and_must_succeed() {
        assert_eq!(run_examples(&[]), Ok(()));
        assert_eq!(run_examples(&[("orders", "test -f run.sh")]), Ok(()));
        let wrong = run_examples(&[("a", "true"), ("b", "exit 4")]).unwrap_err();
        assert!(
            wrong.contains("examples/b/run.sh` ended with exit status: 4"),
            "{wrong}"
        );
    }
}
