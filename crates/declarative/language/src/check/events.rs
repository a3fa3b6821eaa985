//! The event types that a projection reads, and their match with its mutations.

use std::collections::HashSet;

use super::keys::{self, Name};
use crate::report::Report;
use crate::suggest::nearest;
use crate::tree::{Entry, Mapping};
use crate::vocabulary::limits::MAX_EVENTS;

/// The event types of `source_events` as far as they are known.
#[derive(Debug, Default)]
pub(super) struct SourceEvents<'t> {
    /// Whether every event type is in `list`.
    pub(super) complete: bool,
    pub(super) list: Vec<Name<'t>>,
}

/// Reads `source_events`.
pub(super) fn read<'t>(report: &mut Report<'_>, entry: &'t Entry) -> SourceEvents<'t> {
    let example = "source_events: [ORDER_PLACED]";
    let (names, complete) = keys::names(report, &entry.value, "`source_events`", example);
    if names.len() > MAX_EVENTS {
        let message = format!(
            "`source_events` has {} event types; at most {MAX_EVENTS} are allowed",
            names.len()
        );
        let help = "split the projection into several, each with a table of its own";
        report.fault_with_help(entry.place, message, help);
        return SourceEvents::default();
    }
    let mut seen = HashSet::new();
    let mut list = Vec::new();
    for name in names {
        if name.text.trim().is_empty() {
            report.fault_with_help(
                name.place,
                "an event type is empty",
                "write a name, or take it out",
            );
        } else if !seen.insert(name.text) {
            let message = format!("`{}` stands in `source_events` twice", name.text);
            report.fault_with_help(name.place, message, "keep one of them");
        } else {
            list.push(name);
        }
    }
    SourceEvents { complete, list }
}

/// Reports event types without a mutation, and mutations of event types that are not read. Two
/// names that differ by a slip of the hand are one fault.
pub(super) fn check_matching(
    report: &mut Report<'_>,
    events: &SourceEvents<'_>,
    mutations: &Mapping,
) {
    let handled: HashSet<&str> = mutations.entries.iter().map(|m| m.key.as_str()).collect();
    let read: HashSet<&str> = events.list.iter().map(|event| event.text).collect();
    let mut idle: Vec<Name<'_>> = events.list.clone();
    idle.retain(|event| !handled.contains(event.text));
    for mutation in &mutations.entries {
        let event = mutation.key.as_str();
        if read.contains(event) {
            continue;
        }
        if let Some(meant) = nearest(event, idle.iter().map(|event| event.text)) {
            idle.retain(|event| event.text != meant);
            report.fault_with_help(
                mutation.place,
                format!(
                    "`{event}` is not in `source_events`, while `{meant}` is and has no mutation"
                ),
                "spell it the same in both places",
            );
        } else if events.complete {
            report.fault_with_help(
                mutation.place,
                format!("`{event}` is not in `source_events`"),
                "add it there, or take this mutation out",
            );
        }
    }
    if mutations.broken {
        return;
    }
    for event in idle {
        report.fault_with_help(
            event.place,
            format!("`{}` has no mutation", event.text),
            format!(
                "add `{}: {{ op: upsert }}` under `mutations`, or take it out of `source_events`",
                event.text
            ),
        );
    }
}
