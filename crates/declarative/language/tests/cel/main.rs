//! What CEL expressions mean: values, faults of the file, errors of events, bounds.

mod bounds;
mod errors;
mod faults;
mod functions;
mod same_as_paths;
mod support;
mod values;
