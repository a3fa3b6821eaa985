//! The program: runs and operates declared projections.
