//! Turns the bytes of a record into an event and back.

use bytes::Bytes;

use crate::Timestamp;

/// Turns the bytes of one record into an event and back.
///
/// # Contract
/// [`decode`](Self::decode) of what [`encode`](Self::encode) wrote gives an equal event; dead
/// letters and replays depend on it. Decoding is pure: it depends on the bytes alone.
///
/// An event may keep a slice of `record`, which is cheap to clone. `Scratch` belongs to one
/// reader and lives as long as its stream: a codec keeps the buffers there that it wants to use
/// again.
///
/// # Ordering
/// None: records are decoded in any order.
///
/// # Durability
/// None.
///
/// # Cancellation
/// Does not apply: both directions are synchronous.
///
/// # Errors
/// A record that is no event gives the reason as a sentence, without its place; the source adds
/// the place. The codec never panics, whatever the bytes are.
///
/// # Example
/// ```
/// use bytes::Bytes;
/// use projectionist_core::contract::EventCodec;
///
/// /// Records that hold one number each.
/// struct Numbers;
///
/// impl EventCodec for Numbers {
///     type Event = u64;
///     type Scratch = ();
///
///     fn decode(&self, (): &mut (), record: Bytes) -> Result<u64, String> {
///         let text = std::str::from_utf8(&record).map_err(|error| error.to_string())?;
///         text.parse().map_err(|error| format!("{text:?} is no number: {error}"))
///     }
///
///     fn encode(&self, event: &u64, out: &mut Vec<u8>) {
///         out.extend_from_slice(event.to_string().as_bytes());
///     }
/// }
///
/// assert_eq!(Numbers.decode(&mut (), Bytes::from_static(b"7")), Ok(7));
/// ```
pub trait EventCodec: Send + Sync + 'static {
    /// What a record holds.
    type Event: Send + Sync + 'static;
    /// Buffers of one reader.
    type Scratch: Default + Send + 'static;

    /// Reads one record.
    ///
    /// # Errors
    /// The reason why `record` is no event.
    fn decode(&self, scratch: &mut Self::Scratch, record: Bytes) -> Result<Self::Event, String>;

    /// Appends the record of `event`.
    fn encode(&self, event: &Self::Event, out: &mut Vec<u8>);

    /// When the event happened, where it says so.
    fn created_at(&self, event: &Self::Event) -> Option<Timestamp> {
        let _ = event;
        None
    }
}
