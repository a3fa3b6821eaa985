//! What must become of the events about profiles.

use serde_json::{Value, json};

use super::oracle::{Misfit, Row, Rows, stored_text};

/// A profile before anything is known of it.
fn new_profile(id: &str) -> Row {
    let mut row: Row = ["label", "city", "likes"]
        .map(|name| (name.to_owned(), Value::Null))
        .into();
    row.insert("account_id".into(), json!(id));
    row.insert("uses".into(), json!(10));
    row.insert("state".into(), json!("new"));
    row
}

pub(super) fn profile(rows: &mut Rows, event: &Value) -> Result<&'static str, Misfit> {
    let id = event["entityId"].as_str().unwrap();
    let payload = &event["payload"];
    match event["eventType"].as_str().unwrap() {
        "ACCOUNT_OPENED" => {
            if !truth(&payload["vip"])? {
                return Ok("filtered");
            }
            let mut row = new_profile(id);
            let label = match &payload["owner"]["name"] {
                Value::Null => json!("nobody"),
                name => stored_text(name)?,
            };
            row.insert("label".into(), label);
            row.insert("city".into(), city(&payload["address"]["city"])?);
            row.insert("likes".into(), likes(&payload["likes"])?);
            row.insert("state".into(), json!("known"));
            rows.insert(id.to_owned(), row);
        }
        "PROFILE_CHANGED" => changed(rows, id, payload)?,
        "PROFILE_NAMED" => return named(rows, id, payload),
        "PROFILE_USED" => return used(rows, id, payload),
        "PROFILE_CLOSED" => {
            let row = rows.get_mut(id).ok_or(Misfit)?;
            row.insert("state".into(), json!("closed"));
            row.insert("label".into(), Value::Null);
        }
        _ => {
            if !truth(&payload["sure"])? {
                return Ok("filtered");
            }
            rows.remove(id);
        }
    }
    Ok("applied")
}

/// Writes what is there, null too, and keeps the rest.
fn changed(rows: &mut Rows, id: &str, payload: &Value) -> Result<(), Misfit> {
    let found_city = payload.get("address").and_then(|of| of.get("city"));
    let found_city = found_city.map(city).transpose()?;
    let found_likes = payload.get("likes").map(likes).transpose()?;
    let row = rows.entry(id.to_owned()).or_insert_with(|| new_profile(id));
    if let Some(city) = found_city {
        row.insert("city".into(), city);
    }
    if let Some(likes) = found_likes {
        row.insert("likes".into(), likes);
    }
    Ok(())
}

fn named(rows: &mut Rows, id: &str, payload: &Value) -> Result<&'static str, Misfit> {
    // The size of a map is the number of its keys: one, which is not above two.
    let size = match &payload["first"] {
        Value::String(first) => first.chars().count(),
        Value::Object(first) => first.len(),
        _ => return Err(Misfit),
    };
    if size <= 2 {
        return Ok("filtered");
    }
    let first = payload["first"].as_str().ok_or(Misfit)?;
    let last = payload["last"].as_str().ok_or(Misfit)?;
    let Some(row) = rows.get_mut(id) else {
        return Ok("ignored");
    };
    let label = format!("{}/{last}", first.to_uppercase());
    row.insert("label".into(), json!(label));
    Ok("applied")
}

fn used(rows: &mut Rows, id: &str, payload: &Value) -> Result<&'static str, Misfit> {
    if payload["times"] == 0 {
        return Ok("filtered");
    }
    // An int is never multiplied with a double, and a text with nothing.
    let times = payload["times"].as_i64().ok_or(Misfit)?;
    let city = city(&payload["address"]["city"])?;
    let Some(row) = rows.get_mut(id) else {
        return Ok("ignored");
    };
    let uses = row["uses"].as_i64().unwrap() + 2 * times;
    row.insert("uses".into(), json!(uses));
    row.insert("city".into(), city);
    Ok("applied")
}

/// A condition: null is none.
fn truth(value: &Value) -> Result<bool, Misfit> {
    value.as_bool().ok_or(Misfit)
}

/// A text without U+0000.
fn city(value: &Value) -> Result<Value, Misfit> {
    match value {
        Value::String(text) => Ok(json!(text.replace('\0', ""))),
        other => stored_text(other),
    }
}

/// A whole number, or a text that spells one.
fn likes(value: &Value) -> Result<Value, Misfit> {
    let text = match value {
        Value::Null => return Ok(Value::Null),
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.clone(),
        _ => return Err(Misfit),
    };
    text.parse::<i32>().map(Value::from).map_err(|_| Misfit)
}
