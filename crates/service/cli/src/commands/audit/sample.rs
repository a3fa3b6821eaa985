//! Finds out which events wrote the rows that differ.

use projectionist_core::row::{OwnedCell, TableName};
use projectionist_language::model::Projection;

use super::compare::{Compared, Different};
use crate::commands::explain::key::cell_of;
use crate::commands::explain::past::Past;
use crate::commands::explain::retelling::{Book, Wanted, retell};
use crate::commands::explain::values::text_of;
use crate::exit::Failure;

/// A row that differs, with its history.
pub(super) struct Sampled {
    pub(super) table: TableName,
    /// The values of the key, in its order.
    pub(super) key: Vec<String>,
    pub(super) book: Book,
}

/// The rows of the samples with their histories, read in two passes over the source for all of them.
pub(super) async fn histories(
    past: &Past,
    projection: &Projection,
    compared: &[Compared],
) -> Result<Vec<Sampled>, Failure> {
    let (mut rows, mut books, mut sampled) = (Vec::new(), Vec::new(), Vec::new());
    for table in compared {
        for different in &table.sample {
            let key = key_of(projection, different);
            // A key that no event can give is nobody's: it keeps its place with no history.
            let cells = cells_of(projection, &key).unwrap_or_default();
            let tenant = table.name.tenant.as_deref().unwrap_or_default();
            rows.push(Wanted {
                tenant: tenant.to_owned(),
                key: cells,
            });
            books.push(Book::new(different.actual.clone(), 0));
            sampled.push((table.name.clone(), key));
        }
    }
    if !rows.is_empty() {
        retell(past, &rows, &mut books).await?;
    }
    let sampled = sampled.into_iter().zip(books);
    let sampled = sampled.map(|((table, key), book)| Sampled { table, key, book });
    Ok(sampled.collect())
}

fn key_of(projection: &Projection, different: &Different) -> Vec<String> {
    let row = different.actual.as_ref().or(different.expected.as_ref());
    let columns = projection.key.iter();
    let values = columns.filter_map(|column| row?.get(*column));
    values.map(text_of).collect()
}

fn cells_of(projection: &Projection, key: &[String]) -> Option<Vec<OwnedCell>> {
    let columns = projection.key.iter().zip(key);
    columns
        .map(|(column, text)| cell_of(projection, *column, text).ok())
        .collect()
}
