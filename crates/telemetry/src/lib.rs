//! Typed events, metric names and their exporters.
