//! Which type a column may get while its values stay as they are.

/// Whether every value of a column of the type that is named `from` is, unchanged, a value of the
/// type that is named `to`. Types are named as [`ColumnType`](super::ColumnType) is displayed; a
/// type is not wider than itself.
///
/// ```
/// use projectionist_core::row::is_wider;
///
/// assert!(is_wider("INT", "BIGINT"));
/// assert!(is_wider("NUMERIC(12,2)", "NUMERIC(14,2)"));
/// // Every value would have to be spelt with another digit.
/// assert!(!is_wider("NUMERIC(12,2)", "NUMERIC(14,3)"));
/// ```
#[must_use]
pub fn is_wider(from: &str, to: &str) -> bool {
    if let (Some(from), Some(to)) = (integer(from), integer(to)) {
        return from < to;
    }
    if let (Some([from]), Some([to])) = (arguments(from, "VARCHAR"), arguments(to, "VARCHAR")) {
        return from < to;
    }
    if arguments::<1>(from, "VARCHAR").is_some() {
        return to == "TEXT";
    }
    match (arguments(from, "NUMERIC"), arguments(to, "NUMERIC")) {
        (Some([precision, scale]), Some([wider, same])) => precision < wider && scale == same,
        _ => false,
    }
}

/// How wide an integer type is among them.
fn integer(name: &str) -> Option<usize> {
    ["SMALLINT", "INT", "BIGINT"]
        .iter()
        .position(|known| *known == name)
}

/// The numbers in the brackets behind `word`.
fn arguments<const COUNT: usize>(name: &str, word: &str) -> Option<[u32; COUNT]> {
    let inner = name
        .strip_prefix(word)?
        .strip_prefix('(')?
        .strip_suffix(')')?;
    let numbers: Option<Vec<u32>> = inner.split(',').map(|part| part.parse().ok()).collect();
    numbers?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_is_wider_when_it_holds_the_same_values_spelt_the_same() {
        for (from, to) in [
            ("SMALLINT", "INT"),
            ("SMALLINT", "BIGINT"),
            ("INT", "BIGINT"),
            ("VARCHAR(9)", "VARCHAR(10)"),
            ("VARCHAR(9)", "TEXT"),
            ("NUMERIC(12,2)", "NUMERIC(13,2)"),
        ] {
            assert!(is_wider(from, to), "{from} to {to}");
            assert!(!is_wider(to, from), "{to} to {from}");
        }
        for (from, to) in [
            ("INT", "INT"),
            ("INT", "TEXT"),
            ("INT", "NUMERIC(12,0)"),
            ("TEXT", "VARCHAR(10)"),
            ("NUMERIC(12,2)", "NUMERIC(12,2)"),
            ("NUMERIC(12,2)", "NUMERIC(12,3)"),
            ("NUMERIC(12,2)", "NUMERIC"),
            ("NUMERIC", "NUMERIC(12,2)"),
            ("TEXT[]", "TEXT"),
            ("VARCHAR(9)[]", "TEXT[]"),
        ] {
            assert!(!is_wider(from, to), "{from} to {to}");
        }
    }
}
