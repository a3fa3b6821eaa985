//! Bounds how deep a record is nested.

/// Deepest nesting of arrays and objects, the record's own object included.
const MAX_DEPTH: usize = 128;

/// Whether `json` is nested deeper than [`MAX_DEPTH`].
///
/// Nothing here walks a value recursively, but a store's JSON functions and whoever reads the
/// value later do. Hardly any record holds so many brackets at all, so counting them decides.
pub(super) fn too_deep(json: &str) -> Option<String> {
    let bytes = json.as_bytes();
    if memchr::memchr2_iter(b'[', b'{', bytes).count() <= MAX_DEPTH {
        return None;
    }
    (deepest(bytes) > MAX_DEPTH).then(|| format!("nested deeper than {MAX_DEPTH} levels"))
}

fn deepest(json: &[u8]) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    let (mut in_text, mut escaped) = (false, false);
    for byte in json {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b'[' | b'{' if !in_text => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}
