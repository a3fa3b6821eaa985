//! What a read model is told to write: typed rows, folded to one effect a key.
//!
//! A [`Table`] says what the rows look like, a [`RowBatch`] what becomes of them. Many events that
//! touch one key are folded into one [`Effect`] before a store sees them, so a store writes each
//! key of a batch once and needs no order between the keys.

pub mod batch;
pub mod cell;
pub mod decimal;
pub mod effect;
pub mod table;

pub use batch::{RowBatch, RowRef};
pub use cell::{Cell, OwnedCell};
pub use decimal::add_decimal;
pub use effect::{Absent, Change, ChangeShape, Effect, Present, ScopeDelete, ShapeRef};
pub use table::{Column, ColumnType, Table, TableName};
