//! The projection engine: blueprint, delivery, progress, recovery, restart.
