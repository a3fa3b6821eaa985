//! Words of SQL and of other tools for what has another name here.

/// The other word, and what it is called here.
const OTHER_WORDS: [(&str, &str); 17] = [
    ("add", "increment"),
    ("columns", "fields"),
    ("condition", "when"),
    ("events", "source_events"),
    ("filter_by", "filter"),
    ("foreach", "each"),
    ("if", "when"),
    ("key", "primary_key"),
    ("merge", "upsert"),
    ("not_null", "nullable"),
    ("operation", "op"),
    ("pk", "primary_key"),
    ("remove", "delete"),
    ("skip", "ignore"),
    ("timezone", "tz"),
    ("update", "patch"),
    ("where", "when"),
];

/// What the word is called here, when that is one of the `candidates`.
pub(crate) fn called_here<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let word = word.to_ascii_lowercase();
    let (_, here) = OTHER_WORDS.iter().find(|(other, _)| *other == word)?;
    candidates.into_iter().find(|candidate| candidate == here)
}
