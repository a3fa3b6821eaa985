//! Keeps what the projections of a target are declared as, and brings their tables along.

use std::future::Future;
use std::sync::Arc;

use crate::row::Table;
use crate::{Result, Timestamp};

/// What a projection is declared as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// The name of the projection.
    pub projection: String,
    /// The declaration. A store keeps it and reads nothing in it.
    pub text: String,
    /// Tells declarations apart: equal where they mean the same.
    pub hash: String,
    /// What wrote it, with its version.
    pub version: String,
    /// The file that declares it.
    pub origin: String,
}

/// A declaration that is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredDeclaration {
    /// The declaration.
    pub declaration: Declaration,
    /// When it was deployed.
    pub deployed_at: Timestamp,
    /// The source that the projection was first run from, without credentials; `None` for one that
    /// has not run.
    pub source: Option<String>,
    /// Whether its file declares it no more: it is not run, and its table and lanes stay.
    pub withdrawn: bool,
}

/// A declaration that is to take the place of another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewDeclaration {
    /// The declaration.
    pub declaration: Declaration,
    /// The hash of the one that is kept now; `None` when there is none.
    pub replaces: Option<String>,
}

/// The tables of one projection as they shall be.
#[derive(Clone, Debug, PartialEq)]
pub struct TableDeployment {
    /// The table; its tenant is not looked at.
    pub table: Table,
    /// The tenants whose tables are made when they are missing; `None` is the table without one.
    pub create: Vec<Option<Arc<str>>>,
}

/// What is deployed in one step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Deployment {
    /// The tables.
    pub tables: Vec<TableDeployment>,
    /// The declarations, each of another projection.
    pub declarations: Vec<NewDeclaration>,
    /// The projections that their file declares no more. Being declared again undoes that.
    pub withdrawn: Vec<String>,
}

/// What became of a deployment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deployed {
    /// All of it is there.
    Done,
    /// Someone else has deployed meanwhile: a declaration is another one than was expected, and
    /// nothing was changed. Read the declarations again.
    Superseded,
}

/// Keeps what the projections of a target are declared as, and brings their tables along.
///
/// # Contract
/// [`deploy`](Self::deploy) is one atomic step: every table is made or migrated and every
/// declaration kept, or nothing is. It is conditional on the declarations that are replaced.
///
/// All tables of a declared name are migrated: the one without a tenant and those of all tenants.
/// Columns are added, with their default in the rows that are there; a column may come to allow
/// null, get a default, or a type that is [wider](crate::row::is_wider). Indexes are made as
/// declared; those that a store made and that are not declared any more are dropped. Anything
/// else is refused. Rows keep the values they have.
///
/// [`note_source`](Self::note_source) keeps the first source of a projection whose declaration is
/// kept; later ones change nothing.
///
/// # Ordering
/// Declarations come in the order of their projections' names, by bytes.
///
/// # Durability
/// As the store's offsets.
///
/// # Cancellation
/// Dropping `deploy` leaves all of it or nothing.
///
/// # Errors
/// [`crate::Error::Schema`] for a table that cannot be migrated or has another owner,
/// [`crate::Error::Configuration`] for a name that no table can have, [`crate::Error::Store`] for
/// the store's own failures. Nothing is changed then.
///
/// # Example
/// ```
/// use projectionist_core::Result;
/// use projectionist_core::contract::DeclarationStore;
///
/// async fn print<S: DeclarationStore>(store: &S) -> Result<()> {
///     for kept in store.declarations().await? {
///         println!("{} {}", kept.declaration.projection, kept.declaration.hash);
///     }
///     Ok(())
/// }
/// ```
pub trait DeclarationStore: Send + Sync {
    /// All declarations that are kept.
    fn declarations(&self) -> impl Future<Output = Result<Vec<StoredDeclaration>>> + Send;

    /// Brings tables and declarations to what they shall be.
    fn deploy(&self, deployment: &Deployment) -> impl Future<Output = Result<Deployed>> + Send;

    /// Keeps the source of a projection that has none yet.
    fn note_source(
        &self,
        projection: &str,
        source: &str,
    ) -> impl Future<Output = Result<()>> + Send;
}
