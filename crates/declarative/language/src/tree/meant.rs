//! A value as its writer meant it, where YAML ends it early.
//!
//! Without quotes around it, an expression is cut by YAML at a comma or a bracket inside `{ }`, at
//! ` #`, and at `: `. Its own brackets and quotes tell where it was meant to end. This is asked only
//! about what is wrong already, to say which quotes are missing.

use crate::report::Report;
use crate::source::{Place, Source};

/// Lines longer than this, in bytes, are written by machines, which write the quotes.
const LONGEST_LINE: usize = 1024;

/// A value that YAML does not read to the end that was meant.
#[derive(Debug)]
pub(crate) struct Meant {
    /// Where it begins.
    pub(crate) place: Place,
    /// All of it.
    pub(crate) text: String,
    cut: Cut,
}

/// What YAML takes for the end of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Cut {
    Quote,
    Comma,
    Bracket,
    Comment,
    Colon,
}

impl Meant {
    /// Reports that YAML ends the value early, and how to write it.
    pub(crate) fn report(&self, report: &mut Report<'_>) {
        let message = match self.cut {
            Cut::Quote => {
                "a value that begins with a quote ends at its closing quote, and more follows here"
            }
            Cut::Comma => "inside `{ }` a comma ends a value",
            Cut::Bracket => "inside `{ }` a bracket ends a value",
            Cut::Comment => "` #` begins a comment of YAML, which ends the value",
            Cut::Colon => "`: ` ends a key of YAML, so a value that holds it needs quotes",
        };
        let help = format!("put the whole value in quotes: `{}`", quoted(&self.text));
        report.fault_with_help(self.place, message, help);
    }

    /// Whether something of that place belongs to the value.
    pub(super) fn covers(&self, place: Place) -> bool {
        let end = self.place.right(self.text.chars().count());
        (self.place..end).contains(&place)
    }
}

/// The value that begins at `place`, when YAML cuts it; `in_braces` tells whether it stands in `{ }`.
pub(crate) fn at(source: &Source<'_>, place: Place, in_braces: bool) -> Option<Meant> {
    let line = line(source, place.line)?;
    value(
        line.get(place.column.checked_sub(1)?..)?,
        place,
        in_braces,
        false,
    )
    .1
}

/// Whether `{` stands at the place, in a line that may be asked about.
pub(super) fn begins_braces(source: &Source<'_>, place: Place) -> bool {
    let text = source.line(place.line).unwrap_or_default();
    let before = place.column.saturating_sub(1);
    text.len() <= LONGEST_LINE && text.chars().nth(before) == Some('{')
}

/// The value in the line that YAML cuts first.
pub(super) fn in_line(source: &Source<'_>, number: usize) -> Option<Meant> {
    let line = line(source, number)?;
    let mut depth = usize::from(line.iter().rfind(|c| !c.is_whitespace()) == Some(&','));
    let mut at = 0;
    while let Some(character) = line.get(at) {
        let before = at.checked_sub(1).and_then(|before| line.get(before));
        at += 1;
        match character {
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.saturating_sub(1),
            '#' if before.is_none_or(|c| c.is_whitespace()) => return None,
            ':' if line.get(at).is_some_and(|c| c.is_whitespace()) => {
                let rest = line.get(at..)?;
                at += rest.iter().take_while(|c| c.is_whitespace()).count();
                let rest = line.get(at..)?;
                let place = Place {
                    line: number,
                    column: at + 1,
                };
                let (length, meant) = value(rest, place, depth > 0, true);
                if meant.is_some() {
                    return meant;
                }
                at += length;
            }
            _ => {}
        }
    }
    None
}

fn line(source: &Source<'_>, number: usize) -> Option<Vec<char>> {
    let line = source.line(number)?;
    (line.len() <= LONGEST_LINE).then(|| line.chars().collect())
}

/// How many characters the value takes at least, and the value when YAML cuts it. What begins a
/// collection, or has another meaning in YAML, is no value here.
fn value(
    rest: &[char],
    place: Place,
    in_braces: bool,
    may_be_quoted: bool,
) -> (usize, Option<Meant>) {
    let mut cut = None;
    match rest.first() {
        None | Some('{' | '[' | '#' | '&' | '*' | '|' | '>' | '%' | '@' | '`') => return (0, None),
        Some('\'' | '"') if may_be_quoted => {
            if let Some(length) = whole_quoted(rest) {
                return (length, None);
            }
            let text: String = rest.iter().collect();
            if let Some(text) = inside_of_doubled(text.trim_end()) {
                let (text, cut) = (text.to_owned(), Cut::Quote);
                return (rest.len(), Some(Meant { place, text, cut }));
            }
            cut = Some(Cut::Quote);
        }
        Some(_) => {}
    }
    let Some((length, inner)) = end(rest, in_braces) else {
        return (0, None);
    };
    let text: String = rest.iter().take(length).collect();
    let text = text.trim_end();
    let text = text.to_owned();
    let meant = cut.or(inner).map(|cut| Meant { place, text, cut });
    (length, meant)
}

/// The length of a quoted value of YAML behind which nothing follows but what may.
fn whole_quoted(rest: &[char]) -> Option<usize> {
    let quote = *rest.first()?;
    let mut at = 1;
    loop {
        match rest.get(at)? {
            '\\' if quote == '"' => at += 2,
            found if *found != quote => at += 1,
            _ if quote == '\'' && rest.get(at + 1) == Some(&quote) => at += 2,
            _ => break,
        }
    }
    let next = rest.iter().skip(at + 1).find(|c| !c.is_whitespace());
    next.is_none_or(|next| matches!(next, ',' | '}' | ']' | '#' | ':'))
        .then_some(at + 1)
}

/// Where an expression ends by its own brackets and quotes, and what YAML ends it at first; `None`
/// when they do not close.
fn end(rest: &[char], in_braces: bool) -> Option<(usize, Option<Cut>)> {
    let mut cut: Option<Cut> = None;
    let mut note = |found: Cut| {
        cut.get_or_insert(found);
    };
    let (mut open, mut choices, mut at) = (Vec::new(), 0_usize, 0);
    while let Some(&character) = rest.get(at) {
        let blank_before = at > 0 && rest.get(at - 1).is_some_and(|c| c.is_whitespace());
        let blank_behind = rest.get(at + 1).is_none_or(|c| c.is_whitespace());
        match character {
            '\'' | '"' => {
                let before = at.checked_sub(1).and_then(|before| rest.get(before));
                if before.is_some_and(|c| c.is_alphanumeric()) {
                    // An apostrophe, and so no expression.
                    return None;
                }
                let length = closing(rest.get(at..)?)?;
                let inside = rest.get(at..at + length)?;
                inside.windows(2).for_each(|pair| match pair {
                    [',', _] if in_braces => note(Cut::Comma),
                    ['{' | '}' | '[' | ']', _] if in_braces => note(Cut::Bracket),
                    [' ', '#'] => note(Cut::Comment),
                    [':', ' '] => note(Cut::Colon),
                    _ => {}
                });
                at += length;
                continue;
            }
            ')' | ']' | '}' if open.is_empty() => {
                if in_braces && character != ')' {
                    break;
                }
                return None;
            }
            '(' | ')' | '[' | ']' | '{' | '}' => {
                if in_braces && !matches!(character, '(' | ')') {
                    note(Cut::Bracket);
                }
                match character {
                    '(' => open.push(')'),
                    '[' => open.push(']'),
                    '{' => open.push('}'),
                    _ if open.pop() == Some(character) => {}
                    _ => return None,
                }
            }
            ',' if in_braces && open.is_empty() => break,
            ',' if in_braces => note(Cut::Comma),
            '?' if blank_behind => choices += 1,
            ':' if blank_behind => {
                if open.is_empty() {
                    choices = choices.checked_sub(1)?;
                }
                note(Cut::Colon);
            }
            '#' if blank_before => break,
            _ => {}
        }
        at += 1;
    }
    open.is_empty().then_some((at, cut))
}

/// The expression in `"event.name + "x""`, whose own quotes are those around it.
fn inside_of_doubled(text: &str) -> Option<&str> {
    let quote = text.chars().next()?;
    let inside = text.strip_prefix(quote)?.strip_suffix(quote)?;
    let (_, behind) = inside.split_once(quote)?;
    behind.starts_with(char::is_alphanumeric).then_some(inside)
}

/// The length of a quoted text of an expression.
fn closing(rest: &[char]) -> Option<usize> {
    let quote = rest.first()?;
    let mut at = 1;
    loop {
        match rest.get(at)? {
            '\\' => at += 2,
            found if found == quote => return Some(at + 1),
            _ => at += 1,
        }
    }
}

/// The text in quotes of YAML.
fn quoted(text: &str) -> String {
    if text.contains(['"', '\\']) {
        format!("'{}'", text.replace('\'', "''"))
    } else {
        format!("\"{text}\"")
    }
}
