//! How much a file may hold.

/// The most projections of a file.
pub(crate) const MAX_PROJECTIONS: usize = 1_000;

/// The most columns of a table.
pub(crate) const MAX_COLUMNS: usize = 500;

/// The most event types of a projection.
pub(crate) const MAX_EVENTS: usize = 1_000;

/// The most indexes of a table.
pub(crate) const MAX_INDEXES: usize = 32;

/// The most columns of a key or an index, as in PostgreSQL.
pub(crate) const MAX_INDEX_COLUMNS: usize = 32;

/// The most times that a failing event is tried again.
pub(crate) const MAX_RETRIES: u32 = 1_000;

/// The longest name of a projection, table or column, in bytes: more is cut off silently by
/// PostgreSQL.
pub(crate) const MAX_NAME_BYTES: usize = 63;
