//! One error, named by what it means to the one who gets it.

use crate::{Epoch, ProjectionId};

/// Any error, as drivers and handlers give it.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// A result with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What kind of fault made an event fail: decides whether it is tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ErrorClass {
    /// The record is no envelope.
    Envelope,
    /// The event's content does not fit; trying again cannot help.
    Data,
    /// The event names a tenant that cannot be one.
    Tenant,
    /// A table or column is missing or of another shape.
    Schema,
    /// The source does not vouch for the event's position any more.
    Unverified,
    /// Something needed is away or busy; waiting helps.
    Outage,
    /// The handler failed in some other way.
    Handler,
}

impl ErrorClass {
    /// The stored and printed name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Envelope => "envelope",
            Self::Data => "data",
            Self::Tenant => "tenant",
            Self::Schema => "schema",
            Self::Unverified => "unverified",
            Self::Outage => "outage",
            Self::Handler => "handler",
        }
    }

    /// The class of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [
            Self::Envelope,
            Self::Data,
            Self::Tenant,
            Self::Schema,
            Self::Unverified,
            Self::Outage,
            Self::Handler,
        ]
        .into_iter()
        .find(|class| class.name() == name)
    }
}

/// What went wrong, to which projection, and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A setting or an identity cannot be used.
    #[error("{subject}: {reason}")]
    Configuration {
        /// What is configured.
        subject: String,
        /// Why it cannot be used, and what can.
        reason: String,
    },
    /// The projection already runs in this process.
    #[error("projection {0} already runs in this process; stop it before it is started again")]
    AlreadyRunning(ProjectionId),
    /// Another claim of the lane was granted since: nothing more can be committed under this one.
    #[error(
        "{lane}: the claim with epoch {epoch} was superseded by epoch {current}; nothing of it was committed"
    )]
    Fenced {
        /// The lane.
        lane: ProjectionId,
        /// The epoch of the claim that was used.
        epoch: Epoch,
        /// The epoch that the lane has now.
        current: Epoch,
    },
    /// Another owner holds the lane and the run was told not to wait.
    #[error("{lane} is held by {holder}; stop that one, or wait until it has ended")]
    Held {
        /// The lane.
        lane: ProjectionId,
        /// The holder, for people.
        holder: String,
    },
    /// What management asked of a lane is refused.
    #[error("{lane}: refused: {reason}")]
    Refused {
        /// The lane.
        lane: ProjectionId,
        /// Why, and what can be done instead.
        reason: String,
    },
    /// The projection has ended, or ended before it could answer.
    #[error("{0} has ended; spawn it again, or use the store's management")]
    Ended(ProjectionId),
    /// The stored offset is not the one that this claim last wrote or read.
    #[error("{lane}: the stored offset is {}, not {} as expected; it was moved by someone else", show(.found.as_deref()), show(.expected.as_deref()))]
    UnexpectedOffset {
        /// The lane.
        lane: ProjectionId,
        /// The text that the commit expected.
        expected: Option<String>,
        /// The text that the row holds.
        found: Option<String>,
    },
    /// The stored offset was written by another kind of source.
    #[error(
        "{lane}: the stored offset has the format `{stored}`, this source writes `{provider}`; use the source that wrote it, or another target"
    )]
    ForeignOffset {
        /// The lane.
        lane: ProjectionId,
        /// The manifest that is stored.
        stored: String,
        /// The manifest of the provider.
        provider: &'static str,
    },
    /// An offset's text cannot be read.
    #[error("the offset {text:?} is no `{manifest}`: {reason}")]
    OffsetCodec {
        /// The format it should have.
        manifest: &'static str,
        /// The text.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A source delivered an envelope from before the lane's settled position.
    #[error(
        "{lane}: the source delivered {got} after {low} was settled; a source must deliver in order"
    )]
    PositionRegressed {
        /// The lane.
        lane: ProjectionId,
        /// What is settled.
        low: String,
        /// What was delivered.
        got: String,
    },
    /// The source failed.
    #[error("cannot {action}: {source}")]
    Source {
        /// What was tried, such as `read events.jsonl`.
        action: String,
        /// Whether trying again can help.
        retryable: bool,
        /// Why it failed.
        source: BoxError,
    },
    /// The handler failed and recovery was exhausted.
    #[error("{lane}: the handler failed at {offset} after {attempts} attempt(s): {source}")]
    Handler {
        /// The lane.
        lane: ProjectionId,
        /// The position of the envelope, or of the last one of the group.
        offset: String,
        /// How often it was tried.
        attempts: u32,
        /// Why it failed.
        source: BoxError,
    },
    /// A store failed.
    #[error("cannot {action}: {source}")]
    Store {
        /// What was tried.
        action: String,
        /// Whether trying again can help.
        retryable: bool,
        /// Why it failed.
        source: BoxError,
    },
    /// A row does not fit its table.
    #[error("table {table}: {reason}")]
    Row {
        /// The table.
        table: String,
        /// What does not fit.
        reason: String,
    },
    /// A table exists in another shape than the one declared.
    #[error("table {table}: {reason}")]
    Schema {
        /// The table.
        table: String,
        /// How it differs, and what to do.
        reason: String,
    },
    /// Something stored cannot be read back.
    #[error("the stored {what} is damaged: {text:?}")]
    Damaged {
        /// What it should be.
        what: String,
        /// What is stored.
        text: String,
    },
}

fn show(offset: Option<&str>) -> String {
    offset.map_or_else(|| "none".to_owned(), |offset| format!("{offset:?}"))
}

impl Error {
    /// Whether a restart can help. What cannot be mended by trying again stops a projection.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Source { retryable, .. } | Self::Store { retryable, .. } => *retryable,
            Self::UnexpectedOffset { .. } | Self::Row { .. } => true,
            // A handler's own errors are its own business; one of ours has decided already.
            Self::Handler { source, .. } => {
                source.downcast_ref::<Self>().is_none_or(Self::is_retryable)
            }
            Self::Configuration { .. }
            | Self::AlreadyRunning(_)
            | Self::Fenced { .. }
            | Self::Held { .. }
            | Self::Refused { .. }
            | Self::Ended(_)
            | Self::ForeignOffset { .. }
            | Self::OffsetCodec { .. }
            | Self::PositionRegressed { .. }
            | Self::Schema { .. }
            | Self::Damaged { .. } => false,
        }
    }

    /// The class under which a handler that returns this error fails.
    #[must_use]
    pub fn class(&self) -> ErrorClass {
        match self {
            Self::Row { .. } => ErrorClass::Data,
            Self::Schema { .. } => ErrorClass::Schema,
            Self::Store {
                retryable: true, ..
            }
            | Self::Source {
                retryable: true, ..
            } => ErrorClass::Outage,
            _ => ErrorClass::Handler,
        }
    }
}
