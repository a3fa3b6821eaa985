//! From a decoded event to typed rows.
//!
//! A mutation is compiled once: literals become cells, paths become slots of the event's spans.
//! For an event the wanted values are then converted straight into the arena of the batch that
//! will be written. A row that fails half-way stays there unreferenced, so nothing of its event is
//! applied.

mod compile;
mod increment;
mod mutation;
mod reader;
mod row_plan;
mod scratch;

pub(crate) use compile::compile;
pub(crate) use increment::{Increment, IncrementPlan};
pub(crate) use mutation::{CompiledMutation, CompiledProjection, EachPlan, ReplacePlan, Scope};
pub(crate) use reader::{Reader, Source};
pub(crate) use row_plan::{Read, Role, RowPlan};
pub(crate) use scratch::DeriveScratch;
