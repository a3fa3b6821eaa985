//! Random records: small key spaces, repeated and late numbers, values that do not fit.

use std::fmt;

use super::bits::Bits;
use super::program::{COLUMNS, EVENT_TYPES};

/// What a record is made of.
#[derive(Clone)]
pub(crate) struct RecordSeed {
    pub(crate) envelope: u64,
    pub(crate) payload: [u64; 3],
}

impl fmt::Debug for RecordSeed {
    /// The record itself: that is what explains a failing case.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&record(self))
    }
}

/// A record that is an envelope.
pub(crate) fn record(seed: &RecordSeed) -> String {
    let mut bits = Bits::new(seed.envelope);
    let event_type = bits.choose(EVENT_TYPES as u64 + 1);
    let entity = bits.pick(&["x", "y", "z", "x\\u0079"]);
    let mut names = vec![
        format!(r#""eventType":"E{event_type}""#),
        format!(r#""entityId":"{entity}""#),
    ];
    if !bits.seldom(25) {
        let number = bits.choose(30);
        names.push(format!(r#""sequenceNumber":{number}"#));
    }
    let tenants = [
        "", r#""t1""#, r#""t2""#, r#""t3""#, "null", r#""""#, r#""Bad""#,
    ];
    let tenant = if bits.choose(3) != 2 {
        ""
    } else {
        bits.pick(&tenants)
    };
    if !tenant.is_empty() {
        names.push(format!(r#""tenantSchema":{tenant}"#));
    }
    if bits.seldom(4) {
        let fork = bits.pick(&[r#""f""#, "null", r#""""#]);
        names.push(format!(r#""forkId":{fork}"#));
    }
    if bits.flip() {
        names.push(format!(
            r#""ts":{}"#,
            bits.pick(&[0, 1_719_331_200_000_i64])
        ));
    }
    if bits.seldom(4) {
        names.push(r#""irVersion":"v\n1""#.into());
    }
    if bits.seldom(5) {
        names.push(r#""extra":{"eventType":"E0","x":[1,{"y":"]"}]}"#.into());
    }
    if bits.seldom(6) {
        names.push(r#""payload":{"a":1,"nest":{"k2":2},"items":[]}"#.into());
    }
    if !bits.seldom(16) {
        names.push(format!(r#""payload":{}"#, payload(seed.payload)));
    }
    if bits.seldom(7) {
        names.push(r#""entityId":"z""#.into());
    }
    let turn = bits.choose(names.len() as u64);
    names.rotate_left(turn);
    format!("{{{}}}", names.join(", "))
}

fn payload([top, nested, items]: [u64; 3]) -> String {
    let mut fields = fields(&mut Bits::new(top));
    let mut bits = Bits::new(nested);
    match bits.choose(20) {
        0 => {}
        1 => fields.push(r#""nest":7"#.into()),
        _ => {
            let mut inner = self::fields(&mut bits);
            if let Some(items) = array(items / 2) {
                inner.push(format!(r#""items":{items}"#));
            }
            inner.extend(condition(&mut bits));
            fields.push(format!(r#""nest":{{{}}}"#, inner.join(",")));
        }
    }
    if let Some(items) = array(items) {
        fields.push(format!(r#""items":{items}"#));
    }
    fields.push(r#""arr":[true,5,6]"#.into());
    fields.extend(condition(&mut bits));
    format!("{{{}}}", fields.join(","))
}

/// What conditions look at: mostly true.
fn condition(bits: &mut Bits) -> Option<String> {
    let others = ["false", "null", "", r#""true""#, "false", "1"];
    let value = if bits.seldom(3) {
        bits.pick(&others)
    } else {
        "true"
    };
    (!value.is_empty()).then(|| format!(r#""w":{value}"#))
}

/// An array of elements, or what is none.
fn array(seed: u64) -> Option<String> {
    let mut bits = Bits::new(seed);
    match bits.choose(9) {
        0 => None,
        1 => Some("null".into()),
        2 => Some("{}".into()),
        length => {
            let elements: Vec<String> = (0..length % 4)
                .map(|_| match bits.choose(12) {
                    11 => "3".to_owned(),
                    _ => format!("{{{}}}", fields(&mut bits).join(",")),
                })
                .collect();
            Some(format!("[{}]", elements.join(" ,")))
        }
    }
}

fn fields(bits: &mut Bits) -> Vec<String> {
    let mut fields = Vec::new();
    // The seven names of the envelope mean nothing in a payload.
    if bits.seldom(5) {
        fields.push(r#""entityId":"spoof","ts":5"#.to_owned());
    }
    for (column, (name, _)) in COLUMNS.iter().enumerate() {
        let value = pick_value(column, bits);
        if value.is_empty() {
            continue;
        }
        let name = match bits.seldom(9) {
            true => format!("\\u{:04x}{}", u32::from(name.as_bytes()[0]), &name[1..]),
            false => (*name).to_owned(),
        };
        fields.push(format!(r#""{name}":{value}"#));
    }
    fields
}

/// A value for a column, mostly a fitting one; empty for none.
fn pick_value(column: usize, bits: &mut Bits) -> &'static str {
    let rare = bits.choose(30);
    let (usual, others): (&[_], &[_]) = match column {
        0 => (&[r#""x""#, r#""y""#, r#""x\u0079""#], &["", "null", "[]"]),
        1 => (&["1", "2"], &["", "null", "1.0"]),
        2 => (
            &["1", "2", "-1", "-3", "0"],
            &["2147483647", "-2147483648", "3000000000", "1.5", "null", ""],
        ),
        3 => (
            &["1", "-1", "40"],
            &["9223372036854775807", "-9223372036854775808", r#""1""#, ""],
        ),
        4 => (
            &["1", r#""0.5""#, r#""-2.5""#],
            &[r#""999.9""#, r#""-999.9""#, r#""1.25""#, "null", ""],
        ),
        5 => (
            &[r#""0.001""#, "5", r#""-7.50""#],
            &[r#""12345678901234567890.123""#, "null", "", "true"],
        ),
        6 => (
            &["0.1", "0.2", "3", "-0.3"],
            &["1e308", "-1e308", "-0.0", "null", "", r#""x""#],
        ),
        7 => (
            &[r#""red""#, r#""\u00e9\n""#, "7"],
            &["null", "", r#""nul\u0000""#, "{}", r#""\ud83d\ude00""#],
        ),
        8 => (
            &["1", r#"{"a": [1, 2]}"#, r#""te\"xt""#],
            &["null", "", "false", r#"{"a":"\u0000"}"#],
        ),
        _ => (&["1719331200000"], &["", "null", "0"]),
    };
    if rare == 7 {
        bits.pick(others)
    } else {
        bits.pick(usual)
    }
}
