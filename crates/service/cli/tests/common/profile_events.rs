//! Random events about profiles: parts that are there or not, conditions that hold or not, and
//! values that an expression cannot take.

use serde_json::{Value, json};

use super::random::Random;

/// Adds to a payload what a profile keeps: each part there, null, or missing.
pub fn describe(random: &mut Random, payload: &mut Value) {
    match random.within(0..=5) {
        0 => payload["address"] = Value::Null,
        1 => payload["address"] = json!({ "city": null }),
        2 => payload["address"] = json!({ "street": "Main Street" }),
        3 => {}
        _ => {
            let city = random.one_of(&["Bern", "Köln", "a\u{0}b", "New York"]);
            payload["address"] = json!({ "city": city });
        }
    }
    match random.within(0..=4) {
        0 => payload["likes"] = Value::Null,
        1 => payload["likes"] = json!(random.within(0..=99).to_string()),
        2 => payload["likes"] = json!(random.within(0..=99)),
        _ => {}
    }
}

/// The type and the payload of an event about a profile.
pub fn profile_event(random: &mut Random) -> (&'static str, Value) {
    let mut payload = json!({});
    match random.within(1..=12) {
        1..=4 => {
            describe(random, &mut payload);
            ("PROFILE_CHANGED", payload)
        }
        5..=6 => {
            payload["first"] = json!(random.one_of(&["Ada", "Zoë", "Li", "Bo", "Grace"]));
            payload["last"] = json!(random.one_of(&["Hopper", "O'Brien", "李"]));
            ("PROFILE_NAMED", payload)
        }
        7..=9 => {
            describe(random, &mut payload);
            payload["times"] = json!(random.within(0..=3));
            ("PROFILE_USED", payload)
        }
        10 => ("PROFILE_CLOSED", payload),
        _ => {
            payload["sure"] = json!(!random.once_in(4));
            ("PROFILE_DROPPED", payload)
        }
    }
}

/// Makes an event about a profile one that its projection cannot apply, when it reads that part.
pub fn spoil_profile(random: &mut Random, event: &mut Value) {
    let payload = &mut event["payload"];
    match random.within(0..=8) {
        0 => drop(payload.as_object_mut().unwrap().remove("first")),
        1 => payload["first"] = json!({ "name": "Ada" }),
        2 => payload["last"] = json!(7),
        3 => payload["times"] = json!(1.5),
        4 => payload["times"] = json!("twice"),
        5 => payload["sure"] = json!("yes"),
        6 => payload["sure"] = Value::Null,
        7 => payload["likes"] = json!("many"),
        _ => payload["address"] = json!({ "city": ["Bern"] }),
    }
}
