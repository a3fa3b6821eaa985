//! What must become of the events of the world, said as plainly as possible: a map of rows and one
//! event at a time.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::client::{Counts, Tables};
use super::profile_oracle::profile;
use super::world::{NAMES, TENANTS, stored_moment};

/// A row by its columns.
pub(super) type Row = BTreeMap<String, Value>;

/// The rows of a table by their keys.
pub(super) type Rows = BTreeMap<String, Row>;

/// What must be in the target.
#[derive(Debug, Default)]
pub struct Oracle {
    /// By the name of the table in the target.
    tables: BTreeMap<String, Rows>,
    counts: BTreeMap<String, Counts>,
    /// The last number that a projection applied, by projection, tenant, fork and entity.
    numbers: BTreeMap<String, i64>,
    /// Class, projection and event of every dead letter, in no order.
    pub letters: Vec<(String, String, Vec<u8>)>,
    pub malformed: u64,
}

/// An event cannot be applied.
pub(super) struct Misfit;

impl Oracle {
    /// What must become of these lines.
    pub fn of(lines: &[Vec<u8>]) -> Self {
        let mut oracle = Self::default();
        for name in NAMES {
            oracle.count(name, "read", 0);
        }
        oracle.read(lines);
        oracle
    }

    /// Further lines are read.
    pub fn read(&mut self, lines: &[Vec<u8>]) {
        for line in lines {
            self.line(line.strip_suffix(b"\r").unwrap_or(line));
        }
    }

    /// The rows of every table that has some.
    pub fn tables(&self) -> Tables {
        let filled = self.tables.iter().filter(|(_, rows)| !rows.is_empty());
        let tables = filled.map(|(name, rows)| {
            let rows = rows.values().map(|row| serde_json::to_string(row).unwrap());
            (name.clone(), rows.collect::<BTreeSet<_>>())
        });
        tables.collect()
    }

    /// What a projection must have counted; what was folded away depends on the batches.
    pub fn counts(&self, projection: &str) -> Counts {
        self.counts[projection].clone()
    }

    fn count(&mut self, projection: &str, what: &str, events: u64) {
        let counts = self.counts.entry(projection.to_owned()).or_default();
        *counts.entry(what.to_owned()).or_default() += events;
    }

    fn line(&mut self, line: &[u8]) {
        if line.iter().all(|byte| b" \t\r".contains(byte)) {
            return;
        }
        let parsed = serde_json::from_slice::<Value>(line).ok();
        let is_named = |event: &Value, name: &str| {
            let text = event[name].as_str();
            text.is_some_and(|text| !text.trim().is_empty())
        };
        let event =
            parsed.filter(|event| is_named(event, "eventType") && is_named(event, "entityId"));
        let Some(event) = event else {
            self.malformed += 1;
            self.letter("envelope", "", line);
            return;
        };
        for projection in NAMES {
            self.count(projection, "read", 1);
            let outcome = self.apply(projection, &event);
            let counted = match outcome {
                Outcome::Is(counted) => counted,
                Outcome::Dead(class) => {
                    self.letter(class, projection, line);
                    "dead_lettered"
                }
            };
            self.count(projection, counted, 1);
        }
    }

    fn letter(&mut self, class: &str, projection: &str, line: &[u8]) {
        let letter = (class.to_owned(), projection.to_owned(), line.to_vec());
        self.letters.push(letter);
    }

    fn apply(&mut self, projection: &str, event: &Value) -> Outcome {
        let event_type = event["eventType"].as_str().unwrap();
        let is_known = match projection {
            "accounts" => matches!(
                event_type,
                "ACCOUNT_OPENED" | "ACCOUNT_CHANGED" | "MONEY_MOVED" | "ACCOUNT_CLOSED"
            ),
            "scores" => event_type == "MONEY_MOVED",
            "basket_lines" => event_type == "BASKET_SET",
            "profiles" => event_type == "ACCOUNT_OPENED" || event_type.starts_with("PROFILE_"),
            _ => matches!(
                event_type,
                "MONEY_MOVED" | "ACCOUNT_CLOSED" | "REGION_DROPPED"
            ),
        };
        if !is_known {
            return Outcome::Is("unmatched");
        }
        let text = |name: &str| event[name].as_str().unwrap_or_default();
        let tenant = text("tenantSchema");
        if !TENANTS.contains(&tenant) {
            return Outcome::Dead("tenant");
        }
        let Some(number) = event["sequenceNumber"].as_i64() else {
            return Outcome::Dead("data");
        };
        let entity = [projection, tenant, text("forkId"), text("entityId")].join("\n");
        if self
            .numbers
            .get(&entity)
            .is_some_and(|last| number <= *last)
        {
            return Outcome::Is("stale");
        }
        let table = match tenant {
            "" => projection.to_owned(),
            tenant => format!("{tenant}__{projection}"),
        };
        let rows = self.tables.entry(table).or_default();
        let applied = match projection {
            "accounts" => account(rows, event),
            "scores" => score(rows, event),
            "basket_lines" => basket(rows, event),
            "profiles" => profile(rows, event),
            _ => region(rows, event),
        };
        let Ok(counted) = applied else {
            return Outcome::Dead("data");
        };
        self.numbers.insert(entity, number);
        Outcome::Is(counted)
    }
}

enum Outcome {
    /// What it is counted as.
    Is(&'static str),
    /// The class of its dead letter.
    Dead(&'static str),
}

fn account(rows: &mut Rows, event: &Value) -> Result<&'static str, Misfit> {
    let id = event["entityId"].as_str().unwrap();
    let payload = &event["payload"];
    match event["eventType"].as_str().unwrap() {
        "ACCOUNT_CLOSED" => drop(rows.remove(id)),
        "MONEY_MOVED" => {
            let amount = Cents::of(&payload["amount"])?;
            let memo = stored_text(&payload["memo"])?;
            let mut row = rows.get(id).cloned().unwrap_or_else(|| new_account(id));
            let balance = match &row["balance"] {
                Value::Null => Cents(0),
                balance => Cents::of(balance)?,
            };
            row.insert("balance".into(), amount.plus(balance)?.with_scale()?);
            row.insert("moves".into(), json!(row["moves"].as_i64().unwrap() + 1));
            row.insert("memo".into(), memo);
            amount.with_scale()?;
            rows.insert(id.to_owned(), row);
        }
        event_type => {
            let mut row = new_account(id);
            row.insert("owner".into(), stored_text(&payload["owner"]["name"])?);
            let balance = match &payload["balance"] {
                Value::Null => Value::Null,
                balance => Cents::of(balance)?.with_scale()?,
            };
            row.insert("balance".into(), balance);
            let vip = match &payload["vip"] {
                Value::Null => Value::Null,
                vip => json!(u8::from(vip.as_bool().ok_or(Misfit)?)),
            };
            row.insert("vip".into(), vip);
            let opened_at = stored_moment(event["ts"].as_i64().unwrap());
            row.insert("opened_at".into(), json!(opened_at));
            let extra = &payload["extra"];
            if !extra.is_null() {
                row.insert("extra".into(), json!(extra.to_string()));
            }
            if event_type == "ACCOUNT_CHANGED" {
                row.insert("memo".into(), json!("changed"));
            } else if rows.contains_key(id) {
                return Ok("ignored");
            }
            rows.insert(id.to_owned(), row);
        }
    }
    Ok("applied")
}

/// A row of defaults.
fn new_account(id: &str) -> Row {
    let columns = ["owner", "vip", "opened_at", "memo", "extra"];
    let mut row: Row = columns.map(|name| (name.to_owned(), Value::Null)).into();
    row.insert("account_id".into(), json!(id));
    row.insert("balance".into(), json!("0.00"));
    row.insert("moves".into(), json!(0));
    row
}

/// Doubles are added in the order of the events: their sums depend on it.
fn score(rows: &mut Rows, event: &Value) -> Result<&'static str, Misfit> {
    let id = event["entityId"].as_str().unwrap();
    let weight = event["payload"]["weight"].as_f64().ok_or(Misfit)?;
    let before = rows
        .get(id)
        .map_or(0.0, |row| row["score"].as_f64().unwrap());
    let row = [
        ("account_id".to_owned(), json!(id)),
        ("score".to_owned(), json!(before + weight)),
    ];
    rows.insert(id.to_owned(), row.into());
    Ok("applied")
}

fn basket(rows: &mut Rows, event: &Value) -> Result<&'static str, Misfit> {
    let id = event["entityId"].as_str().unwrap();
    let mut lines = Rows::new();
    let none = Vec::new();
    let items = match &event["payload"]["lines"] {
        Value::Null => &none,
        items => items.as_array().ok_or(Misfit)?,
    };
    for item in items {
        let sku = stored_text(&item["sku"])?;
        let quantity = item["quantity"].as_i64().ok_or(Misfit)?;
        i32::try_from(quantity).map_err(|_| Misfit)?;
        let key = format!("{id}\n{}", sku.as_str().ok_or(Misfit)?);
        let line = [
            ("basket_id".to_owned(), json!(id)),
            ("sku".to_owned(), sku),
            ("quantity".to_owned(), json!(quantity)),
        ];
        lines.insert(key, line.into());
    }
    rows.retain(|_, row| row["basket_id"] != *id);
    rows.extend(lines);
    Ok("applied")
}

fn region(rows: &mut Rows, event: &Value) -> Result<&'static str, Misfit> {
    let payload = &event["payload"];
    let region = payload["region"].as_str().ok_or(Misfit)?;
    let (amount, moves, closed) = match event["eventType"].as_str().unwrap() {
        "MONEY_MOVED" => (&payload["amount"], 1, 0),
        "ACCOUNT_CLOSED" => (&payload["fee"], 0, 1),
        _ => {
            rows.remove(region);
            return Ok("applied");
        }
    };
    // Without limits every decimal fits; here they have at most three digits after the point.
    let amount = Thousandths::of(amount)?;
    let row = rows.entry(region.to_owned()).or_insert_with(|| {
        let columns = ["total", "moves"].map(|name| (name.to_owned(), Value::Null));
        let mut row: Row = columns.into();
        row.insert("region".into(), json!(region));
        row.insert("closed".into(), json!(0));
        row
    });
    let total = match &row["total"] {
        Value::Null => Thousandths(0),
        total => Thousandths::of(total)?,
    };
    row.insert("total".into(), Thousandths(total.0 + amount.0).stored());
    if moves > 0 {
        let before = row["moves"].as_i64().unwrap_or(0);
        row.insert("moves".into(), json!(before + moves));
    }
    row.insert(
        "closed".into(),
        json!(row["closed"].as_i64().unwrap() + closed),
    );
    Ok("applied")
}

/// A text as a column keeps it.
pub(super) fn stored_text(value: &Value) -> Result<Value, Misfit> {
    match value {
        Value::String(text) if text.contains('\0') => Err(Misfit),
        Value::Null | Value::String(_) => Ok(value.clone()),
        Value::Bool(_) | Value::Number(_) => Ok(json!(value.to_string())),
        Value::Array(_) | Value::Object(_) => Err(Misfit),
    }
}

/// An exact decimal with at most three digits after the point.
#[derive(Clone, Copy)]
struct Thousandths(i128);

impl Thousandths {
    fn of(value: &Value) -> Result<Self, Misfit> {
        let text = match value {
            Value::Number(number) => number.to_string(),
            Value::String(text) => text.clone(),
            _ => return Err(Misfit),
        };
        let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
        let fraction = fraction.trim_end_matches('0');
        if fraction.len() > 3 {
            return Err(Misfit);
        }
        let digits = format!("{whole}{fraction:0<3}");
        digits.parse().map(Self).map_err(|_| Misfit)
    }

    /// As NUMERIC keeps it: no zeros at the end.
    fn stored(self) -> Value {
        let sign = if self.0 < 0 { "-" } else { "" };
        let (whole, fraction) = (self.0.abs() / 1000, self.0.abs() % 1000);
        let text = format!("{sign}{whole}.{fraction:03}");
        json!(text.trim_end_matches('0').trim_end_matches('.'))
    }
}

/// An exact amount of money, as NUMERIC(12,2) keeps it.
#[derive(Clone, Copy)]
struct Cents(i128);

impl Cents {
    fn of(value: &Value) -> Result<Self, Misfit> {
        let Thousandths(exact) = Thousandths::of(value)?;
        if exact % 10 == 0 {
            Ok(Self(exact / 10))
        } else {
            Err(Misfit)
        }
    }

    fn plus(self, other: Self) -> Result<Self, Misfit> {
        Ok(Self(self.0 + other.0))
    }

    /// Two digits after the point, ten before it.
    fn with_scale(self) -> Result<Value, Misfit> {
        if self.0.abs() > 999_999_999_999 {
            return Err(Misfit);
        }
        let sign = if self.0 < 0 { "-" } else { "" };
        let (whole, cents) = (self.0.abs() / 100, self.0.abs() % 100);
        Ok(json!(format!("{sign}{whole}.{cents:02}")))
    }
}
