//! The language of declared projections: file, faults, model, expressions.
