//! Envelopes that wait because one of their key could not be handled.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use projectionist_core::contract::ParkedStore;
use projectionist_core::{Commit, Offset, ParkedEnvelope, ParkedKey, ProjectionId, Result};

use crate::MemoryStore;

/// The parked envelopes of every lane that has or had some.
#[derive(Debug, Default)]
pub(crate) struct Parked {
    lanes: HashMap<ProjectionId, ParkedLane>,
}

/// The parked envelopes of a lane.
#[derive(Debug, Default)]
struct ParkedLane {
    /// By place: the number that an envelope got when it was first parked.
    envelopes: BTreeMap<u64, ParkedEnvelope>,
    /// The place of each offset.
    places: HashMap<Offset, u64>,
    /// The places of each key. None is empty.
    keys: HashMap<String, BTreeSet<u64>>,
    /// The place after the last one that was given.
    next_place: u64,
}

impl Parked {
    /// Parks what `commit` parks, and then lets go what it unparks.
    pub(crate) fn commit(&mut self, lane: &ProjectionId, commit: &Commit) {
        if commit.parked.is_empty() && commit.unparked.is_empty() {
            return;
        }
        let lane = self.lanes.entry(lane.clone()).or_default();
        for envelope in &commit.parked {
            lane.park(envelope);
        }
        for offset in &commit.unparked {
            lane.unpark(offset);
        }
    }
}

impl ParkedLane {
    fn park(&mut self, envelope: &ParkedEnvelope) {
        let place = self.unpark(&envelope.offset).unwrap_or(self.next_place);
        self.next_place = self.next_place.max(place + 1);
        self.places.insert(envelope.offset.clone(), place);
        let places = self.keys.entry(envelope.key.clone()).or_default();
        places.insert(place);
        self.envelopes.insert(place, envelope.clone());
    }

    /// Lets an envelope go; gives the place that it had.
    fn unpark(&mut self, offset: &Offset) -> Option<u64> {
        let place = self.places.remove(offset)?;
        let envelope = self.envelopes.remove(&place)?;
        if let Some(places) = self.keys.get_mut(&envelope.key) {
            places.remove(&place);
            if places.is_empty() {
                self.keys.remove(&envelope.key);
            }
        }
        Some(place)
    }
}

impl ParkedStore for MemoryStore {
    async fn parked_keys(&self, lane: &ProjectionId, limit: usize) -> Result<Vec<ParkedKey>> {
        let state = self.lock().await;
        let Some(lane) = state.parked.lanes.get(lane) else {
            return Ok(Vec::new());
        };
        let mut keys: Vec<&BTreeSet<u64>> = lane.keys.values().collect();
        keys.sort_unstable_by_key(|places| places.first());
        let keys = keys.into_iter().take(limit).filter_map(|places| {
            Some(ParkedKey {
                first: lane.envelopes.get(places.first()?)?.clone(),
                envelopes: places.len() as u64,
            })
        });
        Ok(keys.collect())
    }

    async fn parked(
        &self,
        lane: &ProjectionId,
        key: &str,
        limit: usize,
    ) -> Result<Vec<ParkedEnvelope>> {
        let state = self.lock().await;
        let Some(lane) = state.parked.lanes.get(lane) else {
            return Ok(Vec::new());
        };
        let places = lane.keys.get(key).into_iter().flatten();
        let envelopes = places.filter_map(|place| lane.envelopes.get(place));
        Ok(envelopes.take(limit).cloned().collect())
    }
}
