//! A target that was run into, and the commands that look at it.

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::common::Place;
use crate::common::process::{self, Ended};

/// A target that was run into.
pub(crate) struct Stand {
    pub(crate) place: Place,
}

impl Stand {
    /// Runs these events, one a line, by this file.
    pub(crate) fn after(file: &str, events: &[Value]) -> Self {
        let place = Place::with_events(file, lines(events));
        place.run_once(&[]);
        Self { place }
    }

    pub(crate) fn ended(&self, arguments: &[&str]) -> Ended {
        let mut command = process::command();
        command
            .args(arguments)
            .args(["--store", &self.place.target()]);
        process::ended(&mut command)
    }

    /// `explain … --format json`, which must find the row equal or not.
    pub(crate) fn explain(&self, row: &[&str], is_equal: bool) -> Value {
        let ended = self.ended(&[&["explain", "--format", "json"], row].concat());
        assert_eq!(ended.code, i32::from(!is_equal), "{ended:?}");
        let story = ended.last_line_as_json();
        assert_eq!(story["equal"], is_equal, "{story}");
        story
    }

    /// `audit … --format json`, which must find so many rows that differ.
    pub(crate) fn audit(&self, arguments: &[&str], wrong: u64) -> Value {
        let ended = self.ended(&[&["audit", "--format", "json"], arguments].concat());
        let found = ended.last_line_as_json();
        assert_eq!(found["wrong"], wrong, "{found:#}");
        assert_eq!(ended.code, i32::from(wrong > 0), "{ended:?}");
        found
    }

    /// Changes the target as anybody may who has a client of it.
    pub(crate) fn tamper(&self, sql: &str) {
        let connection = Connection::open(self.place.views()).unwrap();
        connection
            .busy_timeout(std::time::Duration::from_secs(30))
            .unwrap();
        assert_eq!(connection.execute(sql, []).unwrap(), 1, "{sql}");
    }
}

/// Events as lines.
pub(crate) fn lines(events: &[Value]) -> String {
    events.iter().map(|event| format!("{event}\n")).collect()
}

/// An event.
pub(crate) fn event(event_type: &str, entity: &str, number: i64, payload: Value) -> Value {
    json!({
        "eventType": event_type,
        "entityId": entity,
        "sequenceNumber": number,
        "payload": payload,
    })
}

/// Line, outcome, what became of the row, and the changed columns as before and after, of every
/// event of a story.
pub(crate) fn told(story: &Value) -> Vec<(u64, String, String, Value)> {
    let events = story["events"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    events
        .map(|event| {
            let changes = event["change"].as_object().unwrap().iter();
            let changes = changes.map(|(column, change)| {
                let both = json!([change["before"], change["after"]]);
                (column.clone(), both)
            });
            let line = event["line"].as_u64().unwrap();
            let changes = Value::Object(changes.collect());
            (line, text(&event["outcome"]), text(&event["row"]), changes)
        })
        .collect()
}

/// What a test expects of [`told`].
pub(crate) fn expected(events: &[(u64, &str, &str, Value)]) -> Vec<(u64, String, String, Value)> {
    let events = events.iter().cloned();
    events
        .map(|(line, outcome, row, change)| (line, outcome.to_owned(), row.to_owned(), change))
        .collect()
}
