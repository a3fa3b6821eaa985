//! The guard of one projection, a group at a time.

use projectionist_core::contract::{GuardEntry, GuardScope, SequenceGuard};
use projectionist_core::{Error, Result};

use super::entity_map::{EntityKey, EntityMap};
use super::last_numbers::{LastNumbers, Place};

/// An entity with what decides most comparisons; see [`sort`].
type Ranked = (u64, u32);

/// The guard of one projection, a group at a time.
///
/// The entities of a group are gathered first, so that those that are not remembered are read in
/// one go; then each event is judged in its order; at the end each entity that moved is written
/// once.
#[derive(Debug)]
pub(crate) struct GroupGuard {
    projection: Box<str>,
    /// What the store holds, as far as it is remembered.
    numbers: LastNumbers,
    /// The version of the store's numbers at the end of the last group: what is remembered holds
    /// for that one.
    version: Option<u64>,
    /// The entities of the group.
    group: EntityMap,
    /// For each entity of the group what the end of the group needs to know.
    fates: Vec<Fate>,
    /// The entities that are read, and later those that are written.
    asked: Vec<u32>,
    order: Vec<Ranked>,
    read: Vec<Option<i64>>,
}

/// What becomes of the number of one entity.
#[derive(Clone, Copy, Debug)]
struct Fate {
    /// Where it was remembered when the group began.
    place: Place,
    /// Whether an event of the group moved it.
    moved: bool,
}

impl GroupGuard {
    pub(crate) fn new(projection: &str, cache_entries: usize) -> Self {
        Self {
            projection: projection.into(),
            numbers: LastNumbers::new(cache_entries),
            version: None,
            group: EntityMap::default(),
            fates: Vec::new(),
            asked: Vec::new(),
            order: Vec::new(),
            read: Vec::new(),
        }
    }

    /// Forgets what the store was said to hold, because a transaction was rolled back.
    pub(crate) fn forget(&mut self) {
        self.numbers.forget();
    }

    /// Forgets what the store was said to hold, if someone else may have recorded numbers since the
    /// last group. Must run before the group's entities are looked up.
    pub(crate) async fn revise<S: SequenceGuard>(
        &mut self,
        store: &S,
        tx: &mut S::Tx,
    ) -> Result<()> {
        let version = store.version(tx, &self.projection).await?;
        if self.version != Some(version) {
            self.forget();
        }
        Ok(())
    }

    /// Begins a group.
    pub(crate) fn open(&mut self) {
        self.group.clear();
        self.fates.clear();
        self.asked.clear();
    }

    /// Adds an entity of the group; the same index for the same entity. `None` when the group has
    /// more names than can be addressed.
    pub(crate) fn enter(&mut self, key: EntityKey<'_>) -> Option<u32> {
        let (index, is_new) = self.group.find_or_add(key)?;
        if is_new {
            let (place, last) = self.numbers.find(key);
            let moved = false;
            self.fates.push(Fate { place, moved });
            match place {
                Place::Nowhere => self.asked.push(index),
                Place::Old | Place::Young { .. } => self.group.set_last(index, last),
            }
        }
        Some(index)
    }

    /// Reads what is not remembered.
    pub(crate) async fn load<S: SequenceGuard>(&mut self, store: &S, tx: &mut S::Tx) -> Result<()> {
        let Self {
            projection,
            group,
            asked,
            order,
            read,
            ..
        } = self;
        sort(group, asked, order);
        let mut rest = order.as_slice();
        while let Some((first, run)) = next_run(group, &mut rest) {
            let keys = run.iter().map(|(_, index)| group.key(*index).entity);
            let entities: Vec<&str> = keys.collect();
            read.clear();
            let scope = scope(projection, group.key(first));
            store.last_applied(tx, scope, &entities, read).await?;
            if read.len() != run.len() {
                return Err(Error::Store {
                    action: format!("read the last applied numbers of {projection}"),
                    retryable: false,
                    source: format!("{} were asked for, {} came", run.len(), read.len()).into(),
                });
            }
            for ((_, index), last) in run.iter().zip(read.iter()) {
                group.set_last(*index, *last);
            }
        }
        Ok(())
    }

    /// Whether an event with this number was applied before, or came late.
    pub(crate) fn is_stale(&self, index: u32, sequence: i64) -> bool {
        self.group.last(index).is_some_and(|last| sequence <= last)
    }

    /// The number of the event before; `None` when none was ever applied.
    pub(crate) fn last(&self, index: u32) -> Option<i64> {
        self.group.last(index)
    }

    /// An event with this number was applied.
    pub(crate) fn advance(&mut self, index: u32, sequence: i64) {
        self.group.set_last(index, Some(sequence));
        if let Some(fate) = self.fates.get_mut(index as usize) {
            fate.moved = true;
        }
    }

    /// Writes the numbers that moved, and remembers all of the group.
    pub(crate) async fn save<S: SequenceGuard>(&mut self, store: &S, tx: &mut S::Tx) -> Result<()> {
        let Self {
            projection,
            group,
            fates,
            asked,
            order,
            numbers,
            version,
            ..
        } = self;
        let indexes = (0_u32..).zip(fates.iter()).filter(|(_, fate)| fate.moved);
        asked.clear();
        asked.extend(indexes.map(|(index, _)| index));
        sort(group, asked, order);
        let mut rest = order.as_slice();
        while let Some((first, run)) = next_run(group, &mut rest) {
            let entries = run.iter().filter_map(|(_, index)| {
                Some(GuardEntry {
                    entity: group.key(*index).entity,
                    sequence: group.last(*index)?,
                })
            });
            let entries: Vec<GuardEntry<'_>> = entries.collect();
            let scope = scope(projection, group.key(first));
            store.record(tx, scope, &entries).await?;
        }
        for (index, fate) in (0_u32..).zip(fates.iter()) {
            if fate.moved || !matches!(fate.place, Place::Young { .. }) {
                numbers.remember(group.key(index), fate.place, group.last(index));
            }
        }
        *version = Some(store.version(tx, projection).await?);
        Ok(())
    }
}

fn scope<'a>(projection: &'a str, key: EntityKey<'a>) -> GuardScope<'a> {
    GuardScope {
        projection,
        tenant: key.tenant,
        fork: key.fork,
    }
}

/// Takes the entities of the first scope off the front, with the first of them.
fn next_run<'a>(group: &EntityMap, rest: &mut &'a [Ranked]) -> Option<(u32, &'a [Ranked])> {
    let (_, first) = *rest.first()?;
    let key = group.key(first);
    let same_scope = |index| {
        let other = group.key(index);
        (other.tenant, other.fork) == (key.tenant, key.fork)
    };
    let end = rest.iter().position(|(_, index)| !same_scope(*index));
    let (run, others) = rest.split_at(end.unwrap_or(rest.len()));
    *rest = others;
    Some((first, run))
}

/// Orders entities by tenant, fork and entity. Names mostly begin alike, so what they share is
/// left out and the next eight bytes decide nearly every comparison without a look at the text.
fn sort(group: &EntityMap, entities: &[u32], order: &mut Vec<Ranked>) {
    let shared = shared_prefix(group, entities);
    order.clear();
    order.extend(entities.iter().map(|index| {
        let rest = group.text_of(*index).as_bytes().get(shared..);
        let mut head = [0; 8];
        for (to, from) in head.iter_mut().zip(rest.unwrap_or_default()) {
            *to = *from;
        }
        (u64::from_be_bytes(head), *index)
    }));
    order.sort_unstable_by(|a, b| {
        let texts = || group.text_of(a.1).cmp(group.text_of(b.1));
        a.0.cmp(&b.0).then_with(texts)
    });
}

/// How many bytes all the texts begin with.
fn shared_prefix(group: &EntityMap, entities: &[u32]) -> usize {
    let Some((first, others)) = entities.split_first() else {
        return 0;
    };
    let first = group.text_of(*first).as_bytes();
    others.iter().fold(first.len(), |shared, index| {
        let pairs = first.iter().zip(group.text_of(*index).as_bytes());
        pairs.take(shared).take_while(|(a, b)| a == b).count()
    })
}
