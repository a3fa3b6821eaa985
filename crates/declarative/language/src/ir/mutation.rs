//! A mutation as it stands in a file.

use super::derive::Derive;
use super::expression_text::{expression, path};
use super::json::Json;
use crate::model::{ColumnValue, Mutation, OnMissing, Operation, Projection};

/// The value of an event type under `mutations`, beside what `derive` gives.
pub(super) fn mutation(projection: &Projection, mutation: &Mutation, derive: &Derive<'_>) -> Json {
    let mut parts = vec![("op".to_owned(), Json::text(mutation.operation.name()))];
    if let Some(when) = &mutation.when {
        parts.push(("when".to_owned(), expression(when)));
    }
    let mut push = |name: &str, values: Vec<&ColumnValue>| {
        if !values.is_empty() {
            parts.push((name.to_owned(), assignments(projection, values)));
        }
    };
    match &mutation.operation {
        Operation::Upsert { values } | Operation::Insert { values } => {
            let overrides = values
                .iter()
                .filter(|value| derive.get(&value.column) != Some(&&value.expression));
            push("set", overrides.collect());
        }
        Operation::Delete { .. } | Operation::Ignore => {}
        Operation::Replace { filter, each, .. } => {
            push("filter", filter.iter().collect());
            if let Some(each) = each {
                parts.push(("each".to_owned(), Json::Text(path(each))));
            }
        }
        Operation::Patch {
            set, on_missing, ..
        } => {
            push("set", set.iter().collect());
            parts.extend(missing(*on_missing));
        }
        Operation::Increment {
            by,
            set,
            on_missing,
            ..
        } => {
            push("by", by.iter().collect());
            push("set", set.iter().collect());
            parts.extend(missing(*on_missing));
        }
    }
    Json::Object(parts)
}

/// Columns with their values, in the order of the columns.
pub(super) fn assignments<'a>(
    projection: &Projection,
    values: impl IntoIterator<Item = &'a ColumnValue>,
) -> Json {
    let mut values: Vec<_> = values.into_iter().collect();
    values.sort_by_key(|value| value.column);
    let named = values.into_iter().map(|value| {
        let column = projection.columns.get(value.column);
        let name = column.map_or_else(String::new, |column| column.name.to_string());
        (name, expression(&value.expression))
    });
    Json::Object(named.collect())
}

/// `on_missing`, unless it is what is done anyway.
fn missing(on_missing: OnMissing) -> Option<(String, Json)> {
    let word = match on_missing {
        OnMissing::Create => return None,
        OnMissing::Ignore => "ignore",
        OnMissing::Error => "error",
    };
    Some(("on_missing".to_owned(), Json::text(word)))
}
