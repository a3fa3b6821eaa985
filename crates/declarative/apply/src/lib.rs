//! Declared projections at work: decode, derive, fold, write.
