//! The file that everyone reads: follows and unfollows of artists, one JSON object a line.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use super::random::Random;
use crate::failure::Outcome;

/// The tenant of every event.
pub const TENANT: &str = "platform1_concertapp_prod";

/// The projection that the program runs, as the example has it.
pub const PROJECTIONS: &str = include_str!("../../../examples/artist-followers/projections.yaml");

/// One event in so many is an unfollow.
const UNFOLLOW_ONE_IN: u64 = 20;

/// What the file holds.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Events, one a line.
    pub events: u64,
    /// Users, each with one artist, chosen anew for every event.
    pub entities: u64,
    /// The seed of the choice.
    pub seed: u64,
}

/// Writes the file of this shape into `folder`, anew each time: it takes a second, and a file that
/// an older generator left would not be noticed.
///
/// # Errors
/// When it cannot be written.
pub fn file(folder: &Path, shape: Shape) -> Outcome<PathBuf> {
    let path = folder.join("events.jsonl");
    write(&mut BufWriter::new(File::create(&path)?), shape)?;
    Ok(path)
}

fn write(out: &mut impl Write, shape: Shape) -> Outcome<()> {
    let Shape {
        events,
        entities,
        seed,
    } = shape;
    let mut random = Random::new(seed);
    let mut sequences = vec![0_u32; usize::try_from(entities)?];
    for index in 0..events {
        let user = random.below(entities);
        let kind = match random.below(UNFOLLOW_ONE_IN) {
            0 => "ARTIST_UNFOLLOWED",
            _ => "ARTIST_FOLLOWED",
        };
        let sequence = &mut sequences[usize::try_from(user)?];
        *sequence += 1;
        let at = 1_719_331_200_000 + index;
        writeln!(
            out,
            "{{\"eventType\":\"{kind}\",\"entityId\":\"u-{user:05}\",\"forkId\":\"prod\",\
             \"tenantSchema\":\"{TENANT}\",\"irVersion\":\"v42\",\"sequenceNumber\":{sequence},\
             \"ts\":{at},\"payload\":{{\"user_id\":\"u-{user:05}\",\"artist_id\":\"ar-{user:05}\"}}}}"
        )?;
    }
    out.flush()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declared_sqlite::event::Event;

    #[test]
    fn sequences_increase_within_an_entity_and_a_twentieth_unfollows() {
        let shape = Shape {
            events: 20_000,
            entities: 500,
            seed: 7,
        };
        let (mut first, mut second) = (Vec::new(), Vec::new());
        write(&mut first, shape).unwrap();
        write(&mut second, shape).unwrap();
        assert_eq!(first, second, "the same seed gives the same file");
        let mut last = std::collections::BTreeMap::new();
        let mut unfollows = 0;
        let text = String::from_utf8(first).unwrap();
        for line in text.lines() {
            let event: Event<'_> = serde_json::from_str(line).unwrap();
            let before = last.insert(event.entity_id.to_string(), event.sequence_number);
            assert_eq!(event.sequence_number, before.unwrap_or(0) + 1);
            unfollows += u64::from(event.event_type == "ARTIST_UNFOLLOWED");
        }
        assert_eq!(last.len(), 500);
        assert!((800..1200).contains(&unfollows), "{unfollows}");
        let mean = text.len() as f64 / 20_000.0;
        assert!((222.0..226.0).contains(&mean), "{mean} bytes a line");
    }
}
