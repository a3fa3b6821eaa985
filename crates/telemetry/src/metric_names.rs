//! The names of the metrics. Every one has the label `projection`.

/// Gauge: 1 while a failure streak is open, else 0.
pub const STALLED: &str = "persistence_projection_stalled";

/// Counter: failed attempts of handlers.
pub const FAILURES: &str = "persistence_projection_failures_total";

/// Counter: events that were passed over, dead letters included.
pub const EVENTS_SKIPPED: &str = "persistence_projection_events_skipped_total";

/// The label that names the projection.
pub const PROJECTION: &str = "projection";
