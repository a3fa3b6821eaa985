//! JSON as a tree, written in one way.

use crate::coerce::quote_json;

/// A value of JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Json {
    /// A value that is written already: a number, a truth value, null, or any other JSON.
    Raw(String),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub(crate) fn number(number: impl ToString) -> Self {
        Self::Raw(number.to_string())
    }

    pub(crate) fn texts<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        Self::List(texts.into_iter().map(Self::text).collect())
    }

    /// Without any blank, and the keys of every object in the order of their bytes: equal values
    /// give equal texts.
    pub(crate) fn canonical(&self) -> String {
        let mut out = String::new();
        self.push(&mut out, Layout::Sorted);
        out
    }

    /// On one line, the keys in their own order.
    pub(crate) fn compact(&self) -> String {
        let mut out = String::new();
        self.push(&mut out, Layout::OneLine);
        out
    }

    /// On many lines, for people and for version control.
    pub(crate) fn pretty(&self) -> String {
        let mut out = String::new();
        self.push(&mut out, Layout::Lines { depth: 0 });
        out.push('\n');
        out
    }

    fn push(&self, out: &mut String, layout: Layout) {
        match self {
            Self::Raw(raw) => out.push_str(raw),
            Self::Text(text) => push_text(text, out),
            Self::List(elements) => {
                let layout = layout.of_list(elements);
                push_all(
                    out,
                    ['[', ']'],
                    layout,
                    elements.iter(),
                    |out, element, inner| {
                        element.push(out, inner);
                    },
                );
            }
            Self::Object(entries) => {
                let mut entries: Vec<_> = entries.iter().collect();
                if layout == Layout::Sorted {
                    entries.sort_by(|a, b| a.0.cmp(&b.0));
                }
                push_all(
                    out,
                    ['{', '}'],
                    layout,
                    entries.into_iter(),
                    |out, (key, value), inner| {
                        push_text(key, out);
                        out.push(':');
                        out.push_str(if layout == Layout::Sorted { "" } else { " " });
                        value.push(out, inner);
                    },
                );
            }
        }
    }
}

/// How values are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    Sorted,
    OneLine,
    /// A line an element, indented.
    Lines {
        depth: usize,
    },
}

impl Layout {
    /// A list of nothing but scalars stays on its line.
    fn of_list(self, elements: &[Json]) -> Self {
        let flat = |element: &Json| matches!(element, Json::Raw(_) | Json::Text(_));
        match self {
            Self::Lines { .. } if elements.iter().all(flat) => Self::OneLine,
            layout => layout,
        }
    }

    fn separator(self) -> &'static str {
        match self {
            Self::OneLine => ", ",
            Self::Sorted | Self::Lines { .. } => ",",
        }
    }

    fn inner(self) -> Self {
        match self {
            Self::Lines { depth } => Self::Lines { depth: depth + 1 },
            layout => layout,
        }
    }

    fn push_line(self, out: &mut String) {
        if let Self::Lines { depth } = self {
            out.push('\n');
            out.extend(std::iter::repeat_n("  ", depth));
        }
    }
}

fn push_all<T>(
    out: &mut String,
    [open, close]: [char; 2],
    layout: Layout,
    elements: impl ExactSizeIterator<Item = T>,
    push: impl Fn(&mut String, T, Layout),
) {
    let is_empty = elements.len() == 0;
    out.push(open);
    for (index, element) in elements.enumerate() {
        if index > 0 {
            out.push_str(layout.separator());
        }
        layout.inner().push_line(out);
        push(out, element, layout.inner());
    }
    if !is_empty {
        layout.push_line(out);
    }
    out.push(close);
}

/// Writes a text so that a reader of YAML takes it too: characters that YAML does not allow, or
/// takes for the end of a line, are escaped.
fn push_text(text: &str, out: &mut String) {
    let begin = out.len();
    quote_json(text, out);
    let is_special = |c: char| {
        c.is_control()
            || matches!(
                c,
                '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
            )
    };
    if out[begin..].contains(is_special) {
        let quoted = out.split_off(begin);
        for character in quoted.chars() {
            if is_special(character) {
                out.push_str(&format!("\\u{:04x}", u32::from(character)));
            } else {
                out.push(character);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_value_has_one_text_a_layout() {
        let value = Json::Object(vec![
            ("b".into(), Json::texts(["x", "\u{85}\n\""])),
            (
                "a".into(),
                Json::List(vec![Json::Object(vec![]), Json::number(1)]),
            ),
        ]);
        let canonical = r#"{"a":[{},1],"b":["x","\u0085\n\""]}"#;
        assert_eq!(value.canonical(), canonical);
        let compact = r#"{"b": ["x", "\u0085\n\""], "a": [{}, 1]}"#;
        assert_eq!(value.compact(), compact);
        let pretty =
            "{\n  \"b\": [\"x\", \"\\u0085\\n\\\"\"],\n  \"a\": [\n    {},\n    1\n  ]\n}\n";
        assert_eq!(value.pretty(), pretty);
        for text in [canonical, compact, pretty] {
            let read: serde_json::Value = serde_json::from_str(text).unwrap();
            assert_eq!(read["b"][1], "\u{85}\n\"");
        }
    }
}
