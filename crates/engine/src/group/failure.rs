//! What went wrong in several projections.

use std::fmt;
use std::sync::Arc;

use projectionist_core::{Error, ProjectionId};

/// What went wrong in several projections that are managed together: all of it.
#[derive(Clone, Debug)]
pub struct GroupFailure {
    /// Why the lanes of a source cannot be watched any more; always `None` for a
    /// [`ProjectionGroup`](crate::ProjectionGroup).
    pub watch: Option<Arc<Error>>,
    /// Which projections it happened to, and what.
    pub projections: Vec<(ProjectionId, Arc<Error>)>,
}

impl GroupFailure {
    /// The failure of what failed among these, if something did.
    pub(crate) fn check<T>(
        watch: Option<Arc<Error>>,
        outcomes: impl IntoIterator<Item = (ProjectionId, Result<T, Arc<Error>>)>,
    ) -> Result<Vec<T>, Self> {
        let (mut good, mut projections) = (Vec::new(), Vec::new());
        for (id, outcome) in outcomes {
            match outcome {
                Ok(value) => good.push(value),
                Err(error) => projections.push((id, error)),
            }
        }
        if watch.is_none() && projections.is_empty() {
            return Ok(good);
        }
        Err(Self { watch, projections })
    }
}

impl fmt::Display for GroupFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parted = "";
        if let Some(error) = &self.watch {
            write!(f, "the lanes cannot be watched: {error}")?;
            parted = "; ";
        }
        for (id, error) in &self.projections {
            write!(f, "{parted}{id}: {error}")?;
            parted = "; ";
        }
        Ok(())
    }
}

impl std::error::Error for GroupFailure {}
