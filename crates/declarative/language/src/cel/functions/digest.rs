//! Names made of values: SHA-256, and UUIDs of version 5.

use std::fmt::Write;

use cel::common::types::{BYTES_TYPE, CelBytes, CelString, STRING_TYPE};
use cel::common::value::CowVal;
use cel::{DeclarationError, Env, ExecutionError};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::super::budget::charge_text;
use super::arguments::argument;
use super::{either, global};

type Arguments<'b, 'v> = Vec<CowVal<'b, 'v>>;
type Answer<'b, 'v> = Result<CowVal<'b, 'v>, ExecutionError>;

/// The namespaces of RFC 9562 by their names.
const NAMESPACES: [(&str, Uuid); 4] = [
    ("dns", Uuid::NAMESPACE_DNS),
    ("url", Uuid::NAMESPACE_URL),
    ("oid", Uuid::NAMESPACE_OID),
    ("x500", Uuid::NAMESPACE_X500),
];

pub(super) fn declare(environment: &mut Env) -> Result<(), DeclarationError> {
    either(environment, "sha256", &[STRING_TYPE], sha256_of_text)?;
    either(environment, "sha256", &[BYTES_TYPE], sha256_of_bytes)?;
    global(environment, "uuid5", &[STRING_TYPE, STRING_TYPE], uuid5)
}

fn sha256_of_text<'b, 'v>(arguments: Arguments<'b, 'v>) -> Answer<'b, 'v> {
    let text: &CelString<'_> = argument(&arguments, 0)?;
    sha256(text.as_bytes())
}

fn sha256_of_bytes<'b, 'v>(arguments: Arguments<'b, 'v>) -> Answer<'b, 'v> {
    let bytes: &CelBytes<'_> = argument(&arguments, 0)?;
    sha256(bytes.inner())
}

/// The digest as 64 hexadecimal digits.
fn sha256<'b, 'v>(bytes: &[u8]) -> Answer<'b, 'v> {
    charge_text(bytes.len().saturating_mul(4))?;
    let mut text = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    Ok(CowVal::owned(CelString::from(text)))
}

/// The UUID of a name within a namespace: a UUID as text, or one of the four that have names.
fn uuid5<'b, 'v>(arguments: Arguments<'b, 'v>) -> Answer<'b, 'v> {
    let namespace: &CelString<'_> = argument(&arguments, 0)?;
    let name: &CelString<'_> = argument(&arguments, 1)?;
    charge_text(name.len().saturating_mul(4))?;
    let known = NAMESPACES
        .iter()
        .find(|(known, _)| *known == namespace.inner());
    let namespace = match known {
        Some((_, namespace)) => *namespace,
        None => Uuid::try_parse(namespace).map_err(|_| {
            let message = "the namespace is neither a UUID nor `dns`, `url`, `oid` or `x500`";
            ExecutionError::function_error("uuid5", message)
        })?,
    };
    let uuid = Uuid::new_v5(&namespace, name.as_bytes());
    Ok(CowVal::owned(CelString::from(
        uuid.hyphenated().to_string(),
    )))
}
