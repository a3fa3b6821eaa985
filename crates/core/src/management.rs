//! What people ask of a projection, as it is stored for the owner of its lane.

use std::fmt;

use crate::words::{read_words, write_words};
use crate::{Error, Offset, Result, Timestamp};

/// The number of a request, given by the store. Later requests have higher numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestId(pub u64);

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What the owner of a lane is asked to do. Pausing is no command but a flag, so that it holds
/// whether or not there is an owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ManagementCommand {
    /// Move the lane to behind this offset, or to the beginning.
    SetOffset {
        /// Only when the lane holds this offset (`Some(None)`: holds none); `None` in any case.
        expected: Option<Option<Offset>>,
        /// The new offset; `None` for the beginning.
        to: Option<Offset>,
    },
    /// Pass over the envelope at this position, when it is the one that cannot be handled now.
    Skip {
        /// The position of that envelope.
        at: Offset,
    },
    /// Try parked envelopes now instead of at the end of their delay.
    RetryParked {
        /// Those of this key; `None` for all keys.
        key: Option<String>,
    },
}

/// A command that waits for the owner of its lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManagementRequest {
    /// Its number.
    pub id: RequestId,
    /// What is asked.
    pub command: ManagementCommand,
    /// When it was asked.
    pub requested_at: Timestamp,
}

/// What became of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestAnswer {
    /// The request.
    pub id: RequestId,
    /// Why it was refused; `None` when it was done.
    pub refusal: Option<String>,
}

/// Whose flag pauses a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PauseScope {
    /// The flag of this lane.
    Lane,
    /// The flag of all lanes of its projection's name.
    AllLanes,
}

/// That a lane is paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pause {
    /// Whose flag it is; the lane's own when both are set.
    pub scope: PauseScope,
    /// Since when that flag is set.
    pub since: Timestamp,
}

/// Everything that is asked of a lane at the moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LaneManagement {
    /// Whether it is to be paused.
    pub pause: Option<Pause>,
    /// Requests without an answer, oldest first.
    pub requests: Vec<ManagementRequest>,
}

impl ManagementCommand {
    /// Reads the stored form.
    ///
    /// # Errors
    /// [`Error::Damaged`] when the text is not one that `Display` writes.
    pub fn parse(text: &str) -> Result<Self> {
        let damaged = || Error::Damaged {
            what: "management command".to_owned(),
            text: text.to_owned(),
        };
        let words = read_words(text).ok_or_else(damaged)?;
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let offset = |manifest: &str, text: &str| Offset {
            manifest: manifest.to_owned().into(),
            text: text.to_owned(),
        };
        let set = |expected, to| Self::SetOffset { expected, to };
        Ok(match words[..] {
            ["clear"] => set(None, None),
            ["set", manifest, text] => set(None, Some(offset(manifest, text))),
            ["clear-if", "none"] => set(Some(None), None),
            ["clear-if", "at", manifest, text] => set(Some(Some(offset(manifest, text))), None),
            ["set-if", "none", manifest, text] => set(Some(None), Some(offset(manifest, text))),
            ["set-if", "at", from_manifest, from, manifest, text] => set(
                Some(Some(offset(from_manifest, from))),
                Some(offset(manifest, text)),
            ),
            ["skip", manifest, text] => Self::Skip {
                at: offset(manifest, text),
            },
            ["retry-parked"] => Self::RetryParked { key: None },
            ["retry-parked", key] => Self::RetryParked {
                key: Some(key.to_owned()),
            },
            _ => return Err(damaged()),
        })
    }
}

impl fmt::Display for ManagementCommand {
    /// The stored form: words parted by spaces. A space within a word is written `%20`, and `%`
    /// itself `%25`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut words: Vec<&str> = Vec::new();
        match self {
            Self::SetOffset { expected, to } => {
                let verb = if to.is_some() { "set" } else { "clear" };
                match expected {
                    None => words.push(verb),
                    Some(expected) => {
                        words.push(if to.is_some() { "set-if" } else { "clear-if" });
                        match expected {
                            None => words.push("none"),
                            Some(at) => words.extend(["at", &at.manifest, &at.text]),
                        }
                    }
                }
                if let Some(to) = to {
                    words.extend([to.manifest.as_ref(), &to.text]);
                }
            }
            Self::Skip { at } => words.extend(["skip", &at.manifest, &at.text]),
            Self::RetryParked { key } => {
                words.push("retry-parked");
                words.extend(key.as_deref());
            }
        }
        write_words(f, words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_read_back_as_written() {
        let offset = |text: &str| Offset {
            manifest: "a manifest".into(),
            text: text.into(),
        };
        let mut commands = vec![
            ManagementCommand::Skip { at: offset("9 %") },
            ManagementCommand::RetryParked { key: None },
            ManagementCommand::RetryParked {
                key: Some(String::new()),
            },
            ManagementCommand::RetryParked {
                key: Some("a key".into()),
            },
        ];
        for expected in [None, Some(None), Some(Some(offset("none")))] {
            for to in [None, Some(offset("7"))] {
                let expected = expected.clone();
                commands.push(ManagementCommand::SetOffset { expected, to });
            }
        }
        for command in commands {
            let text = command.to_string();
            assert_eq!(ManagementCommand::parse(&text).unwrap(), command, "{text}");
        }
    }

    #[test]
    fn an_unknown_command_is_refused() {
        for text in ["", "drop everything", "set 1", "skip"] {
            let parsed = ManagementCommand::parse(text);
            assert!(matches!(parsed, Err(Error::Damaged { .. })), "{text:?}");
        }
    }
}
