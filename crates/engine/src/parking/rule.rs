//! Whether a delivery parks envelopes, and what keeps them in order.

use std::future::{Future, ready};

use projectionist_core::contract::{ParkedStore, SourceProvider};
use projectionist_core::{Offset, ParkedEnvelope, ParkedKey, ProjectionId, Result};

use super::ParkConfig;
use crate::delivery::{AtLeastOnce, ExactlyOnce, SettledAtLeastOnce};

/// The delivery parks nothing: what cannot be handled is met by the projection's
/// [`Recovery`](crate::Recovery).
#[derive(Clone, Copy, Debug, Default)]
pub struct NoParking;

/// The delivery parks what cannot be handled, with the later envelopes of its key. Made by
/// [`Projection::parking`](crate::Projection::parking).
#[derive(Clone, Debug)]
pub struct Parking<K> {
    pub(crate) config: ParkConfig,
    /// Writes the key of an envelope into an empty text.
    pub(crate) key: K,
}

/// Whether a delivery parks envelopes: [`NoParking`] or [`Parking`]. The loops of the deliveries
/// are written once for both; what they do to park is not even compiled for the first.
pub trait ParkRule<P: SourceProvider, S>: sealed::Sealed + Send + Sync + 'static {
    /// Whether anything is parked.
    #[doc(hidden)]
    const PARKS: bool;

    #[doc(hidden)]
    fn config(&self) -> ParkConfig;

    /// Writes the key of `envelope` into `key`, which is empty.
    #[doc(hidden)]
    fn key(&self, envelope: &P::Envelope, key: &mut String);

    /// All keys of `lane` that are parked.
    #[doc(hidden)]
    fn parked_keys(
        store: &S,
        lane: &ProjectionId,
    ) -> impl Future<Output = Result<Vec<ParkedKey>>> + Send;

    /// The first parked envelopes of `key`.
    #[doc(hidden)]
    fn parked(
        store: &S,
        lane: &ProjectionId,
        key: &str,
        limit: usize,
    ) -> impl Future<Output = Result<Vec<ParkedEnvelope>>> + Send;
}

impl<P: SourceProvider, S: Sync> ParkRule<P, S> for NoParking {
    const PARKS: bool = false;

    fn config(&self) -> ParkConfig {
        ParkConfig::default()
    }

    fn key(&self, _: &P::Envelope, _: &mut String) {}

    fn parked_keys(_: &S, _: &ProjectionId) -> impl Future<Output = Result<Vec<ParkedKey>>> + Send {
        ready(Ok(Vec::new()))
    }

    fn parked(
        _: &S,
        _: &ProjectionId,
        _: &str,
        _: usize,
    ) -> impl Future<Output = Result<Vec<ParkedEnvelope>>> + Send {
        ready(Ok(Vec::new()))
    }
}

impl<P, S, K> ParkRule<P, S> for Parking<K>
where
    P: SourceProvider,
    S: ParkedStore,
    K: Fn(&P::Envelope, &mut String) + Send + Sync + 'static,
{
    const PARKS: bool = true;

    fn config(&self) -> ParkConfig {
        self.config
    }

    fn key(&self, envelope: &P::Envelope, key: &mut String) {
        (self.key)(envelope, key);
    }

    fn parked_keys(
        store: &S,
        lane: &ProjectionId,
    ) -> impl Future<Output = Result<Vec<ParkedKey>>> + Send {
        store.parked_keys(lane, usize::MAX)
    }

    fn parked(
        store: &S,
        lane: &ProjectionId,
        key: &str,
        limit: usize,
    ) -> impl Future<Output = Result<Vec<ParkedEnvelope>>> + Send {
        store.parked(lane, key, limit)
    }
}

/// The offsets of the envelopes that are parked and stand behind `position`.
pub(crate) async fn parked_behind<P, S, R>(
    store: &S,
    lane: &ProjectionId,
    position: Option<&P::Position>,
) -> Result<Vec<Offset>>
where
    P: SourceProvider,
    S: Sync,
    R: ParkRule<P, S>,
{
    let mut behind = Vec::new();
    for key in R::parked_keys(store, lane).await? {
        for parked in R::parked(store, lane, &key.first.key, usize::MAX).await? {
            let at: P::Position = parked.offset.position(lane)?;
            if position.is_none_or(|position| at > *position) {
                behind.push(parked.offset);
            }
        }
    }
    Ok(behind)
}

/// A delivery that can park what cannot be handled.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot park envelopes",
    note = "at-most-once has saved the position of an envelope before it fails, and a group fails as a whole: use `Projection::at_least_once`, `Projection::settled_at_least_once` or `Projection::exactly_once`, without parking already"
)]
pub trait ParkingDelivery<K>: sealed::Sealed {
    /// The same delivery, parking by a key that `K` tells.
    type Parking;

    #[doc(hidden)]
    fn with_parking(self, parking: Parking<K>) -> Self::Parking;
}

impl<F, K> ParkingDelivery<K> for AtLeastOnce<F> {
    type Parking = AtLeastOnce<F, Parking<K>>;

    fn with_parking(self, parking: Parking<K>) -> Self::Parking {
        let Self { factory, save, .. } = self;
        AtLeastOnce {
            factory,
            save,
            parking,
        }
    }
}

impl<F, K> ParkingDelivery<K> for SettledAtLeastOnce<F> {
    type Parking = SettledAtLeastOnce<F, Parking<K>>;

    fn with_parking(self, parking: Parking<K>) -> Self::Parking {
        let Self { factory, save, .. } = self;
        SettledAtLeastOnce {
            factory,
            save,
            parking,
        }
    }
}

impl<F, K> ParkingDelivery<K> for ExactlyOnce<F> {
    type Parking = ExactlyOnce<F, Parking<K>>;

    fn with_parking(self, parking: Parking<K>) -> Self::Parking {
        let Self { factory, .. } = self;
        ExactlyOnce { factory, parking }
    }
}

mod sealed {
    use crate::delivery::{AtLeastOnce, ExactlyOnce, SettledAtLeastOnce};

    pub trait Sealed {}
    impl Sealed for super::NoParking {}
    impl<K> Sealed for super::Parking<K> {}
    impl<F> Sealed for AtLeastOnce<F> {}
    impl<F> Sealed for SettledAtLeastOnce<F> {}
    impl<F> Sealed for ExactlyOnce<F> {}
}
