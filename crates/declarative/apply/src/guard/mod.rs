//! Tells repeated and late events by the last applied sequence number of their entity.

mod entity_map;
mod group_guard;
mod last_numbers;

pub(crate) use entity_map::EntityKey;
pub(crate) use group_guard::GroupGuard;
