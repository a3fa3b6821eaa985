//! From a decoded event to typed rows.
//!
//! A mutation is compiled once: literals become cells, paths become slots of the event's spans.
//! For an event the wanted values are then converted straight into the arena of the batch that
//! will be written. A row that fails half-way stays there unreferenced, so nothing of its event is
//! applied.

mod cel;
mod change;
mod compile;
mod compile_change;
mod condition;
mod mutation;
mod reader;
mod row_plan;
mod scratch;

pub(crate) use cel::CompiledCel;
pub(crate) use change::{ChangePlan, RowChange};
pub(crate) use compile::compile;
pub(crate) use condition::{Condition, Test};
pub(crate) use mutation::{
    CompiledMutation, CompiledOperation, CompiledProjection, EachPlan, ReplacePlan, Scope,
};
pub(crate) use reader::{Reader, Source};
pub(crate) use row_plan::{Computed, Read, Role, RowPlan};
pub(crate) use scratch::DeriveScratch;
