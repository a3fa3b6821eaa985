//! Random events of the world: good ones, late ones, bad ones, and lines that are none.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::profile_events::{describe, profile_event, spoil_profile};
use super::random::Random;
use super::world::{MIDNIGHT, TENANTS};

/// Draws events, one a line.
pub struct Events {
    random: Random,
    entities: u64,
    /// The last number of each tenant, fork and entity.
    numbers: BTreeMap<String, i64>,
    drawn: i64,
}

impl Events {
    /// Events about so many entities of each kind, tenant and fork.
    pub fn seeded(seed: u64, entities: u64) -> Self {
        Self {
            random: Random::seeded(seed),
            entities,
            numbers: BTreeMap::new(),
            drawn: 0,
        }
    }

    /// So many lines without their line ends.
    pub fn lines(&mut self, count: usize) -> Vec<Vec<u8>> {
        (0..count).map(|_| self.line()).collect()
    }

    /// So many events of which none is wrong, late or unknown.
    pub fn good_lines(&mut self, count: usize) -> Vec<Vec<u8>> {
        let good = (0..count).map(|_| self.good_event().to_string().into_bytes());
        good.collect()
    }

    fn line(&mut self) -> Vec<u8> {
        if self.random.once_in(60) {
            return self.no_event();
        }
        let mut event = self.good_event();
        if self.random.once_in(12) {
            self.spoil(&mut event);
        }
        if self.random.once_in(15) {
            let number = event["sequenceNumber"].as_i64().unwrap_or(0);
            let late_by = i64::try_from(self.random.within(1..=5)).unwrap();
            event["sequenceNumber"] = json!(number - late_by);
        }
        let mut line = event.to_string().into_bytes();
        if self.random.once_in(50) {
            line.push(b'\r');
        }
        line
    }

    fn good_event(&mut self) -> Value {
        let tenant = self.random.one_of(&TENANTS);
        let fork = self.random.one_of(&["", "prod"]);
        let number = self.random.within(1..=self.entities);
        let (event_type, entity, payload) = match self.random.within(1..=30) {
            1..=2 => (
                "ACCOUNT_OPENED",
                format!("account-{number}"),
                self.account(),
            ),
            3..=5 => (
                "ACCOUNT_CHANGED",
                format!("account-{number}"),
                self.account(),
            ),
            6..=12 => (
                "MONEY_MOVED",
                format!("account-{number}"),
                self.move_of_money(),
            ),
            13 => (
                "ACCOUNT_CLOSED",
                format!("account-{number}"),
                self.closing(),
            ),
            14..=18 => ("BASKET_SET", format!("basket-{number}"), self.basket()),
            19 => (
                "REGION_DROPPED",
                self.region().to_owned(),
                json!({ "region": self.region() }),
            ),
            20..=29 => {
                let (event_type, payload) = profile_event(&mut self.random);
                (event_type, format!("account-{number}"), payload)
            }
            _ => (
                "NOISE",
                format!("noise-{number}"),
                json!({ "any": [1, { "thing": null }] }),
            ),
        };
        let step = if self.random.once_in(10) { 7 } else { 1 };
        let key = format!("{tenant} {fork} {entity}");
        let last = self.numbers.entry(key).or_default();
        *last += step;
        self.drawn += 1;
        let mut event = json!({
            "eventType": event_type,
            "entityId": entity,
            "sequenceNumber": *last,
            "ts": MIDNIGHT + self.drawn * 3,
            "payload": payload,
        });
        if !tenant.is_empty() {
            event["tenantSchema"] = json!(tenant);
        }
        if !fork.is_empty() {
            event["forkId"] = json!(fork);
        }
        event
    }

    fn account(&mut self) -> Value {
        let mut account = json!({
            "owner": { "name": self.random.one_of(&["Ada", "Grace \"G\"", "Zoë", "李", "O'Brien"]) },
            "vip": self.random.once_in(2),
            "extra": { "tags": ["a", 1, null], "n": self.random.within(0..=9) },
        });
        describe(&mut self.random, &mut account);
        if self.random.once_in(2) {
            account["balance"] = self.amount();
        }
        account
    }

    fn move_of_money(&mut self) -> Value {
        json!({
            "amount": self.amount(),
            "weight": f64::from(u32::try_from(self.random.within(0..=30)).unwrap()) / 10.0,
            "memo": self.random.one_of(&["rent", "tea; DROP TABLE accounts", "", "ünïcode ✓"]),
            "region": self.region(),
        })
    }

    fn closing(&mut self) -> Value {
        json!({ "region": self.region(), "fee": self.amount() })
    }

    fn basket(&mut self) -> Value {
        let lines = (0..self.random.within(0..=4)).map(|_| {
            let sku = self.random.one_of(&["pear", "fig", "plum", "lime", "sloe"]);
            json!({ "sku": sku, "quantity": self.random.within(0..=99) })
        });
        json!({ "lines": lines.collect::<Vec<_>>() })
    }

    fn region(&mut self) -> &'static str {
        self.random.one_of(&["north", "south", "east", "west"])
    }

    /// A number or a text, of either sign, whole or with cents; one that is too large for most
    /// balances now and then.
    fn amount(&mut self) -> Value {
        if self.random.once_in(10) {
            let huge = ["9999999999.99", "-9999999999.99", "9000000000"];
            return json!(self.random.one_of(&huge));
        }
        let sign = if self.random.once_in(3) { "-" } else { "" };
        let (whole, cents) = (self.random.within(0..=5000), self.random.within(0..=99));
        let text = match self.random.within(0..=2) {
            0 => format!("{sign}{whole}"),
            _ => format!("{sign}{whole}.{cents:02}"),
        };
        if self.random.once_in(3) {
            json!(text)
        } else {
            serde_json::from_str(&text).unwrap()
        }
    }

    /// Makes an event one that cannot be applied, by some projection or by all.
    fn spoil(&mut self, event: &mut Value) {
        if event["eventType"].as_str().unwrap().starts_with("PROFILE") && self.random.once_in(2) {
            return spoil_profile(&mut self.random, event);
        }
        match self.random.within(0..=10) {
            0 => drop(event.as_object_mut().unwrap().remove("sequenceNumber")),
            1 => event["tenantSchema"] = json!("Not A Schema"),
            2 => event["payload"]["amount"] = json!("much"),
            3 => event["payload"]["amount"] = json!("1.005"),
            4 => event["payload"]["memo"] = json!("a\u{0}b"),
            5 => event["payload"]["region"] = Value::Null,
            6 => event["payload"]["owner"] = json!({ "name": { "first": "Ada" } }),
            7 => {
                event["payload"]["lines"] =
                    json!([{ "sku": "fig", "quantity": 1 }, { "quantity": 2 }])
            }
            8 => {
                event["payload"]["lines"] = json!([{ "sku": "fig", "quantity": 2_147_483_648_u64 }])
            }
            9 => event["payload"]["weight"] = json!("heavy"),
            _ => event["payload"]["vip"] = json!("yes"),
        }
    }

    /// A line that is no event.
    fn no_event(&mut self) -> Vec<u8> {
        let lines: [&[u8]; 9] = [
            b"",
            b" \t ",
            b"\r",
            b"not json",
            br#"{"eventType":"MONEY_MOVED","entityId":"#,
            br#"[{"eventType":"NOISE"}]"#,
            br#"{"entityId":"account-1","sequenceNumber":1}"#,
            br#"{"eventType":"NOISE","entityId":"  "}"#,
            b"{\"eventType\":\"NOISE\",\"entityId\":\"\xff\"}",
        ];
        self.random.one_of(&lines).to_vec()
    }
}

/// The lines as a file has them.
pub fn file_of(lines: &[Vec<u8>]) -> Vec<u8> {
    let ended = lines.iter().map(|line| [line.as_slice(), b"\n"].concat());
    ended.collect::<Vec<_>>().concat()
}
