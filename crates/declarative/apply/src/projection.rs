//! A declared projection, compiled: what its handlers share.

use std::sync::Arc;

use projectionist_core::{Error, Result};
use projectionist_language::model::{Program, Projection};

use crate::decode::DeclaredCodec;
use crate::derive::{CompiledProjection, compile};
use crate::handler::DeclaredHandler;
use crate::keys::EventKeys;
use crate::options::ApplyOptions;

/// A declared projection, compiled. Every run of it gets a handler of its own.
///
/// Cloning is cheap.
#[derive(Clone, Debug)]
pub struct DeclaredProjection {
    declared: Arc<Projection>,
    compiled: Arc<CompiledProjection>,
    options: ApplyOptions,
}

impl DeclaredProjection {
    /// Compiles the projection at `index` in `program`, for events that are decoded by `codec`,
    /// which was made for the same program.
    ///
    /// # Errors
    /// [`Error::Configuration`] when there is no such projection, or the codec was made for
    /// another program.
    pub fn new(
        program: &Program,
        index: usize,
        codec: &DeclaredCodec,
        options: ApplyOptions,
    ) -> Result<Self> {
        let declared = program
            .projections
            .get(index)
            .ok_or_else(|| Error::Configuration {
                subject: format!("projection {index}"),
                reason: format!("the program has {} projections", program.projections.len()),
            })?;
        let compiled = Arc::new(compile(declared, codec.plan())?);
        Ok(Self {
            declared: Arc::new(declared.clone()),
            compiled,
            options,
        })
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.declared.name
    }

    /// A fresh handler that writes into `store`.
    #[must_use]
    pub fn handler<S>(&self, store: S) -> DeclaredHandler<S> {
        DeclaredHandler::new(
            store,
            &self.declared,
            Arc::clone(&self.compiled),
            self.options,
        )
    }

    /// Tells which rows its events are about.
    #[must_use]
    pub fn keys(&self) -> EventKeys {
        EventKeys::new(&self.declared, Arc::clone(&self.compiled))
    }
}
