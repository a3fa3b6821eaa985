//! Turns streams of events into read models that can be trusted.
