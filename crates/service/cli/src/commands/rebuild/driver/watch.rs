//! Whom a rebuild tells what it does.

use projectionist_core::contract::Observer;
use projectionist_core::rebuild::{Comparison, Rebuild};
use projectionist_core::{LaneState, Offset};
use projectionist_engine::StopSignal;

/// Is told what a rebuild does. It changes nothing, but may ask it to stop.
pub(in crate::commands::rebuild) trait Watch: Observer {
    /// It begins, or goes on where its lane stands.
    fn began(&self, rebuild: &Rebuild, lane: Option<LaneState>);

    /// It reads events; this signal ends that.
    fn reading(&self, stop: StopSignal);

    /// What it has built was compared with what is in use.
    fn compared(&self, comparison: &Comparison);

    /// This attempt to swap came too late: the one in use has come further, to this offset.
    fn behind(&self, attempt: u32, live: Option<&Offset>);

    /// The one in use is held for the last part of the way.
    fn holding_live(&self);

    /// What it has built is in use.
    fn swapped(&self);
}
