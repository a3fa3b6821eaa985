//! What is said about a call that cannot be meant so.

use std::ops::RangeInclusive;

use super::signature::{FUNCTIONS, Signature};
use crate::suggest::did_you_mean;

/// Functions of SQL and other languages, and what is written here.
const ELSEWHERE: [(&str, &str); 30] = [
    ("now", NO_CLOCK),
    ("today", NO_CLOCK),
    ("current_timestamp", NO_CLOCK),
    ("random", NO_CHANCE),
    ("rand", NO_CHANCE),
    ("uuid", NO_CHANCE),
    ("gen_random_uuid", NO_CHANCE),
    ("length", "write `size(…)`"),
    ("len", "write `size(…)`"),
    ("count", "write `size(…)`"),
    ("toLowerCase", "write `lower(…)`"),
    ("lowerAscii", "write `lower(…)`"),
    ("toUpperCase", "write `upper(…)`"),
    ("upperAscii", "write `upper(…)`"),
    ("substring", SUBSTR),
    ("slice", SUBSTR),
    ("concat", "texts and lists are joined by `+`"),
    ("ifnull", "write `coalesce(…)`"),
    ("nvl", "write `coalesce(…)`"),
    ("isnull", "write `… == null`, or ask with `has()`"),
    ("if", "write `condition ? one : other`"),
    ("iif", "write `condition ? one : other`"),
    ("case", "write `condition ? one : other`"),
    ("cast", CONVERT),
    ("to_number", CONVERT),
    ("str", "write `string(…)`"),
    ("float", "write `double(…)`"),
    ("to_timestamp", TIMESTAMP),
    ("date", TIMESTAMP),
    ("md5", "write `sha256(…)`"),
];

const NO_CLOCK: &str =
    "an event gives the same row whenever it is applied; `event.ts` is its own moment";
const NO_CHANCE: &str = "an event gives the same row whenever it is applied; `uuid5(namespace, name)` is a UUID made of \
     what it holds";
const SUBSTR: &str = "write `substr(text, start, length)`, where the first character is 1";
const CONVERT: &str = "write `int(…)`, `double(…)` or `string(…)`";
const TIMESTAMP: &str =
    "write `timestamp(…)` for a text such as '2024-06-25T16:00:00Z', or `timestampMs(…)`";

/// Message and help for a function that does not exist.
pub(super) fn unknown(name: &str) -> (String, Option<String>) {
    let instead = ELSEWHERE.iter().find(|(elsewhere, _)| *elsewhere == name);
    if let Some((_, instead)) = instead {
        let message = format!("there is no function `{name}`");
        return (message, Some((*instead).to_owned()));
    }
    let slip = did_you_mean(name, FUNCTIONS.iter().map(|function| function.name));
    let help = slip
        .is_empty()
        .then(|| "the functions are listed in docs/guides/expressions.md".to_owned());
    (format!("there is no function `{name}`{slip}"), help)
}

/// Message for a function that is called with the wrong number of arguments, or before instead of
/// behind a value.
pub(super) fn misused(
    signature: &Signature,
    is_member: bool,
    arguments: usize,
) -> (String, Option<String>) {
    let name = signature.name;
    let (here, there) = if is_member {
        (&signature.member, &signature.global)
    } else {
        (&signature.global, &signature.member)
    };
    let Some(wanted) = here else {
        let message = if is_member {
            format!("`{name}` is called in front of its argument")
        } else {
            format!("`{name}` is called behind a value")
        };
        let commas = there.as_ref().map_or(0, |count| *count.start());
        let help = if is_member {
            format!("write `{name}(…)`")
        } else {
            format!("write `value.{name}({})`", vec!["…"; commas].join(", "))
        };
        return (message, Some(help));
    };
    let message = format!("`{name}` takes {} here, not {arguments}", count(wanted));
    (message, None)
}

fn count(wanted: &RangeInclusive<usize>) -> String {
    let (least, most) = (wanted.start(), wanted.end());
    let plural = if *most == 1 { "" } else { "s" };
    if least == most {
        return match least {
            0 => "no argument".to_owned(),
            least => format!("{least} argument{plural}"),
        };
    }
    format!("{least} to {most} argument{plural}")
}
