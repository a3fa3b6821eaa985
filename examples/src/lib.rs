//! Examples that run in every build.
