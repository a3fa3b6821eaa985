//! What a read model is told to write: typed rows, folded to one effect a key.
//!
//! A [`Table`] says what the rows look like, a [`RowBatch`] what becomes of them. Many events that
//! touch one key are folded into one [`Effect`] before a store sees them, so a store writes each
//! key of a batch once and needs no order between the keys.

pub mod batch;
pub mod cell;
pub mod cell_text;
pub mod column_type;
pub mod decimal;
pub mod effect;
pub mod index_name;
pub mod real;
pub mod table;
pub mod widening;

pub use batch::{RowBatch, RowRef};
pub use cell::{Cell, OwnedCell};
pub use cell_text::{write_date, write_timestamp, write_uuid};
pub use column_type::{ColumnType, ElementType};
pub use decimal::add_decimal;
pub use effect::{Absent, Change, ChangeShape, Effect, Present, ScopeDelete, ShapeRef};
pub use index_name::{distinct_index_name, index_name};
pub use real::add_real;
pub use table::{Column, Table, TableName};
pub use widening::is_wider;
