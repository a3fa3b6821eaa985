//! The dialects, and what there is in each of them.

use super::{postgres, sqlite};
use crate::model::Projection;

/// A dialect of SQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// SQLite from 3.37 on, which has STRICT tables.
    Sqlite,
    /// PostgreSQL from 15 on.
    Postgres,
}

/// All dialects.
pub const DIALECTS: [Dialect; 2] = [Dialect::Sqlite, Dialect::Postgres];

impl Dialect {
    /// Its name in an IR.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Postgres => "postgres",
        }
    }
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Its text.
    pub text: String,
    /// What each parameter is, in their order: an expression of the file, or the default of a
    /// column. In PostgreSQL a parameter is the array of these values of many rows.
    pub parameters: Vec<String>,
}

/// The SQL of one projection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectionSql {
    /// The statements that make its table and indexes.
    pub ddl: Vec<String>,
    /// By event type the statements that write what the event does, in their order.
    pub mutations: Vec<(String, Vec<Statement>)>,
}

/// The SQL of a projection.
#[must_use]
pub fn of_projection(dialect: Dialect, projection: &Projection) -> ProjectionSql {
    let mut mutations: Vec<_> = projection.mutations.iter().collect();
    mutations.sort_by(|a, b| a.event_type.cmp(&b.event_type));
    let statements = |operation| match dialect {
        Dialect::Sqlite => sqlite::statements(projection, operation),
        Dialect::Postgres => postgres::statements(projection, operation),
    };
    let mutations = mutations.into_iter().map(|mutation| {
        let event_type = mutation.event_type.to_string();
        (event_type, statements(&mutation.operation))
    });
    ProjectionSql {
        ddl: match dialect {
            Dialect::Sqlite => sqlite::ddl(projection),
            Dialect::Postgres => postgres::ddl(projection),
        },
        mutations: mutations.collect(),
    }
}
