//! The handler of one declared projection.

use std::sync::Arc;

use projectionist_core::Result;
use projectionist_core::contract::{
    GroupContext, GroupedTransactionalHandler, HandlerResult, ReadModel, SequenceGuard,
};
use projectionist_language::model::Projection;

use crate::derive::CompiledProjection;
use crate::event::DeclaredEvent;
use crate::fold::{Ledger, TableFold};
use crate::group::Group;
use crate::options::ApplyOptions;

/// Runs one declared projection: events in, rows of its tables out.
///
/// An event is, in this order,
/// 1. *unmatched* when the projection does not name its type,
/// 2. a dead letter of class *tenant* when its `tenantSchema` cannot be one,
/// 3. under the sequence guard a dead letter of class *data* when it has no `sequenceNumber`, and
///    *stale* when its number is at or below the last one of its entity,
/// 4. *filtered* when its `when` is false, and a dead letter of class *data* when that is no truth
///    value,
/// 5. *ignored* when its operation is `ignore`,
/// 6. a dead letter of class *data* when a value does not fit its column, a sum leaves it, or a row
///    that must be there is missing,
/// 7. *ignored* when it is an insert on a row that is there, or a patch or an increment that leaves
///    a missing row alone; and else *applied*.
///
/// An event that was filtered or ignored counts as seen by the guard, a dead letter does not.
///
/// # Rolled back groups
/// The numbers of the guard are remembered across groups, which is right only while every group
/// that this handler finished is committed. The handler is not told of commits. It need not be: a
/// group that is tried again says so by its attempt, a group that failed here is known here, and
/// after a commit that failed the run ends and the next one builds a handler of its own. In the
/// first two cases everything that is remembered is forgotten and read again.
///
/// # Other lanes
/// Lanes of one projection share its tables and the numbers of the guard, whichever process runs
/// them. When another one may have recorded numbers since the last group, what is remembered is
/// forgotten too.
#[derive(Debug)]
pub struct DeclaredHandler<S> {
    store: S,
    group: Group,
    existed: Vec<bool>,
    /// Whether the last call did not come to its end.
    unfinished: bool,
}

impl<S> DeclaredHandler<S> {
    pub(crate) fn new(
        store: S,
        declared: &Projection,
        compiled: Arc<CompiledProjection>,
        options: ApplyOptions,
    ) -> Self {
        let group = Group::new(declared, compiled, options);
        Self {
            store,
            group,
            existed: Vec::new(),
            unfinished: false,
        }
    }
}

impl<S: ReadModel + SequenceGuard> DeclaredHandler<S> {
    async fn run<E>(
        &mut self,
        tx: &mut S::Tx,
        events: &[E],
        context: GroupContext<'_>,
    ) -> Result<()>
    where
        E: AsRef<DeclaredEvent> + Sync,
    {
        let Self {
            store,
            group,
            existed,
            ..
        } = self;
        if let Some(guard) = &mut group.guard {
            guard.revise(store, tx).await?;
        }
        group.open(events)?;
        if let Some(guard) = &mut group.guard {
            guard.load(store, tx).await?;
        }
        group.fold(events, context.report)?;
        for fold in group.folds.in_order() {
            write(store, tx, fold, existed, &mut group.ledger).await?;
        }
        if let Some(guard) = &mut group.guard {
            guard.save(store, tx).await?;
        }
        let (ignored, folded) = group.ledger.totals();
        context.report.ignored(ignored);
        context.report.folded(folded);
        group.tell_gaps();
        Ok(())
    }
}

impl<E, S> GroupedTransactionalHandler<E, S::Tx> for DeclaredHandler<S>
where
    E: AsRef<DeclaredEvent> + Send + Sync + 'static,
    S: ReadModel + SequenceGuard,
{
    async fn process(
        &mut self,
        tx: &mut S::Tx,
        group: &[E],
        context: GroupContext<'_>,
    ) -> HandlerResult {
        let last_failed = std::mem::replace(&mut self.unfinished, true);
        if last_failed || context.attempt > 1 {
            self.group.rewind();
        }
        self.run(tx, group, context).await?;
        self.unfinished = false;
        Ok(())
    }
}

/// Writes the fold of one table. A table of which nothing is written is not made.
async fn write<S: ReadModel>(
    store: &S,
    tx: &mut S::Tx,
    fold: &mut TableFold,
    existed: &mut Vec<bool>,
    ledger: &mut Ledger,
) -> Result<()> {
    fold.begin_write();
    let mut is_first = true;
    while fold.next_batch(ledger)? {
        if std::mem::take(&mut is_first) {
            store.create(tx, fold.table()).await?;
        }
        existed.clear();
        store.apply(tx, fold.table(), fold.batch(), existed).await?;
        fold.settle(existed, ledger)?;
    }
    Ok(())
}
