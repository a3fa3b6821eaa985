//! Random events of a world with every operation, against the oracle that takes one at a time.

use serde_json::Value;

use crate::common::client::assert_same_tables;
use crate::common::events::{Events, file_of};
use crate::common::oracle::Oracle;
use crate::common::world::{NAMES, PROJECTIONS, TENANTS};
use crate::common::{Place, Random, random};
use crate::stand::Stand;

const EVENTS: usize = 20_000;

/// The columns of the key of each projection.
fn key(projection: &str) -> &'static [&'static str] {
    match projection {
        "basket_lines" => &["basket_id", "sku"],
        "regions" => &["region"],
        _ => &["account_id"],
    }
}

#[test]
fn a_target_that_nobody_touched_is_as_its_events_make_it() {
    let seed = random::seed();
    let lines = Events::seeded(seed, 40).lines(EVENTS);
    let oracle = Oracle::of(&lines).tables();
    let place = Place::with_events(PROJECTIONS, file_of(&lines));
    place.run_once(&[]);
    assert_same_tables(&place.client().tables(), &oracle);
    let stand = Stand { place };
    for name in NAMES {
        stand.audit(&[name], 0);
    }
    let mut random = Random::seeded(seed);
    for name in NAMES {
        let tenant = random.one_of(&TENANTS);
        let table = match tenant {
            "" => name.to_owned(),
            tenant => format!("{tenant}__{name}"),
        };
        let Some(rows) = oracle.get(&table) else {
            continue;
        };
        let at = usize::try_from(random.within(0..=rows.len() as u64 - 1)).unwrap();
        let row: Value = serde_json::from_str(rows.iter().nth(at).unwrap()).unwrap();
        let mut words = vec![name.to_owned()];
        words.extend(
            key(name)
                .iter()
                .map(|column| row[*column].as_str().unwrap().to_owned()),
        );
        words.extend(["--tenant".to_owned(), tenant.to_owned()]);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let story = stand.explain(&words, true);
        assert_eq!(story["row"]["events"], row, "{table}");
        assert_ne!(story["events_total"], 0, "{table}");
    }
}

#[test]
fn one_row_among_many_is_found() {
    let lines = Events::seeded(random::seed(), 40).good_lines(3_000);
    let place = Place::with_events(PROJECTIONS, file_of(&lines));
    place.run_once(&[]);
    let stand = Stand { place };
    stand
        .tamper("DELETE FROM acme__regions WHERE region = (SELECT max(region) FROM acme__regions)");
    stand.tamper("UPDATE scores SET score = score + 0.5 WHERE account_id = (SELECT min(account_id) FROM scores)");
    for (name, wrong) in [("regions", 1), ("scores", 1), ("accounts", 0)] {
        stand.audit(&[name], wrong);
    }
}
