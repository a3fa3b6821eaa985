//! Events from JSON lines: a file that may grow, or standard input.
