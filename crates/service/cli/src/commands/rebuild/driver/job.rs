//! What is rebuilt, from what, and as what.

use std::sync::Arc;

use projectionist_core::rebuild::Rebuild;
use projectionist_core::row::Table;
use projectionist_language::Program;

use crate::exit::Failure;
use crate::place::Source;

/// What is rebuilt, from what, and as what.
pub(in crate::commands::rebuild) struct Job {
    /// What the store keeps of the rebuild.
    pub(in crate::commands::rebuild) rebuild: Rebuild,
    /// The projection under the names that it is built under, alone.
    pub(in crate::commands::rebuild) program: Arc<Program>,
    /// The files that are read.
    pub(in crate::commands::rebuild) source: Source,
    /// The table in use without a tenant, where its declaration is known.
    pub(in crate::commands::rebuild) live: Option<Table>,
    /// The table that is built without a tenant.
    pub(in crate::commands::rebuild) shadow: Table,
    /// At most so many tenants.
    pub(in crate::commands::rebuild) max_tenants: usize,
}

impl Job {
    /// How many bytes the source has now.
    pub(super) fn source_bytes(&self) -> Option<u64> {
        self.source.bytes()
    }

    /// Refuses to go on with a rebuild of something else.
    pub(super) fn check_same(&self, begun: &Rebuild) -> Result<(), Failure> {
        let (name, wanted) = (self.rebuild.projection(), &self.rebuild);
        let other = if begun.declaration.hash != wanted.declaration.hash {
            format!("as {} declares it", begun.declaration.origin)
        } else if begun.source != wanted.source {
            format!("from {}", begun.source)
        } else if begun.replaces != wanted.replaces {
            "of what another declaration has replaced since".to_owned()
        } else {
            return Ok(());
        };
        Err(Failure::at_run_time(format!(
            "projection {name}: a rebuild {other} is not finished; go on with that one, or remove it \
             with `rebuild {name} --abort`"
        )))
    }
}
