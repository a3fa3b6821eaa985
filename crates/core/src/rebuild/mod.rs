//! Words of rebuilds: a read model that is built anew beside the one that is in use.

pub mod beside;
pub mod comparison;
pub mod state;

pub use beside::Beside;
pub use comparison::{Comparison, Difference, RowDifference, TableComparison, TableSum};
pub use state::{KeptGeneration, Rebuild, RebuildPhase, RebuildState, rebuild_state};
