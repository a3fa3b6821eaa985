//! Files of follows and unfollows of several shapes.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use crate::declared_sqlite::input::TENANT;
use crate::declared_sqlite::random::Random;
use crate::failure::Outcome;

/// One event in so many is an unfollow.
const UNFOLLOW_ONE_IN: u64 = 20;

/// Of ten events so many concern a hot user, where there are any.
const HOT_OF_TEN: u64 = 9;

/// What a file holds.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Events, one a line.
    pub events: u64,
    /// Users, which are the entities.
    pub users: u64,
    /// Artists whom a user may follow, each a row of its own.
    pub artists_a_user: u64,
    /// So many users have nine tenths of the events; 0 for none.
    pub hot: u64,
    /// The kinds of events there are, by the end of their type: `ARTIST_FOLLOWED_0` to …; 1 leaves
    /// the end away.
    pub kinds: u64,
}

impl Shape {
    /// The shape of the benchmark beside the loops by hand: one row a user, no hot one, one kind.
    #[must_use]
    pub fn plain(events: u64) -> Self {
        Self {
            events,
            users: 100_000,
            artists_a_user: 1,
            hot: 0,
            kinds: 1,
        }
    }

    /// Writes the file anew.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(self, path: &Path) -> Outcome<()> {
        let mut out = BufWriter::new(File::create(path)?);
        let mut random = Random::new(1);
        let mut sequences = vec![0_u32; usize::try_from(self.users)?];
        for index in 0..self.events {
            let is_hot = self.hot > 0 && random.below(10) < HOT_OF_TEN;
            let user = random.below(if is_hot { self.hot } else { self.users });
            let artist = random.below(self.artists_a_user);
            let verb = match random.below(UNFOLLOW_ONE_IN) {
                0 => "ARTIST_UNFOLLOWED",
                _ => "ARTIST_FOLLOWED",
            };
            // A user has one kind of events, so that each projection has its own users.
            let kind = match self.kinds {
                1 => String::new(),
                kinds => format!("_{}", user % kinds),
            };
            let sequence = &mut sequences[usize::try_from(user)?];
            *sequence += 1;
            let at = 1_719_331_200_000 + index;
            writeln!(
                out,
                "{{\"eventType\":\"{verb}{kind}\",\"entityId\":\"u-{user:07}\",\"forkId\":\"prod\",\
                 \"tenantSchema\":\"{TENANT}\",\"irVersion\":\"v42\",\"sequenceNumber\":{sequence},\
                 \"ts\":{at},\"payload\":{{\"user_id\":\"u-{user:07}\",\"artist_id\":\"ar-{artist:05}\"}}}}"
            )?;
        }
        Ok(out.flush()?)
    }
}

/// A projection named `name` with the table of that name, for the events whose types end so.
#[must_use]
pub fn projection(name: &str, ends: &[String]) -> String {
    let of = |verb: &str| {
        ends.iter()
            .map(move |end| format!("ARTIST_{verb}{end}"))
            .collect::<Vec<_>>()
    };
    let (followed, unfollowed) = (of("FOLLOWED"), of("UNFOLLOWED"));
    let all = [followed.as_slice(), unfollowed.as_slice()]
        .concat()
        .join(", ");
    let mut text = format!(
        "  {name}:
    source_events: [{all}]
    target: {{ table: {name}, primary_key: [user_id, artist_id] }}
    fields: {{ user_id: TEXT, artist_id: TEXT, followed_at: BIGINT }}
    derive: {{ user_id: event.user_id, artist_id: event.artist_id, followed_at: event.ts }}
    mutations:
"
    );
    for event_type in followed {
        text.push_str(&format!("      {event_type}: {{ op: upsert }}\n"));
    }
    for event_type in unfollowed {
        text.push_str(&format!("      {event_type}: {{ op: delete }}\n"));
    }
    text
}
