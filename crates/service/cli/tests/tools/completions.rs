//! `projectionist completions`: a script for every shell, and that of bash completes.

use std::process::Command;

use tempfile::TempDir;

use crate::common::Ended;
use crate::common::process::{command, ended};

fn script(shell: &str) -> Ended {
    ended(command().args(["completions", shell]))
}

#[test]
fn every_shell_has_a_script_and_an_unknown_one_is_refused() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = script(shell);
        assert_eq!((script.code, script.stderr.as_str()), (0, ""), "{script:?}");
        for word in ["projectionist", "fail-on-dead-letters", "completions"] {
            assert!(script.stdout.contains(word), "{shell}: {word}");
        }
    }
    let refused = script("dos");
    assert_eq!(
        (refused.code, refused.stdout.as_str()),
        (2, ""),
        "{refused:?}"
    );
    assert!(refused.stderr.contains("bash"), "{refused:?}");
}

/// What bash offers behind these words, the last of which is being typed. None without bash.
fn offered(words: &[&str]) -> Option<Vec<String>> {
    Command::new("bash").arg("--version").output().ok()?;
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("projectionist.bash");
    std::fs::write(&path, script("bash").stdout).unwrap();
    let complete = r#"
        source "$1"; shift
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
        _projectionist projectionist "${@: -1}" "${@: -2:1}"
        printf '%s\n' "${COMPREPLY[@]}"
    "#;
    let mut bash = Command::new("bash");
    bash.args(["-c", complete, "bash"]).arg(&path).args(words);
    let ended = ended(&mut bash);
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{ended:?}");
    Some(ended.stdout.lines().map(str::to_owned).collect())
}

#[test]
fn bash_completes_commands_options_and_values() {
    for (words, expected) in [
        (&["projectionist", "che"][..], &["check"][..]),
        (
            &["projectionist", "run", "--fail"],
            &["--fail-on-dead-letters"],
        ),
        (
            &["projectionist", "check", "f.yaml", "--form"],
            &["--format"],
        ),
        (&["projectionist", "check", "--format", "j"], &["json"]),
        (&["projectionist", "completions", "z"], &["zsh"]),
    ] {
        let Some(offered) = offered(words) else {
            return;
        };
        assert_eq!(offered, expected, "{words:?}");
    }
}
