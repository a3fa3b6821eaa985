//! Runs a child whose output a person watches while this program reads along.

use std::io::{BufRead, BufReader};
use std::process::{Command, ExitStatus, Stdio};

use crate::failure::{Doing, Failure, Result};

/// Runs the command to its end, passes every line of its standard output on as it comes, and shows
/// it to `reader`. Standard error goes straight to the terminal.
pub(crate) fn watch(command: &mut Command, mut reader: impl FnMut(&str)) -> Result<ExitStatus> {
    let program = command.get_program().to_string_lossy().into_owned();
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .doing(format!("start {program}"))?;
    if let Some(stdout) = child.stdout.take() {
        let mut stdout = BufReader::new(stdout);
        let mut line = Vec::new();
        while stdout
            .read_until(b'\n', &mut line)
            .doing(format!("read from {program}"))?
            > 0
        {
            let text = String::from_utf8_lossy(&line);
            print!("{text}");
            reader(text.trim_end());
            line.clear();
        }
    }
    child.wait().doing(format!("wait for {program}"))
}

/// Runs the command to its end and fails when it does.
pub(crate) fn succeed(command: &mut Command) -> Result<()> {
    let status = watch(command, |_| {})?;
    check(command, status)
}

/// A failure that names the whole command, unless it succeeded.
pub(crate) fn check(command: &Command, status: ExitStatus) -> Result<()> {
    if status.success() {
        return Ok(());
    }
    Err(Failure::new(format!(
        "`{}` ended with {status}",
        words(command)
    )))
}

fn words(command: &Command) -> String {
    let program = command.get_program().to_string_lossy();
    let program = program.rsplit('/').next().unwrap_or_default().to_owned();
    let arguments = command
        .get_args()
        .map(|word| word.to_string_lossy().into_owned());
    std::iter::once(program)
        .chain(arguments)
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bash(script: &str) -> Command {
        let mut command = Command::new("bash");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn every_line_reaches_the_reader_also_one_without_an_end() {
        let mut lines = Vec::new();
        let status = watch(&mut bash("echo one; printf two"), |line| {
            lines.push(line.to_owned())
        });
        assert!(status.unwrap().success());
        assert_eq!(lines, ["one", "two"]);
    }

    #[test]
    fn a_failed_command_is_named_with_its_arguments() {
        let failure = succeed(&mut bash("exit 3")).unwrap_err().to_string();
        assert!(
            failure.starts_with("`bash -c exit 3` ended with"),
            "{failure}"
        );
    }
}
