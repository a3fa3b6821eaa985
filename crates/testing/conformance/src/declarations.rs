//! Declarations that are kept, and the migration of the tables that they declare.

use projectionist_core::contract::{
    Declaration, DeclarationStore, Deployed, Deployment, NewDeclaration, ReadModel,
    TableDeployment, TransactionalOffsetStore,
};
use projectionist_core::row::{Cell, Column, ColumnType, OwnedCell, Table};
use projectionist_core::{Commit, Error};

use crate::StoreHarness;
use crate::session::Session;
use crate::tables::{column, of_owner, of_tenant, table, upserts};

fn declaration(projection: &str, hash: &str) -> Declaration {
    Declaration {
        projection: projection.to_owned(),
        text: format!("{projection} 'quoted' \"so\" \n {hash} \u{1f600}"),
        hash: hash.to_owned(),
        version: "test 1".to_owned(),
        origin: "/files/orders.yaml".to_owned(),
    }
}

fn replacing(projection: &str, before: Option<&str>, hash: &str) -> NewDeclaration {
    NewDeclaration {
        declaration: declaration(projection, hash),
        replaces: before.map(ToOwned::to_owned),
    }
}

/// Rows by an id, with one value that may not be null.
fn before() -> Table {
    let mut value = column("value", ColumnType::Int);
    value.nullable = false;
    table("kept", vec![column("id", ColumnType::BigInt), value], &[0])
}

/// The same with everything that may be added: columns, null, a default, a wider type, an index.
fn after() -> Table {
    let mut value = column("value", ColumnType::BigInt);
    value.default = Some(OwnedCell::Int(3));
    let with = |name: &str, default| Column {
        nullable: false,
        default: Some(default),
        ..column(name, ColumnType::BigInt)
    };
    let columns = vec![
        column("id", ColumnType::BigInt),
        with("more", OwnedCell::Int(7)),
        value,
        column("note", ColumnType::Text),
    ];
    let mut after = table("kept", columns, &[0]);
    after.columns = after
        .columns
        .iter()
        .cloned()
        .map(|mut column| {
            column.nullable |= &*column.name == "value" || &*column.name == "note";
            column
        })
        .collect();
    after.indexes = [[2, 0].into()].into();
    after
}

fn only(table: Table, create: &[Option<&str>]) -> Deployment {
    Deployment {
        tables: vec![TableDeployment {
            table,
            create: create.iter().map(|tenant| tenant.map(Into::into)).collect(),
        }],
        ..Deployment::default()
    }
}

/// Commits one row of a table.
async fn fill<H: StoreHarness>(session: &Session<H>, into: &Table, row: &[Cell<'_>]) {
    let mut tx = session.begin().await;
    session.store.create(&mut tx, into).await.unwrap();
    let existed = &mut Vec::new();
    let batch = upserts(&[row]);
    session
        .store
        .apply(&mut tx, into, &batch, existed)
        .await
        .unwrap();
    let commit = Commit::default();
    session
        .store
        .commit_in(tx, &session.claim, &commit)
        .await
        .unwrap();
}

/// S-DECLARE-1: as written, for every handle, in the order of names; the first source stays.
pub async fn a_declaration_reads_back_as_written<H: StoreHarness>(harness: H) {
    let (store, second) = (harness.store(), harness.second_handle().await);
    let both = Deployment {
        declarations: vec![replacing("b", None, "1"), replacing("a", None, "2")],
        ..Deployment::default()
    };
    assert_eq!(store.deploy(&both).await.unwrap(), Deployed::Done);
    for source in ["first.jsonl", "second.jsonl"] {
        store.note_source("b", source).await.unwrap();
        store.note_source("nobody", source).await.unwrap();
    }
    let kept = second.declarations().await.unwrap();
    let declarations: Vec<_> = kept.iter().map(|kept| kept.declaration.clone()).collect();
    assert_eq!(declarations, [declaration("a", "2"), declaration("b", "1")]);
    let sources: Vec<_> = kept.iter().map(|kept| kept.source.as_deref()).collect();
    assert_eq!(sources, [None, Some("first.jsonl")]);
    let now = projectionist_core::Clock::now(harness.clock());
    assert!(
        kept.iter()
            .all(|kept| kept.deployed_at == now && !kept.withdrawn)
    );
}

/// S-DECLARE-2: one that was replaced meanwhile is replaced by nobody who does not know it.
pub async fn a_deployment_is_conditional<H: StoreHarness>(harness: H) {
    let (store, second) = (harness.store(), harness.second_handle().await);
    let one = |replaced, hash| Deployment {
        declarations: vec![replacing("a", replaced, hash)],
        ..only(before(), &[None])
    };
    let fresh = Deployment {
        tables: Vec::new(),
        ..one(None, "1")
    };
    assert_eq!(store.deploy(&fresh).await.unwrap(), Deployed::Done);
    store.note_source("a", "events.jsonl").await.unwrap();
    for wrong in [None, Some("2"), Some("")] {
        let outcome = second.deploy(&one(wrong, "3")).await.unwrap();
        assert_eq!(outcome, Deployed::Superseded, "{wrong:?}");
        assert_eq!(harness.rows(&before()).await, None);
    }
    let outcome = second.deploy(&one(Some("1"), "2")).await.unwrap();
    assert_eq!(outcome, Deployed::Done);
    let kept = store.declarations().await.unwrap();
    assert_eq!(kept[0].declaration.hash, "2");
    assert_eq!(kept[0].source.as_deref(), Some("events.jsonl"));
    assert_eq!(harness.rows(&before()).await, Some(Vec::new()));
}

/// S-DECLARE-3: and being declared again undoes it.
pub async fn a_withdrawn_declaration_stays<H: StoreHarness>(harness: H) {
    let store = harness.store();
    let declare = |before| Deployment {
        declarations: vec![replacing("a", before, "1")],
        ..Deployment::default()
    };
    let withdraw = Deployment {
        withdrawn: vec!["a".to_owned(), "nobody".to_owned()],
        ..Deployment::default()
    };
    for (deployment, withdrawn) in [
        (declare(None), false),
        (withdraw, true),
        (declare(Some("1")), false),
    ] {
        store.deploy(&deployment).await.unwrap();
        let kept = store.declarations().await.unwrap();
        assert_eq!(kept.len(), 1);
        assert_eq!(kept[0].withdrawn, withdrawn);
    }
}

/// S-DECLARE-4: of no tenant and of all; rows keep what they have and get the defaults.
pub async fn tables_are_migrated_with_their_rows<H: StoreHarness>(harness: H) {
    let session = Session::open(harness).await;
    let plain = before();
    let acme = of_tenant(&plain, "acme");
    fill(&session, &plain, &[Cell::Int(1), Cell::Int(10)]).await;
    fill(&session, &acme, &[Cell::Int(2), Cell::Int(20)]).await;
    let deployment = only(after(), &[Some("newcomer")]);
    for _ in 0..2 {
        let outcome = session.store.deploy(&deployment).await.unwrap();
        assert_eq!(outcome, Deployed::Done);
    }
    let migrated = |id, value| {
        Some(vec![vec![
            OwnedCell::Int(id),
            OwnedCell::Int(7),
            OwnedCell::Int(value),
            OwnedCell::Null,
        ]])
    };
    let of = |tenant| of_tenant(&after(), tenant);
    assert_eq!(session.harness.rows(&after()).await, migrated(1, 10));
    assert_eq!(session.harness.rows(&of("acme")).await, migrated(2, 20));
    assert_eq!(
        session.harness.rows(&of("newcomer")).await,
        Some(Vec::new())
    );
    // It is the table that is declared now: null and large numbers go in.
    let row = [Cell::Int(1), Cell::Int(8), Cell::Null, Cell::Text("x")];
    fill(&session, &after(), &row).await;
    let rows = session.harness.rows(&after()).await.unwrap();
    assert_eq!(rows, [row.map(OwnedCell::from).to_vec()]);
}

/// S-DECLARE-5: and the whole deployment leaves nothing.
pub async fn what_is_more_than_an_addition_is_refused<H: StoreHarness>(harness: H) {
    let session = Session::open(harness).await;
    fill(&session, &before(), &[Cell::Int(1), Cell::Int(10)]).await;
    let id = || column("id", ColumnType::BigInt);
    let value = |column_type, nullable| Column {
        nullable,
        ..column("value", column_type)
    };
    let needed = Column {
        nullable: false,
        ..column("more", ColumnType::Text)
    };
    let int = || value(ColumnType::Int, false);
    for (what, wrong) in [
        ("gone", table("kept", vec![id()], &[0])),
        (
            "other",
            table("kept", vec![id(), value(ColumnType::Text, false)], &[0]),
        ),
        ("key", table("kept", vec![id(), int()], &[0, 1])),
        ("needed", table("kept", vec![id(), int(), needed], &[0])),
        ("owner", of_owner(&before(), "others")),
    ] {
        let deployment = Deployment {
            tables: vec![
                TableDeployment {
                    table: table("made", vec![id()], &[0]),
                    create: vec![None],
                },
                TableDeployment {
                    table: wrong,
                    create: Vec::new(),
                },
            ],
            declarations: vec![replacing("a", None, "1")],
            withdrawn: Vec::new(),
        };
        let refused = session.store.deploy(&deployment).await;
        assert!(
            matches!(refused, Err(Error::Schema { .. })),
            "{what}: {refused:?}"
        );
        let made = table("made", vec![id()], &[0]);
        assert_eq!(session.harness.rows(&made).await, None, "{what}");
        assert_eq!(session.store.declarations().await.unwrap(), [], "{what}");
    }
    let rows = session.harness.rows(&before()).await.unwrap();
    assert_eq!(rows, [[OwnedCell::Int(1), OwnedCell::Int(10)]]);
}
