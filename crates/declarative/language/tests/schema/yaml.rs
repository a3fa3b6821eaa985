//! YAML as JSON, by the core schema and without anything of the language.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]

use saphyr_parser::{Event, Parser, ScalarStyle, StrInput};
use serde_json::{Map, Value};

/// The one document of the text.
pub(crate) fn to_json(text: &str) -> Value {
    let mut parser = Parser::new_from_str(text);
    loop {
        match next(&mut parser) {
            Event::StreamStart | Event::DocumentStart(_) => {}
            event => return value(&mut parser, event),
        }
    }
}

fn next<'t>(parser: &mut Parser<'t, StrInput<'t>>) -> Event<'t> {
    parser.next_event().unwrap().unwrap().0
}

fn value<'t>(parser: &mut Parser<'t, StrInput<'t>>, event: Event<'t>) -> Value {
    match event {
        Event::Scalar(text, ScalarStyle::Plain, ..) => plain(&text),
        Event::Scalar(text, ..) => Value::String(text.into_owned()),
        Event::SequenceStart(..) => {
            let mut elements = Vec::new();
            loop {
                match next(parser) {
                    Event::SequenceEnd => return Value::Array(elements),
                    event => elements.push(value(parser, event)),
                }
            }
        }
        Event::MappingStart(..) => {
            let mut entries = Map::new();
            loop {
                match next(parser) {
                    Event::MappingEnd => return Value::Object(entries),
                    Event::Scalar(key, ..) => {
                        let event = next(parser);
                        entries.insert(key.into_owned(), value(parser, event));
                    }
                    event => panic!("{event:?} is no key"),
                }
            }
        }
        event => panic!("{event:?} is no value"),
    }
}

fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" => Value::Null,
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        _ => {
            let spelt = if text.starts_with('.') {
                format!("0{text}")
            } else {
                text.to_owned()
            };
            match serde_json::from_str(&spelt) {
                Ok(number @ Value::Number(_)) => number,
                _ => Value::String(text.to_owned()),
            }
        }
    }
}
