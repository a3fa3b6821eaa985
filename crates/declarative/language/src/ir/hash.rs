//! What tells two declarations apart: a hash of what they mean.
//!
//! It is the SHA-256 of the canonical form without blanks and with the keys of every mapping in the
//! order of their bytes. So blanks, comments, the order of mappings, short and long forms, YAML and
//! JSON make no difference, and neither does where a value stands that `derive` or `set` may give.

use sha2::{Digest, Sha256};

use super::declaration::file;
use super::json::Json;
use crate::model::{Program, Projection};

/// The hash of all projections of a program, such as `sha256:0f3c…`.
#[must_use]
pub fn program_hash(program: &Program) -> String {
    of(&file(program, &program.projections))
}

/// The hash of one projection of a program, with the envelope that it reads.
#[must_use]
pub fn declaration_hash(program: &Program, projection: &Projection) -> String {
    of(&file(program, [projection]))
}

fn of(file: &Json) -> String {
    format!("sha256:{}", hexadecimal(file.canonical().as_bytes(), 32))
}

/// The first `bytes` of the SHA-256 of `data`, as hexadecimal digits.
pub(crate) fn hexadecimal(data: &[u8], bytes: usize) -> String {
    let digest = Sha256::digest(data);
    let bytes = digest.iter().take(bytes);
    bytes.map(|byte| format!("{byte:02x}")).collect()
}
