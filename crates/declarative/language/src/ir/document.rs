//! The file around the declarations.

use super::declaration::{file, sorted_indexes};
use super::hash::program_hash;
use super::json::Json;
use crate::model::{Program, Projection};
use crate::sql;

/// The version of the format that this build writes, and the newest that it reads.
pub const FORMAT: u32 = 1;

/// What writes an IR, with its version.
pub const COMPILER: &str = concat!("projectionist ", env!("CARGO_PKG_VERSION"));

/// The IR of a program: the text of `causet.projections.json`.
#[must_use]
pub fn compile(program: &Program) -> String {
    let mut parts = vec![
        ("format".to_owned(), Json::number(FORMAT)),
        ("compiler".to_owned(), Json::text(COMPILER)),
        ("hash".to_owned(), Json::Text(program_hash(program))),
    ];
    if let Json::Object(file) = file(program, &program.projections) {
        parts.extend(file);
    }
    parts.push(("sql".to_owned(), sql(program)));
    Json::Object(parts).pretty()
}

/// The SQL of a program: by dialect, by projection. It is what the declarations give as they stand
/// in the IR, so that whoever reads them makes the same.
pub(super) fn sql(program: &Program) -> Json {
    let dialects = sql::DIALECTS.iter().map(|dialect| {
        let projections = program.projections.iter().map(|projection| {
            let name = projection.name.to_string();
            let as_declared = Projection {
                indexes: sorted_indexes(projection),
                ..projection.clone()
            };
            (name, sql_of(&sql::of_projection(*dialect, &as_declared)))
        });
        let projections = Json::Object(projections.collect());
        (dialect.name().to_owned(), projections)
    });
    Json::Object(dialects.collect())
}

fn sql_of(found: &sql::ProjectionSql) -> Json {
    let texts = |texts: &[String]| Json::List(texts.iter().map(Json::text).collect());
    let mutations = found.mutations.iter().map(|(event_type, statements)| {
        let statements = statements.iter().map(|statement| {
            Json::Object(vec![
                ("text".to_owned(), Json::text(&statement.text)),
                ("parameters".to_owned(), texts(&statement.parameters)),
            ])
        });
        (event_type.clone(), Json::List(statements.collect()))
    });
    Json::Object(vec![
        ("ddl".to_owned(), texts(&found.ddl)),
        ("mutations".to_owned(), Json::Object(mutations.collect())),
    ])
}
