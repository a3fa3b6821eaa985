//! Rows of tenants are their own.

use serde_json::{Value, json};

use crate::stand::{Stand, event, told};

const FILE: &str = r#"
projections:
  totals:
    source_events: [PAID]
    target: { table: totals, primary_key: [id] }
    fields: { id: TEXT, total: { type: BIGINT, default: 0 } }
    derive: { id: event.entityId }
    mutations: { PAID: { op: increment, by: { total: event.amount } } }
"#;

fn paid(tenant: &str, number: i64, amount: i64) -> Value {
    let mut event = event("PAID", "a", number, json!({ "amount": amount }));
    if !tenant.is_empty() {
        event["tenantSchema"] = json!(tenant);
    }
    event
}

fn stand() -> Stand {
    let events = [
        paid("", 1, 1),
        paid("acme", 1, 10),
        paid("globex", 1, 100),
        paid("acme", 2, 20),
        paid("globex", 1, 100),
        paid("No Tenant", 2, 5),
    ];
    Stand::after(FILE, &events)
}

#[test]
fn each_tenant_has_its_own_story() {
    let stand = stand();
    let lines = |row: &[&str]| {
        let story = stand.explain(row, true);
        let lines = told(&story)
            .into_iter()
            .map(|told| told.0)
            .collect::<Vec<_>>();
        (
            lines,
            story["row"]["table"]["total"].clone(),
            story["tenant"].clone(),
        )
    };
    assert_eq!(lines(&["totals", "a"]), (vec![1], json!(1), json!(null)));
    let acme = (vec![2, 4], json!(30), json!("acme"));
    assert_eq!(lines(&["totals", "a", "--tenant", "acme"]), acme);
    assert_eq!(lines(&["acme__totals", "a"]), acme);
    let globex = (vec![3, 5], json!(100), json!("globex"));
    assert_eq!(lines(&["totals", "a", "--tenant", "globex"]), globex);
    assert_eq!(
        lines(&["totals", "a", "--tenant", "unseen"]),
        (vec![], json!(null), json!("unseen"))
    );
}

#[test]
fn an_audit_looks_at_all_tenants_or_at_one() {
    let stand = stand();
    let found = stand.audit(&["totals"], 0);
    assert_eq!(found["tables"].as_array().unwrap().len(), 3, "{found}");
    stand.tamper("UPDATE acme__totals SET total = 31");
    stand.tamper("DELETE FROM globex__totals");
    let found = stand.audit(&["totals"], 2);
    let rows: Vec<_> = found["tables"]
        .as_array()
        .unwrap()
        .iter()
        .map(|table| {
            let explained = table["sample"][0]["explain"]
                .as_str()
                .map(ToOwned::to_owned);
            (table["tenant"].clone(), explained.is_some())
        })
        .collect();
    assert_eq!(
        rows,
        [
            (json!(null), false),
            (json!("acme"), true),
            (json!("globex"), true)
        ]
    );
    let found = stand.audit(&["totals", "--tenant", "acme"], 1);
    let row = &found["tables"][0]["sample"][0];
    assert_eq!(
        (&row["what"], &row["last_event"]["line"]),
        (&json!("differing"), &json!(4))
    );
    assert!(
        row["explain"].as_str().unwrap().ends_with(" --tenant acme"),
        "{row}"
    );
    stand.audit(&["totals", "--tenant", ""], 0);
    stand.explain(&["totals", "a", "--tenant", "globex"], false);
}
