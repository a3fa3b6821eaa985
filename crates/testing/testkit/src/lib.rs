//! A test kit for projections: sources, envelopes and a runner with bounds.
