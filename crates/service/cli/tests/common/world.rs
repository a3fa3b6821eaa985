//! A world that uses every operation: accounts with a balance and a score, baskets with lines,
//! regions whose totals come from the events of all entities, and profiles, whose events have
//! conditions and computed values.

/// The projections of the world.
pub const PROJECTIONS: &str = r#"
projections:
  accounts:
    source_events: [ACCOUNT_OPENED, ACCOUNT_CHANGED, MONEY_MOVED, ACCOUNT_CLOSED]
    target: { table: accounts, primary_key: [account_id] }
    fields:
      account_id: TEXT
      owner: TEXT
      balance: { type: "NUMERIC(12,2)", default: 0 }
      moves: { type: BIGINT, nullable: false, default: 0 }
      vip: BOOLEAN
      opened_at: TIMESTAMPTZ
      memo: TEXT
      extra: JSONB
    derive:
      account_id: event.entityId
      owner: event.owner.name
      balance: event.balance
      vip: event.vip
      opened_at: event.ts
      extra: event.extra
    mutations:
      ACCOUNT_OPENED: { op: insert }
      ACCOUNT_CHANGED: { op: upsert, set: { memo: "'changed'" } }
      MONEY_MOVED:
        op: increment
        by: { balance: event.amount, moves: 1 }
        set: { memo: event.memo }
      ACCOUNT_CLOSED: { op: delete }
  scores:
    source_events: [MONEY_MOVED]
    target: { table: scores, primary_key: [account_id] }
    fields: { account_id: TEXT, score: DOUBLE }
    derive: { account_id: event.entityId }
    mutations:
      MONEY_MOVED: { op: increment, by: { score: event.weight } }
  basket_lines:
    source_events: [BASKET_SET]
    target: { table: basket_lines, primary_key: [basket_id, sku] }
    fields: { basket_id: TEXT, sku: TEXT, quantity: INT }
    derive: { basket_id: event.entityId, sku: item.sku, quantity: item.quantity }
    mutations:
      BASKET_SET: { op: replace, filter: { basket_id: event.entityId }, each: event.lines }
  regions:
    source_events: [MONEY_MOVED, ACCOUNT_CLOSED, REGION_DROPPED]
    target: { table: regions, primary_key: [region] }
    fields: { region: TEXT, total: NUMERIC, moves: INT, closed: { type: INT, default: 0 } }
    derive: { region: event.region }
    mutations:
      MONEY_MOVED: { op: increment, by: { total: event.amount, moves: 1 } }
      ACCOUNT_CLOSED: { op: increment, by: { closed: 1, total: event.fee } }
      REGION_DROPPED: { op: delete }
  profiles:
    source_events:
      - ACCOUNT_OPENED
      - PROFILE_CHANGED
      - PROFILE_NAMED
      - PROFILE_USED
      - PROFILE_CLOSED
      - PROFILE_DROPPED
    target: { table: profiles, primary_key: [account_id], indexes: [[label, state]] }
    fields:
      account_id: TEXT
      label: TEXT
      city: { type: TEXT, nul: strip }
      likes: { type: INT, coerce: lenient }
      uses: { type: BIGINT, nullable: false, default: 10 }
      state: { type: TEXT, default: new }
    derive:
      account_id: event.entityId
      label: "coalesce(event.owner.name, 'nobody')"
      city: event.address.city
      likes: event.likes
      state: "'known'"
    mutations:
      ACCOUNT_OPENED: { op: upsert, when: event.vip }
      PROFILE_CHANGED: { op: patch }
      PROFILE_NAMED:
        op: patch
        when: "size(event.first) > 2"
        set: { label: "upper(event.first) + '/' + event.last" }
        on_missing: ignore
      PROFILE_USED:
        op: increment
        when: "event.times != 0"
        by: { uses: event.times * 2 }
        set: { city: event.address.city }
        on_missing: ignore
      PROFILE_CLOSED: { op: patch, set: { state: "'closed'", label: null }, on_missing: error }
      PROFILE_DROPPED: { op: delete, when: event.sure }
"#;

/// The names of the projections.
pub const NAMES: [&str; 5] = ["accounts", "scores", "basket_lines", "regions", "profiles"];

/// The tenants of the world; the empty one is none.
pub const TENANTS: [&str; 3] = ["", "acme", "globex"];

/// Midnight of a summer's day, in Unix milliseconds.
pub const MIDNIGHT: i64 = 1_719_273_600_000;

/// A moment of that day as it is stored.
pub fn stored_moment(unix_millis: i64) -> String {
    let millis = unix_millis - MIDNIGHT;
    assert!((0..86_400_000).contains(&millis), "one day only");
    let (seconds, millis) = (millis / 1000, millis % 1000);
    let (minutes, seconds) = (seconds / 60, seconds % 60);
    let (hours, minutes) = (minutes / 60, minutes % 60);
    format!("2024-06-25T{hours:02}:{minutes:02}:{seconds:02}.{millis:03}Z")
}
