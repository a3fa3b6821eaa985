//! The program as a process.

use std::fmt;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

use super::eventually;

/// The program, without arguments. Its environment says nothing about logs.
pub fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_projectionist"));
    command
        .env_remove("PROJECTIONIST_LOG")
        .env_remove("PROJECTIONIST_ADMIN_TOKEN")
        .stdin(Stdio::null());
    command
}

/// How a process ended and what it said.
pub struct Ended {
    /// The exit code; `None` when a signal ended it.
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl fmt::Debug for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            code,
            stdout,
            stderr,
        } = self;
        write!(
            f,
            "exit code {code}\n--- stdout\n{stdout}--- stderr\n{stderr}"
        )
    }
}

impl Ended {
    /// The last line of standard output, which must be one JSON object.
    pub fn last_line_as_json(&self) -> Value {
        let last = self.stdout.lines().last();
        let parsed = last.map(serde_json::from_str::<Value>);
        match parsed {
            Some(Ok(value)) if value.is_object() => value,
            _ => panic!("the last line is no JSON object: {self:?}"),
        }
    }
}

/// Runs a command to its end.
pub fn ended(command: &mut Command) -> Ended {
    Running::start(command).end()
}

/// Runs the program to its end with `input` on its standard input.
pub fn ended_with_input(command: &mut Command, input: &[u8]) -> Ended {
    let mut running = Running::start(command.stdin(Stdio::piped()));
    let mut stdin = running.child.stdin.take().unwrap();
    // A program that stops reading early is judged by what it says.
    let _ = stdin.write_all(input);
    drop(stdin);
    running.end()
}

/// A process that runs; it is killed when the value goes.
pub struct Running {
    pub child: Child,
    stdout: Said,
    stderr: Said,
}

impl Running {
    pub fn start(command: &mut Command) -> Self {
        let piped = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = piped.spawn().unwrap();
        Self {
            stdout: Said::read(child.stdout.take().unwrap()),
            stderr: Said::read(child.stderr.take().unwrap()),
            child,
        }
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// How the program calls this process.
    pub fn label(&self) -> String {
        format!("process {}", self.id())
    }

    pub fn send(&self, signal: Signal) {
        let id = i32::try_from(self.id()).unwrap();
        kill(Pid::from_raw(id), signal).unwrap();
    }

    /// Kills it with SIGKILL: nothing of it runs any more when this returns.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Whether it has ended by itself.
    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Waits until it has said `words` on standard error, in one line.
    pub fn says(&self, words: &[&str]) {
        self.line_with(words);
    }

    /// As [`Self::says`]; gives the line.
    pub fn line_with(&self, words: &[&str]) -> String {
        let what = format!("process {} says {words:?}", self.id());
        eventually(&what, || {
            let said = self.stderr.text.lock().unwrap();
            // A line comes in parts.
            let (said, _) = said.rsplit_once('\n')?;
            let mut lines = said.lines();
            lines
                .find(|line| words.iter().all(|word| line.contains(word)))
                .map(ToOwned::to_owned)
        })
    }

    /// Asks it to stop and waits for its end.
    pub fn stop(self, signal: Signal) -> Ended {
        self.send(signal);
        self.end()
    }

    /// Waits for its end.
    pub fn end(mut self) -> Ended {
        let what = format!("process {} ends", self.id());
        let status = eventually(&what, || self.child.try_wait().unwrap());
        Ended {
            code: status.code().unwrap_or(-1),
            stdout: self.stdout.all(),
            stderr: self.stderr.all(),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended long ago.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a process says in one of its streams, read as it comes.
struct Said {
    text: Arc<Mutex<String>>,
    reader: Option<JoinHandle<()>>,
}

impl Said {
    fn read(mut stream: impl Read + Send + 'static) -> Self {
        let text = Arc::new(Mutex::new(String::new()));
        let collected = Arc::clone(&text);
        let reader = std::thread::spawn(move || {
            let (mut block, mut kept) = ([0; 4096], Vec::new());
            while let Ok(length @ 1..) = stream.read(&mut block) {
                kept.extend_from_slice(&block[..length]);
                *collected.lock().unwrap() = String::from_utf8_lossy(&kept).into_owned();
            }
        });
        Self {
            text,
            reader: Some(reader),
        }
    }

    /// Everything, once the stream has ended.
    fn all(&mut self) -> String {
        if let Some(reader) = self.reader.take() {
            reader.join().unwrap();
        }
        self.text.lock().unwrap().clone()
    }
}
