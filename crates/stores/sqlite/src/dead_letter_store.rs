//! Dead letters: kept by the commits that pass them, read by people.

use std::borrow::Cow;
use std::sync::LazyLock;

use projectionist_core::contract::{DeadLetterFilter, DeadLetterStore, StoredDeadLetter};
use projectionist_core::{
    DeadLetter, DeadLetterId, DeadLetterOrigin, Defect, Error, ErrorClass, Offset, ProjectionId,
    Result, Timestamp,
};
use rusqlite::{Connection, Row};

use crate::SqliteStore;
use crate::error::{read_error, signed, store_error, unsigned};

const WHAT: &str = "dead letter";

/// The columns that [`stored`] reads, in its order.
const READ: &str = r#"SELECT projection, key, manifest, "offset", class, error, field, value, event,
        attempts, failed_at, first_failed_at, id
    FROM projectionist_dead_letters"#;

static READ_MATCHING: LazyLock<String> = LazyLock::new(|| {
    format!(
        "{READ}
         WHERE (?1 IS NULL OR projection = ?1) AND (?2 IS NULL OR key = ?2)
             AND (?3 IS NULL OR class = ?3) AND (?4 IS NULL OR field = ?4)
             AND (?5 IS NULL OR failed_at >= ?5) AND (?6 IS NULL OR failed_at < ?6)
             AND (?7 IS NULL OR id IN (SELECT value FROM json_each(?7)))
             AND id > ?8
         ORDER BY id LIMIT ?9"
    )
});

static READ_ONE: LazyLock<String> = LazyLock::new(|| format!("{READ} WHERE id = ?1"));

impl DeadLetterStore for SqliteStore {
    async fn dead_letters(&self, filter: &DeadLetterFilter) -> Result<Vec<StoredDeadLetter>> {
        let failed = |error| read_error(WHAT, error);
        let ids = filter.ids.as_ref().map(|ids| {
            let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
            format!("[{}]", ids.join(","))
        });
        let millis = |moment: Option<Timestamp>| moment.map(|moment| moment.unix_millis);
        let parameters = (
            filter.projection.as_deref(),
            filter.key.as_deref(),
            filter.class.map(ErrorClass::name),
            filter.field.as_deref(),
            millis(filter.since),
            millis(filter.until),
            ids,
            filter.after.map_or(0, |after| signed(after.0)),
            i64::try_from(filter.limit).unwrap_or(i64::MAX),
        );
        self.file.read(|connection| {
            let mut statement = connection.prepare_cached(&READ_MATCHING).map_err(failed)?;
            let mut rows = statement.query(parameters).map_err(failed)?;
            let mut letters = Vec::new();
            while let Some(row) = rows.next().map_err(failed)? {
                letters.push(stored(row)?);
            }
            Ok(letters)
        })
    }
}

/// The letter of that name, where there is one.
pub(crate) fn read_one(
    connection: &Connection,
    id: DeadLetterId,
) -> Result<Option<StoredDeadLetter>> {
    let failed = |error| read_error(WHAT, error);
    let mut statement = connection.prepare_cached(&READ_ONE).map_err(failed)?;
    let mut rows = statement.query([signed(id.0)]).map_err(failed)?;
    rows.next().map_err(failed)?.map(stored).transpose()
}

fn stored(row: &Row<'_>) -> Result<StoredDeadLetter> {
    let failed = |error| read_error(WHAT, error);
    let projection: String = row.get(0).map_err(failed)?;
    let class: String = row.get(4).map_err(failed)?;
    let event: Vec<u8> = row.get(8).map_err(failed)?;
    let origin = if projection.is_empty() {
        DeadLetterOrigin::Source
    } else {
        DeadLetterOrigin::Projection
    };
    let letter = DeadLetter {
        origin,
        offset: Offset {
            manifest: Cow::Owned(row.get(2).map_err(failed)?),
            text: row.get(3).map_err(failed)?,
        },
        defect: Defect {
            class: ErrorClass::from_name(&class).ok_or_else(|| Error::Damaged {
                what: "class of a dead letter".to_owned(),
                text: class,
            })?,
            error: row.get(5).map_err(failed)?,
            field: row.get(6).map_err(failed)?,
            value: row.get(7).map_err(failed)?,
        },
        event: event.into(),
        attempts: row.get(9).map_err(failed)?,
        first_failed_at: Timestamp::from_unix_millis(row.get(11).map_err(failed)?),
        failed_at: Timestamp::from_unix_millis(row.get(10).map_err(failed)?),
    };
    Ok(StoredDeadLetter {
        id: DeadLetterId(unsigned(WHAT, row.get(12).map_err(failed)?)?),
        projection,
        key: row.get(1).map_err(failed)?,
        letter,
    })
}

/// Keeps letters of a lane within the open transaction, each identity once.
pub(crate) fn keep(
    connection: &Connection,
    lane: &ProjectionId,
    letters: &[DeadLetter],
) -> Result<()> {
    if letters.is_empty() {
        return Ok(());
    }
    let failed = |error| store_error(format!("keep a dead letter of {lane}"), error);
    let mut statement = connection
        .prepare_cached(
            r#"INSERT INTO projectionist_dead_letters
                   (projection, key, manifest, "offset", class, error, field, value, event,
                    attempts, first_failed_at, failed_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
               ON CONFLICT (projection, key, manifest, "offset") DO NOTHING"#,
        )
        .map_err(failed)?;
    for letter in letters {
        let projection = match letter.origin {
            DeadLetterOrigin::Projection => lane.name(),
            DeadLetterOrigin::Source => "",
        };
        let defect = &letter.defect;
        statement
            .execute((
                projection,
                lane.key(),
                letter.offset.manifest.as_ref(),
                &letter.offset.text,
                defect.class.name(),
                &defect.error,
                defect.field.as_deref(),
                defect.value.as_deref(),
                letter.event.as_ref(),
                letter.attempts,
                letter.first_failed_at.unix_millis,
                letter.failed_at.unix_millis,
            ))
            .map_err(failed)?;
    }
    Ok(())
}
