//! Folds the rows of a group to one effect a key, and writes them.
//!
//! # Layers
//! Most operations on one key combine into one effect. Some do not: the sum of two amounts on a
//! row that is not known may hide that the first of them was refused, an addition of DOUBLE is not
//! associative, and a scope delete may have to come between two writes. Such an effect goes into
//! the next **layer** of its key. Layers are written one after the other in the same transaction,
//! and each is a batch of its own, so a store still sees at most one effect a key and batch. Other
//! keys are not held up: nearly everything is in the first layer.
//!
//! With that the table is the one that the events would have left one by one, and an event fails
//! in a large group exactly when it would have failed alone.

mod asked;
mod change;
mod folds;
mod key_effect;
mod key_index;
mod ledger;
mod missing;
mod replace;
mod scope_index;
pub(crate) mod sum;
mod table_fold;
mod volume;
mod write;

pub(crate) use folds::Folds;
pub(crate) use ledger::Ledger;
pub(crate) use table_fold::TableFold;
pub(crate) use volume::Volume;
