//! The order in which dead letters are replayed.
//!
//! Letters are taken up in the order in which they were kept. Within an entity that is the order
//! of its events, but for a lane that was moved back: then an earlier event may have been kept
//! later, and would find that a later one was applied before it. So the letters of each entity
//! share out their turns by position.

use std::collections::HashMap;

use super::select::{EventHead, Letter};
use crate::commands::files::{Place, place_of, position_of};

/// An entity within a lane: projection, key, tenant, fork and entity.
type LaneEntity<'a> = [&'a str; 5];

/// The entity of a letter whose event came from a file, and how far into the lane it stands: which
/// file, and which byte.
fn place(letter: &Letter) -> Option<(LaneEntity<'_>, Place)> {
    let stored = &letter.stored;
    let offset = &stored.letter.offset;
    let place = place_of(&position_of(offset)?);
    let EventHead {
        tenant,
        fork,
        entity,
        ..
    } = letter.event.as_ref()?;
    let entity = [&stored.projection, &stored.key, tenant, fork, entity];
    Some((entity.map(String::as_str), place))
}

/// Lets the letters of each entity share out their turns by position.
pub(super) fn by_position(letters: Vec<Letter>) -> Vec<Letter> {
    let mut entities: HashMap<LaneEntity<'_>, Vec<(Place, usize)>> = HashMap::new();
    for (index, letter) in letters.iter().enumerate() {
        if let Some((entity, place)) = place(letter) {
            entities.entry(entity).or_default().push((place, index));
        }
    }
    let mut turns: Vec<usize> = (0..letters.len()).collect();
    for places in entities.into_values() {
        let mut sorted = places.clone();
        sorted.sort_unstable();
        for ((_, letter), (_, turn)) in sorted.into_iter().zip(places) {
            // The letter that takes the place of the one at `turn`.
            turns[letter] = turn;
        }
    }
    let mut in_order: Vec<(usize, Letter)> = turns.into_iter().zip(letters).collect();
    in_order.sort_unstable_by_key(|(turn, _)| *turn);
    in_order.into_iter().map(|(_, letter)| letter).collect()
}

#[cfg(test)]
mod tests {
    use projectionist_core::contract::StoredDeadLetter;
    use projectionist_core::{
        DeadLetter, DeadLetterId, DeadLetterOrigin, Defect, ErrorClass, Offset, Timestamp,
    };

    use super::*;

    fn letter(id: u64, projection: &str, entity: &str, byte: Option<u64>) -> Letter {
        let now = Timestamp::from_unix_millis(1);
        let hash = "0".repeat(32);
        let offset = match byte {
            Some(byte) => ("file", format!("{byte}:1:0-{hash}")),
            None => ("stream", id.to_string()),
        };
        Letter {
            stored: StoredDeadLetter {
                id: DeadLetterId(id),
                projection: projection.to_owned(),
                key: "all".to_owned(),
                letter: DeadLetter {
                    origin: DeadLetterOrigin::Projection,
                    offset: Offset {
                        manifest: offset.0.into(),
                        text: offset.1,
                    },
                    defect: Defect::new(ErrorClass::Data, "it does not fit"),
                    event: bytes::Bytes::new(),
                    attempts: 1,
                    first_failed_at: now,
                    failed_at: now,
                },
            },
            event: Some(EventHead {
                event_type: "MOVED".to_owned(),
                entity: entity.to_owned(),
                tenant: String::new(),
                fork: String::new(),
                sequence: None,
            }),
        }
    }

    #[test]
    fn an_entity_shares_out_its_turns_and_others_keep_theirs() {
        let letters = vec![
            letter(1, "orders", "a", Some(90)),
            letter(2, "orders", "b", Some(80)),
            letter(3, "totals", "a", Some(70)),
            letter(4, "orders", "a", Some(10)),
            letter(5, "orders", "c", None),
            letter(6, "orders", "a", Some(50)),
            letter(7, "orders", "c", None),
        ];
        let order = by_position(letters);
        let ids: Vec<u64> = order.iter().map(|letter| letter.stored.id.0).collect();
        assert_eq!(ids, [4, 2, 3, 6, 5, 1, 7]);
    }
}
