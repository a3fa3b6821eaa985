//! The overview for people: a row a lane, and below it what is remarkable.

use projectionist_engine::{LaneOverview, Overview};

use super::details;
use super::shown::{count, rate, span, wrapped};
use crate::output::{TextTable, on_one_line};

/// The width of a terminal, in characters.
const WIDTH: usize = 80;

/// How far what stands below a row is indented.
const INDENT: usize = 4;

/// The shortest that a name is cut to, in characters.
const SHORTEST_NAME: usize = 12;

/// The lanes as a table; with `in_full` all that is known of each, else what is remarkable.
pub(super) fn render(overview: &Overview, in_full: bool) -> String {
    let lanes = &overview.lanes;
    let longest = |of: fn(&LaneOverview) -> &str| {
        let lengths = lanes.iter().map(|lane| of(lane).chars().count());
        lengths.max().unwrap_or(0)
    };
    let (mut name, mut key) = (longest(name_of), longest(key_of));
    let table = loop {
        let table = rows(lanes, name, key);
        let width = table.lines().map(|line| line.chars().count()).max();
        let excess = width.unwrap_or(0).saturating_sub(WIDTH);
        if excess == 0 || (name <= SHORTEST_NAME && key <= SHORTEST_NAME) {
            break table;
        }
        // The longer one gives way first.
        let longer = if name >= key { &mut name } else { &mut key };
        *longer = longer.saturating_sub(excess).max(SHORTEST_NAME);
    };
    let mut lines = table.lines();
    let mut text = String::new();
    let mut push = |line: &str, indent: usize| {
        text.push_str(&" ".repeat(indent));
        text.push_str(line);
        text.push('\n');
    };
    if let Some(headings) = lines.next() {
        push(headings, 0);
    }
    for (line, lane) in lines.zip(lanes) {
        push(line, 0);
        for detail in details::of(lane, in_full) {
            for part in wrapped(&on_one_line(&detail), WIDTH - INDENT) {
                push(&part, INDENT);
            }
        }
    }
    text
}

fn name_of(lane: &LaneOverview) -> &str {
    &lane.name
}

fn key_of(lane: &LaneOverview) -> &str {
    lane.key.as_deref().unwrap_or("-")
}

/// The table with names and keys of at most so many characters.
fn rows(lanes: &[LaneOverview], name: usize, key: usize) -> String {
    let has_letters = lanes.iter().any(|lane| lane.counters.dead_lettered > 0);
    let has_rate = lanes.iter().any(|lane| lane.events_per_second.is_some());
    let has_lag = lanes.iter().any(|lane| lag(lane).is_some());
    let mut headings = vec!["PROJECTION", "KEY", "STATE", "READ", "APPLIED"];
    let optional = [(has_letters, "DEAD"), (has_lag, "LAG"), (has_rate, "RATE")];
    headings.extend(
        optional
            .iter()
            .filter(|(has, _)| *has)
            .map(|(_, name)| *name),
    );
    let mut table = TextTable::with_headings(headings);
    for lane in lanes {
        let counters = &lane.counters;
        let mut row = vec![
            cut(&on_one_line(name_of(lane)), name),
            cut(&on_one_line(key_of(lane)), key),
            lane.condition.words().to_owned(),
            counters.read.to_string(),
            counters.applied.to_string(),
        ];
        if has_letters {
            row.push(count(counters.dead_lettered));
        }
        if has_lag {
            row.push(lag(lane).unwrap_or_else(|| "?".to_owned()));
        }
        if has_rate {
            row.push(lane.events_per_second.map_or_else(String::new, rate));
        }
        table.push(row);
    }
    table.render()
}

/// How far a lane is behind, in events and in time, as far as that is known.
fn lag(lane: &LaneOverview) -> Option<String> {
    match (lane.lag_events, lane.lag) {
        (Some(0), _) => Some("0".to_owned()),
        (Some(events), Some(time)) => Some(format!("{}, {}", count(events), span(time))),
        (Some(events), None) => Some(count(events)),
        (None, Some(time)) => Some(span(time)),
        (None, None) => None,
    }
}

/// A text of at most so many characters, which loses its middle: the ends of names tell them apart.
fn cut(text: &str, longest: usize) -> String {
    let characters: Vec<char> = text.chars().collect();
    if characters.len() <= longest {
        return text.to_owned();
    }
    let kept = longest.saturating_sub(1);
    let (front, back) = (kept.div_ceil(2), kept / 2);
    let ends = |range: &[char]| range.iter().collect::<String>();
    let (front, back) = (&characters[..front], &characters[characters.len() - back..]);
    format!("{}…{}", ends(front), ends(back))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_keeps_its_ends() {
        assert_eq!(cut("orders_by_customer", 18), "orders_by_customer");
        assert_eq!(cut("orders_by_customer", 9), "orde…omer");
    }
}
