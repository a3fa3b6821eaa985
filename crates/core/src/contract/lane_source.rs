//! A source whose lanes come and go.

use std::fmt;
use std::time::Duration;

use futures::channel::oneshot;

use super::{Mode, SourceProvider, Stream};
use crate::Result;

/// What happens to the lanes of a source.
#[derive(Debug)]
pub enum LaneEvent<P> {
    /// A lane is ours to read. The engine claims it, reads its offset and opens the provider
    /// behind that, as it does with any source.
    Assigned {
        /// The key of the lane: the partition, the shard.
        key: String,
        /// Reads this lane and no other.
        provider: P,
    },
    /// A lane is to be given up: what is in flight is finished, what is settled is committed, the
    /// claim is released, and then `released` is dropped.
    Revoked {
        /// The key of the lane.
        key: String,
        /// How long the source waits. What is not finished by then is abandoned: its handler is
        /// dropped, and what it would still commit is refused.
        deadline: Duration,
        /// Dropped when the lane is given up.
        released: Released,
    },
    /// A lane is gone: another one may read it already. Nothing more of it is committed.
    Lost {
        /// The key of the lane.
        key: String,
    },
    /// A lane will have no more records: it is read to its end, committed and released. The
    /// provider's stream ends by itself.
    Ended {
        /// The key of the lane.
        key: String,
    },
}

/// Tells the source that a revoked lane is given up, when it is dropped.
pub struct Released {
    _given_up: oneshot::Sender<std::convert::Infallible>,
}

impl Released {
    /// The engine's end, and the source's: the future ends when the lane is given up.
    pub fn new() -> (Self, impl Future<Output = ()> + Send + 'static) {
        let (sender, receiver) = oneshot::channel();
        let waits = async move {
            // Only dropping can end it: nothing of that type can be sent.
            let _dropped = receiver.await;
        };
        (Self { _given_up: sender }, waits)
    }
}

impl fmt::Debug for Released {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Released")
    }
}

/// A source whose lanes come and go: partitions that are rebalanced, shards that are split.
///
/// # Contract
/// [`watch`](Self::watch) gives the events of the lanes; the records of a lane come through the
/// [`SourceProvider`] that its assignment hands over. So every lane has its own claim, offset,
/// handler, backpressure and restarts, by the same code as a source that has only one.
///
/// A provider may be opened several times while its lane is assigned: after each restart, behind
/// what is stored by then. When its lane is revoked or lost its streams end or fail; the engine
/// has dropped them by then in any case.
///
/// # Ordering
/// A key is assigned before anything else is said of it, and not assigned again before it was
/// revoked, lost or ended. Events of different keys have no order.
///
/// # Durability
/// As the provider of each lane.
///
/// # Cancellation
/// Dropping the stream gives up all lanes, without a deadline.
///
/// # Errors
/// [`crate::Error::Source`]: a retryable one drops all lanes, and watches again after the backoff.
///
/// # Example
/// ```
/// use futures::stream::{self, BoxStream, StreamExt};
/// use projectionist_core::Result;
/// use projectionist_core::contract::{LaneEvent, LaneSource, Mode, SourceProvider};
///
/// /// Lanes that never change.
/// struct Fixed<P>(Vec<(String, P)>);
///
/// impl<P: SourceProvider + Clone> LaneSource for Fixed<P> {
///     type Provider = P;
///     type Events = BoxStream<'static, Result<LaneEvent<P>>>;
///
///     async fn watch(&self, _: Mode) -> Result<Self::Events> {
///         let lanes = self.0.clone().into_iter();
///         let assigned = lanes.map(|(key, provider)| Ok(LaneEvent::Assigned { key, provider }));
///         Ok(stream::iter(assigned).boxed())
///     }
/// }
/// ```
pub trait LaneSource: Send + Sync + 'static {
    /// Reads one lane.
    type Provider: SourceProvider;
    /// What [`LaneSource::watch`] gives.
    type Events: Stream<Item = Result<LaneEvent<Self::Provider>>> + Send + 'static;

    /// Joins those who read the source, and tells which lanes are ours from now on. A stream that
    /// ends says that no further lane will come: with [`Mode::Current`] when all present ones are
    /// assigned.
    fn watch(&self, mode: Mode) -> impl Future<Output = Result<Self::Events>> + Send;
}
