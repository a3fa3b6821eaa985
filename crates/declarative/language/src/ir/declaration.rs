//! A projection in its canonical form: the long forms, in one way.

use std::sync::Arc;

use super::derive::{Derive, derive};
use super::envelope::envelope;
use super::expression_text::expression;
use super::fields::fields;
use super::json::Json;
use super::mutation::mutation;
use crate::model::{OnGap, Program, Projection, Retries, Sequence, Start};

/// One projection of a program as a file of its own, on one line: what a store keeps of it.
///
/// [`parse()`](crate::parse()) reads it back as the same projection.
#[must_use]
pub fn declaration_text(program: &Program, projection: &Projection) -> String {
    file(program, [projection]).compact()
}

/// Projections of a program as a file.
pub(super) fn file<'a>(
    program: &Program,
    projections: impl IntoIterator<Item = &'a Projection>,
) -> Json {
    let projections = projections
        .into_iter()
        .map(|one| (one.name.to_string(), declaration(one)));
    Json::Object(vec![
        ("envelope".to_owned(), envelope(&program.envelope)),
        (
            "projections".to_owned(),
            Json::Object(projections.collect()),
        ),
    ])
}

/// What stands under the name of a projection. Lists whose order means nothing are sorted, and a
/// setting that has its default is left out.
fn declaration(projection: &Projection) -> Json {
    let derived = derive(projection);
    let mut mutations: Vec<_> = projection.mutations.iter().collect();
    mutations.sort_by(|a, b| a.event_type.cmp(&b.event_type));
    let events = Json::texts(mutations.iter().map(|mutation| &*mutation.event_type));
    let mutations = mutations.into_iter().map(|one| {
        let event_type = one.event_type.to_string();
        (event_type, mutation(projection, one, &derived))
    });
    let mut parts = vec![
        ("source_events".to_owned(), events),
        ("target".to_owned(), target(projection)),
        ("fields".to_owned(), fields(projection)),
        ("derive".to_owned(), derive_json(projection, &derived)),
        ("mutations".to_owned(), Json::Object(mutations.collect())),
    ];
    if projection.sequence == Sequence::None {
        parts.push(("sequence".to_owned(), Json::text("none")));
    }
    if projection.start == Start::Latest {
        parts.push(("start".to_owned(), Json::text("latest")));
    }
    if projection.on_gap == OnGap::Warn {
        parts.push(("on_gap".to_owned(), Json::text("warn")));
    }
    let (retries, usual) = (projection.retries, Retries::default());
    for (key, count, usual) in [
        ("data_retries", retries.data, usual.data),
        ("max_retries", retries.other, usual.other),
    ] {
        if count != usual {
            parts.push((key.to_owned(), Json::number(count)));
        }
    }
    Json::Object(parts)
}

fn target(projection: &Projection) -> Json {
    let names = |columns: &[usize]| {
        let columns = columns.iter().filter_map(|at| projection.columns.get(*at));
        Json::texts(columns.map(|column| &*column.name))
    };
    let mut target = vec![
        ("table".to_owned(), Json::text(&*projection.table)),
        ("primary_key".to_owned(), names(&projection.key)),
    ];
    if !projection.indexes.is_empty() {
        let indexes = sorted_indexes(projection);
        let indexes = indexes.iter().map(|one| names(one)).collect();
        target.push(("indexes".to_owned(), Json::List(indexes)));
    }
    Json::Object(target)
}

/// The indexes by the names of their columns: their order in the file means nothing.
pub(super) fn sorted_indexes(projection: &Projection) -> Vec<Arc<[usize]>> {
    let names = |columns: &[usize]| {
        let columns = columns.iter().filter_map(|at| projection.columns.get(*at));
        let names: Vec<&str> = columns.map(|column| &*column.name).collect();
        Json::texts(names).canonical()
    };
    let mut indexes = projection.indexes.clone();
    indexes.sort_by_key(|columns| names(columns));
    indexes
}

fn derive_json(projection: &Projection, derived: &Derive<'_>) -> Json {
    let named = derived.iter().filter_map(|(column, value)| {
        let column = projection.columns.get(*column)?;
        Some((column.name.to_string(), expression(value)))
    });
    Json::Object(named.collect())
}
