//! Runs a projection only while it is what the target says that it is.
//!
//! A rebuild may put another declaration in use while this process runs the old one. It supersedes
//! every claim, so that a new run begins, and each run begins with this look.

use projectionist_core::contract::{
    DeclarationStore, GroupContext, GroupedTransactionalHandler, HandlerResult,
};
use projectionist_core::{Error, Result};
use projectionist_store_sqlite::{SqliteStore, SqliteTx};

/// A handler of a declared projection that does not start where another declaration is in use.
pub(super) struct AsDeclared<H> {
    pub(super) handler: H,
    pub(super) store: SqliteStore,
    /// The name of the projection.
    pub(super) name: String,
    /// The hash of what it is declared as here.
    pub(super) hash: String,
}

/// Refuses when the target keeps another declaration of the projection `name` than that of `hash`.
async fn check(store: &SqliteStore, name: &str, hash: &str) -> Result<()> {
    let kept = store.declarations().await?;
    let mut kept = kept.into_iter().map(|kept| kept.declaration);
    let other = kept.find(|kept| kept.projection == name && kept.hash != hash);
    match other {
        None => Ok(()),
        Some(other) => Err(Error::Schema {
            table: format!("of projection {name}"),
            reason: format!(
                "the target keeps it as {} declares it, which is not what this process runs; run \
                 that file",
                other.origin
            ),
        }),
    }
}

impl<E, H> GroupedTransactionalHandler<E, SqliteTx> for AsDeclared<H>
where
    E: Sync,
    H: GroupedTransactionalHandler<E, SqliteTx>,
{
    fn process(
        &mut self,
        tx: &mut SqliteTx,
        group: &[E],
        context: GroupContext<'_>,
    ) -> impl Future<Output = HandlerResult> + Send {
        self.handler.process(tx, group, context)
    }

    async fn start(&mut self) -> HandlerResult {
        check(&self.store, &self.name, &self.hash).await?;
        self.handler.start().await
    }

    fn stop(&mut self) -> impl Future<Output = HandlerResult> + Send {
        self.handler.stop()
    }
}
