//! Moves a lane: all that a commit writes, under its two conditions.

use std::sync::LazyLock;

use projectionist_core::counters::COUNTER_NAMES;
use projectionist_core::{Ahead, Claim, Commit, Result, Timestamp};
use rusqlite::{CachedStatement, Connection};

use crate::error::{signed, store_error};
use crate::lane_row::{bind_conditions, mismatch};
use crate::{dead_letter_store, management, parked_store};

/// The parameters of [`move_text`] before the counters.
const MOVE_PARAMETERS: usize = 8;

/// The first parameter of [`MOVE_FULLY`] after the counters.
const FULL_PARAMETERS: usize = MOVE_PARAMETERS + COUNTER_NAMES.len() + 1;

/// The first counters, which are all that most commits count: what was read and what was applied.
const USUAL_COUNTERS: usize = 2;

/// Moves a row to the next offset, or leaves that, and counts what is usual.
static MOVE: LazyLock<String> = LazyLock::new(|| {
    move_text(
        r#"manifest = coalesce(?6, manifest),
        "offset" = coalesce(?7, "offset")"#,
        USUAL_COUNTERS,
    )
});

/// As [`MOVE`], for commits that change or count more. Most do not, and a row is moved at every
/// save, so the two are apart: all counters would cost as much as the rest of the statement.
static MOVE_FULLY: LazyLock<String> = LazyLock::new(|| {
    let reset = FULL_PARAMETERS;
    let [sets_ahead, ahead, replay_passed] = [reset + 1, reset + 2, reset + 3];
    // Every expression sees the row as it was before.
    let replay = |column: &str, held: &str| {
        format!(
            "{column} = CASE WHEN ?{replay_passed} THEN NULL
                WHEN ?{reset} THEN coalesce({column}, {held}) ELSE {column} END"
        )
    };
    move_text(
        &format!(
            r#"manifest = CASE WHEN ?{reset} THEN ?6 ELSE coalesce(?6, manifest) END,
        "offset" = CASE WHEN ?{reset} THEN ?7 ELSE coalesce(?7, "offset") END,
        ahead = CASE WHEN ?{sets_ahead} THEN ?{ahead} WHEN ?{reset} THEN NULL ELSE ahead END,
        {}, {}"#,
            replay("replay_manifest", "manifest"),
            replay("replay_offset", r#""offset""#),
        ),
        COUNTER_NAMES.len(),
    )
});

/// The statement that changes a row and its first counters under its two conditions. A count that
/// has reached the largest integer stays there.
fn move_text(changes: &str, counters: usize) -> String {
    let mut text =
        format!("UPDATE projectionist_lanes SET {changes}, updated_at = coalesce(?8, updated_at)");
    for (index, name) in COUNTER_NAMES[..counters].iter().enumerate() {
        let parameter = MOVE_PARAMETERS + 1 + index;
        let most = i64::MAX;
        text.push_str(&format!(
            r#", "{name}" = min("{name}", {most} - ?{parameter}) + ?{parameter}"#
        ));
    }
    text.push_str(
        r#" WHERE name = ?1 AND key = ?2 AND epoch = ?3 AND manifest IS ?4 AND "offset" IS ?5"#,
    );
    text
}

/// Writes everything of `commit` but ends no transaction. Nothing is written unless the row has
/// the claim's epoch and the expected offset.
pub(crate) fn advance(
    connection: &Connection,
    claim: &Claim,
    commit: &Commit,
    now: Timestamp,
) -> Result<()> {
    let failed = |error| store_error(format!("move {}", claim.lane), error);
    let counts = commit.counters.values();
    let counts_more = counts[USUAL_COUNTERS..].iter().any(|count| *count > 0);
    let fully = commit.reset || commit.replay_passed || commit.ahead.is_some() || counts_more;
    let (text, counts) = match fully {
        true => (&MOVE_FULLY, counts.as_slice()),
        false => (&MOVE, &counts[..USUAL_COUNTERS]),
    };
    let mut statement = connection.prepare_cached(text).map_err(failed)?;
    bind_conditions(&mut statement, claim, commit.expected.as_ref()).map_err(failed)?;
    bind_change(&mut statement, commit, counts, now).map_err(failed)?;
    if fully {
        bind_full_change(&mut statement, commit).map_err(failed)?;
    }
    if statement.raw_execute().map_err(failed)? != 1 {
        return Err(mismatch(connection, claim, commit.expected.as_ref()));
    }
    let lane = &claim.lane;
    dead_letter_store::keep(connection, lane, &commit.dead_letters)?;
    parked_store::commit(connection, lane, commit)?;
    management::answer(connection, lane, &commit.answers, now)
}

fn bind_change(
    statement: &mut CachedStatement<'_>,
    commit: &Commit,
    counts: &[u64],
    now: Timestamp,
) -> rusqlite::Result<()> {
    let offset = commit.offset.as_ref();
    let moves = offset.is_some() || commit.reset || !commit.counters.is_zero();
    statement.raw_bind_parameter(6, offset.map(|offset| offset.manifest.as_ref()))?;
    statement.raw_bind_parameter(7, offset.map(|offset| offset.text.as_str()))?;
    statement.raw_bind_parameter(8, moves.then_some(now.unix_millis))?;
    for (index, count) in counts.iter().enumerate() {
        statement.raw_bind_parameter(MOVE_PARAMETERS + 1 + index, signed(*count))?;
    }
    Ok(())
}

fn bind_full_change(statement: &mut CachedStatement<'_>, commit: &Commit) -> rusqlite::Result<()> {
    let ahead = commit.ahead.as_ref();
    // Without a range there is no position whose format could matter.
    let text = ahead
        .filter(|ahead| !ahead.is_empty())
        .map(Ahead::to_string);
    statement.raw_bind_parameter(FULL_PARAMETERS, commit.reset)?;
    statement.raw_bind_parameter(FULL_PARAMETERS + 1, ahead.is_some())?;
    statement.raw_bind_parameter(FULL_PARAMETERS + 2, text)?;
    statement.raw_bind_parameter(FULL_PARAMETERS + 3, commit.replay_passed)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;
    use std::sync::{Arc, Mutex};

    use projectionist_core::{Counters, Epoch, Offset, Owner, ParkedEnvelope, ProjectionId};
    use rusqlite::hooks::{AuthAction, AuthContext, Authorization};

    use super::*;

    /// What a connection was asked to do: the kind of each statement, with the table it names.
    type Actions = Arc<Mutex<BTreeSet<(&'static str, String)>>>;

    /// A lane in memory, and what is prepared on its connection from now on.
    fn watched_lane() -> (Connection, Claim, Actions) {
        let connection = Connection::open_in_memory().unwrap();
        crate::schema::migrate(&connection, Path::new("views.db")).unwrap();
        connection
            .execute_batch(
                "INSERT INTO projectionist_lanes (name, key, epoch) VALUES ('orders', 'all', 1)",
            )
            .unwrap();
        let actions = Actions::default();
        let seen = Arc::clone(&actions);
        let watch = move |context: AuthContext<'_>| {
            let action = match context.action {
                AuthAction::Insert { table_name } => ("INSERT", table_name),
                AuthAction::Update { table_name, .. } => ("UPDATE", table_name),
                AuthAction::Delete { table_name } => ("DELETE", table_name),
                AuthAction::Select => ("SELECT", ""),
                _ => return Authorization::Allow,
            };
            seen.lock().unwrap().insert((action.0, action.1.to_owned()));
            Authorization::Allow
        };
        connection.authorizer(Some(watch)).unwrap();
        let claim = Claim {
            lane: ProjectionId::new("orders", "all").unwrap(),
            owner: Owner {
                instance: "one".to_owned(),
                process: None,
            },
            epoch: Epoch(1),
        };
        (connection, claim, actions)
    }

    fn step() -> Commit {
        Commit {
            offset: Some(Offset {
                manifest: "m".into(),
                text: "1".to_owned(),
            }),
            counters: Counters {
                read: 1,
                ..Counters::ZERO
            },
            ..Commit::default()
        }
    }

    fn actions(commit: &Commit) -> Vec<(&'static str, String)> {
        let (connection, claim, actions) = watched_lane();
        let now = Timestamp::from_unix_millis(7);
        advance(&connection, &claim, commit, now).unwrap();
        let actions = actions.lock().unwrap();
        actions.iter().cloned().collect()
    }

    fn on(kind: &'static str, table: &str) -> (&'static str, String) {
        (kind, format!("projectionist_{table}"))
    }

    #[test]
    fn a_plain_save_is_one_update_of_the_row() {
        assert_eq!(actions(&step()), [on("UPDATE", "lanes")]);
    }

    #[test]
    fn every_count_arrives_whichever_statement_carries_it() {
        for (index, name) in COUNTER_NAMES.into_iter().enumerate() {
            let (connection, claim, _) = watched_lane();
            let mut counts = [0; COUNTER_NAMES.len()];
            counts[index] = 7;
            let commit = Commit {
                counters: Counters::from_values(counts),
                ..Commit::default()
            };
            let now = Timestamp::from_unix_millis(7);
            for _ in 0..2 {
                advance(&connection, &claim, &commit, now).unwrap();
            }
            let names = COUNTER_NAMES.map(|name| format!(r#""{name}""#)).join(" + ");
            let query = format!(r#"SELECT "{name}", {names} FROM projectionist_lanes"#);
            let counted: (i64, i64) = connection
                .query_row(&query, [], |row| Ok((row.get(0)?, row.get(1)?)))
                .unwrap();
            assert_eq!(counted, (14, 14), "{name}");
        }
    }

    #[test]
    fn only_what_is_there_to_be_written_has_a_statement() {
        let offset = step().offset.unwrap();
        let full = Commit {
            ahead: Some(Ahead::default()),
            ..step()
        };
        assert_eq!(actions(&full), [on("UPDATE", "lanes")]);
        let parking = Commit {
            parked: vec![ParkedEnvelope {
                key: "a".to_owned(),
                offset: offset.clone(),
                event: b"1"[..].into(),
                attempts: 0,
                error: None,
                parked_at: Timestamp::from_unix_millis(1),
                tried_at: None,
                replay: false,
            }],
            ..step()
        };
        let expected = [
            on("INSERT", "parked"),
            on("UPDATE", "lanes"),
            // What parking again would write.
            on("UPDATE", "parked"),
        ];
        assert_eq!(actions(&parking), expected);
        let unparking = Commit {
            unparked: vec![offset],
            ..step()
        };
        let expected = [on("DELETE", "parked"), on("UPDATE", "lanes")];
        assert_eq!(actions(&unparking), expected);
    }
}
