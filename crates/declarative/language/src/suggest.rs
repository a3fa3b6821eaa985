//! "Did you mean": the nearest of the names that would have been right.

/// Words longer than this, in bytes, are not compared; no name of the language or a table is.
const LONGEST: usize = 255;

/// The candidate that is nearest to `word`, when it is near enough to be a slip of the hand: one
/// edit, in words of six letters and more two. Upper and lower case count as the same.
pub(crate) fn nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    if word.is_empty() || word.len() > LONGEST {
        return None;
    }
    let allowed = if word.chars().count() < 6 { 1 } else { 2 };
    let exact: Vec<char> = word.chars().collect();
    let folded: Vec<char> = word.to_lowercase().chars().collect();
    candidates
        .into_iter()
        .filter_map(|candidate| {
            let letters: Vec<char> = candidate.to_lowercase().chars().collect();
            if letters.len().abs_diff(folded.len()) > allowed {
                return None;
            }
            let distance = edits(&folded, &letters);
            if distance > allowed {
                return None;
            }
            // Among equals the one with the same case is nearer.
            let letters: Vec<char> = candidate.chars().collect();
            Some((distance, edits(&exact, &letters), candidate))
        })
        .min_by_key(|(distance, exact, _)| (*distance, *exact))
        .map(|(_, _, candidate)| candidate)
}

/// `; did you mean ...?` for the nearest candidate, or nothing.
#[must_use]
pub fn did_you_mean<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, candidates)
        .map(|nearest| format!("; did you mean `{nearest}`?"))
        .unwrap_or_default()
}

/// `a`, `b` and `c`, each in backticks.
pub(crate) fn list<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = words.into_iter().map(|word| format!("`{word}`")).collect();
    match quoted.split_last() {
        None => String::new(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
    }
}

/// The optimal string alignment distance: letters inserted, left out, replaced, or neighbours
/// swapped.
fn edits(from: &[char], to: &[char]) -> usize {
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=to.len()).collect();
    for (row, a) in from.iter().enumerate() {
        let mut current = vec![row + 1];
        for (column, b) in to.iter().enumerate() {
            let replaced = last[column] + usize::from(a != b);
            let mut best = replaced.min(last[column + 1] + 1).min(current[column] + 1);
            let swapped = row > 0 && column > 0 && from[row - 1] == *b && to[column - 1] == *a;
            if swapped {
                best = best.min(before_last[column - 1] + 1);
            }
            current.push(best);
        }
        before_last = std::mem::replace(&mut last, current);
    }
    last[to.len()]
}

#[cfg(test)]
mod tests {
    use super::{did_you_mean, list, nearest};

    #[test]
    fn one_slip_is_forgiven_and_two_in_a_long_word() {
        let keys = ["fields", "derive", "op", "mutations"];
        for (slip, meant) in [
            ("fileds", Some("fields")),
            ("field", Some("fields")),
            ("Fields", Some("fields")),
            ("drive", Some("derive")),
            ("mutatoins", Some("mutations")),
            ("mtatoins", Some("mutations")),
            ("ops", Some("op")),
            ("oops", None),
            ("columns", None),
            ("", None),
        ] {
            assert_eq!(nearest(slip, keys), meant, "{slip}");
        }
    }

    #[test]
    fn the_nearer_one_wins() {
        assert_eq!(
            nearest("user_idd", ["user_ids", "user_id"]),
            Some("user_ids")
        );
        assert_eq!(nearest("nmae", ["Name", "name"]), Some("name"));
        assert_eq!(
            nearest("artist_ib", ["artists_ia", "artist_id"]),
            Some("artist_id")
        );
    }

    #[test]
    fn words_for_people() {
        assert_eq!(
            did_you_mean("fileds", ["fields"]),
            "; did you mean `fields`?"
        );
        assert_eq!(did_you_mean("x", ["fields"]), "");
        assert_eq!(list(["a"]), "`a`");
        assert_eq!(list(["a", "b", "c"]), "`a`, `b` and `c`");
    }
}
