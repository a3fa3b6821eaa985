//! The name of an index, the same in every store and in every text of SQL.

/// The longest name, in bytes: PostgreSQL cuts off what is beyond.
const MAX_BYTES: usize = 63;

const ENDING: &str = "_idx";

/// `<table>_<columns>_idx`, cut to 63 bytes where it is longer: what is cut off is then told by
/// eight hexadecimal digits. `table` is the name under which the store keeps it.
///
/// Other columns may have the same name (`a_b` of `t`, `b` of `t_a`), so a store that finds it
/// taken asks for [`distinct_index_name`].
///
/// ```
/// use projectionist_core::row::index_name;
///
/// assert_eq!(index_name("orders", ["status", "placed_at"]), "orders_status_placed_at_idx");
/// assert_eq!(index_name("orders", ["x".repeat(70).as_str()]).len(), 63);
/// ```
#[must_use]
pub fn index_name<'a>(table: &'a str, columns: impl IntoIterator<Item = &'a str>) -> String {
    let parts: Vec<&str> = [table].into_iter().chain(columns).collect();
    let name = parts.join("_") + ENDING;
    if name.len() <= MAX_BYTES {
        return name;
    }
    with_hash(&parts)
}

/// As [`index_name`], always with the digits, which differ for other tables and columns.
#[must_use]
pub fn distinct_index_name<'a>(
    table: &'a str,
    columns: impl IntoIterator<Item = &'a str>,
) -> String {
    let parts: Vec<&str> = [table].into_iter().chain(columns).collect();
    with_hash(&parts)
}

fn with_hash(parts: &[&str]) -> String {
    let tail = format!("_{:08x}{ENDING}", hash(parts));
    let mut name = parts.join("_");
    let mut end = name.len().min(MAX_BYTES - tail.len());
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    name.truncate(end);
    name + &tail
}

/// FNV-1a over the parts, each ended by a zero byte, folded to 32 bits. Names outlive a build, so
/// this must never change.
fn hash(parts: &[&str]) -> u64 {
    let bytes = parts.iter().flat_map(|part| part.bytes().chain([0]));
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    (hash >> 32) ^ (hash & 0xffff_ffff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_cut_at_a_character_and_stay_apart() {
        let long = "é".repeat(40);
        let (a, b) = (index_name(&long, ["a"]), index_name(&long, ["b"]));
        assert!(a.len() <= MAX_BYTES && b.len() <= MAX_BYTES, "{a} {b}");
        assert!(a.starts_with("éé") && a.ends_with(ENDING), "{a}");
        assert_ne!(a, b);
    }

    #[test]
    fn parts_that_join_alike_have_distinct_names() {
        assert_eq!(index_name("t", ["a_b"]), index_name("t_a", ["b"]));
        assert_ne!(
            distinct_index_name("t", ["a_b"]),
            distinct_index_name("t_a", ["b"])
        );
    }
}
