//! Read models: every type of cell reads back as it was written, in columns and in keys.

use projectionist_core::row::{
    Absent, Cell, ColumnType, ElementType, OwnedCell, Present, RowBatch,
};
use projectionist_core::{Error, Timestamp};

use crate::StoreHarness;
use crate::session::Session;
use crate::tables::{TYPES, cells, change, column, effect, id_and, push, table, upsert, upserts};

/// Values of a type, among them the ends of its range. No two are equal.
fn values(column_type: ColumnType) -> Vec<OwnedCell> {
    let texts = |texts: &[&str], cell: fn(Box<str>) -> OwnedCell| {
        let texts = texts.iter();
        texts.map(|text| cell((*text).into())).collect()
    };
    match column_type {
        ColumnType::Text => hostile_texts(),
        ColumnType::BigInt => [i64::MIN, -1, 0, (1 << 53) + 1, i64::MAX]
            .map(OwnedCell::Int)
            .into(),
        ColumnType::Int => [i32::MIN, -1, 0, i32::MAX]
            .map(|value| OwnedCell::Int(value.into()))
            .into(),
        ColumnType::Boolean => [false, true].map(OwnedCell::Bool).into(),
        ColumnType::Double => doubles(),
        ColumnType::Numeric { limits: None } => {
            let long = ["123456789".repeat(8), ".".into(), "987654321".repeat(8)].concat();
            let numbers = ["0", "-0.1", "7", "0.000000000000000000001", &long];
            texts(&numbers, OwnedCell::Numeric)
        }
        ColumnType::Numeric { .. } => {
            let numbers = ["0.00", "-0.01", "7.50", "9999999999.99", "-9999999999.99"];
            texts(&numbers, OwnedCell::Numeric)
        }
        // From the year 1 to the year 9999, with milliseconds before 1970.
        ColumnType::TimestampTz => [
            -62_135_596_800_000,
            -1,
            0,
            1_719_331_200_123,
            253_402_300_799_999,
        ]
        .map(|millis| OwnedCell::Timestamp(Timestamp::from_unix_millis(millis)))
        .into(),
        ColumnType::Uuid => [0, 0x0102_0304_0506_0708_090a_0b0c_0d0e_0f10, u128::MAX]
            .map(|uuid| OwnedCell::Uuid(uuid.to_be_bytes()))
            .into(),
        ColumnType::Jsonb => texts(
            &[
                "null",
                "true",
                "0",
                "12345678901234567890.123",
                r#""it's \"é\" \u0007""#,
                r#"[1,[],{"a":{"b":null}}]"#,
            ],
            OwnedCell::Json,
        ),
        ColumnType::Varchar { .. } => {
            let smiles = "\u{1f600}".repeat(3);
            texts(
                &["", "a", "A", "a ", &smiles, "twelve chars"],
                OwnedCell::Text,
            )
        }
        ColumnType::SmallInt => [i16::MIN, -1, 0, i16::MAX]
            .map(|value| OwnedCell::Int(value.into()))
            .into(),
        ColumnType::Real => [0.0, 0.1, -0.5, f32::MIN, f32::MAX, f32::from_bits(1)]
            .map(|value| OwnedCell::Double(value.into()))
            .into(),
        // From the year 1 to the year 9999.
        ColumnType::Date => [-719_162, -1, 0, 19_782, 2_932_896]
            .map(OwnedCell::Date)
            .into(),
        ColumnType::Bytea => blobs(),
        ColumnType::Array(element) => arrays(element),
    }
}

/// Bytes that are no text, that look like one, and that have others as their beginning.
fn blobs() -> Vec<OwnedCell> {
    let all: Vec<u8> = (0..=u8::MAX).collect();
    let blobs: [&[u8]; 7] = [&[], &[0], &[0, 0], b"a", b"a\0b", &[0xff, 0xfe, 0x80], &all];
    blobs.map(|bytes| OwnedCell::Bytes(bytes.into())).into()
}

fn arrays(element: ElementType) -> Vec<OwnedCell> {
    let arrays: &[&str] = match element {
        ElementType::Text => &[
            "[]",
            "[null]",
            r#"[""]"#,
            r#"["null",null,"a,b","{}","it's \"é\" \\ \u0007"]"#,
        ],
        ElementType::BigInt => &[
            "[]",
            "[0]",
            "[null,-9223372036854775808,9223372036854775807,9007199254740993]",
        ],
        _ => &["[]", r#"["0.1",null,"-12345678901234567890.0000000001"]"#],
    };
    let arrays = arrays.iter();
    arrays
        .map(|text| OwnedCell::Array((*text).into()))
        .collect()
}

fn hostile_texts() -> Vec<OwnedCell> {
    let long = "long ".repeat(20_000);
    let texts = [
        "",
        " ",
        "a",
        "A",
        "a ",
        "á",
        "a\u{301}",
        "it's \"quoted\"",
        "'; DROP TABLE counted; --",
        "\\ %s ?1 $1 :a",
        "NULL",
        "1",
        "1.0",
        "line\r\nbreak\ttab",
        "\u{1}\u{7f}\u{ffff}\u{1f600}",
        &long,
    ];
    texts.map(|text| OwnedCell::Text(text.into())).into()
}

fn doubles() -> Vec<OwnedCell> {
    let smallest = f64::from_bits(1);
    [
        0.0,
        1.0,
        -0.5,
        0.1,
        1e300,
        9_007_199_254_740_993.0,
        f64::MIN,
        f64::MAX,
        f64::MIN_POSITIVE,
        smallest,
    ]
    .map(OwnedCell::Double)
    .into()
}

/// S-ROW-7: each type, each value, and null.
pub async fn values_read_back_as_written<H: StoreHarness>(harness: H) {
    let session = Session::open(harness).await;
    let names: Vec<String> = (0..TYPES.len()).map(|index| format!("c{index}")).collect();
    let typed = names.iter().zip(TYPES);
    let mut columns = vec![column("id", ColumnType::BigInt)];
    columns.extend(typed.map(|(name, column_type)| column(name, column_type)));
    let made = table("kinds", columns, &[0]);
    session.create(&made).await.unwrap();
    let mut batch = RowBatch::new(made.columns.len());
    let mut written = Vec::new();
    let nulls = vec![OwnedCell::Null; made.columns.len()];
    for (index, column_type) in TYPES.into_iter().enumerate() {
        for value in values(column_type) {
            let mut row = nulls.clone();
            row[0] = OwnedCell::Int(i64::try_from(written.len()).unwrap());
            row[index + 1] = value;
            let borrowed: Vec<Cell<'_>> = row.iter().map(OwnedCell::as_cell).collect();
            upsert(&mut batch, &borrowed);
            written.push(row);
        }
    }
    session.apply(&made, &batch).await.unwrap();
    session.assert_rows(&made, &written).await;
    // The rows are also overwritten by what they hold, and each is found again.
    let existed = session.apply(&made, &batch).await.unwrap();
    assert_eq!(existed, vec![true; written.len()]);
    session.assert_rows(&made, &written).await;
}

/// S-ROW-8: each value of each type is a key of its own, and is found again.
pub async fn every_type_can_be_a_key<H: StoreHarness>(harness: H) {
    let session = Session::open(harness).await;
    let types = TYPES.into_iter().filter(|is| is.can_be_key());
    for (index, column_type) in types.enumerate() {
        let key = column("key", column_type);
        let value = column("value", ColumnType::BigInt);
        let made = table(&format!("keyed_{index}"), vec![key, value], &[0]);
        session.create(&made).await.unwrap();
        let values = values(column_type);
        let rows = |number: i64| -> Vec<[Cell<'_>; 2]> {
            let values = values.iter();
            values
                .map(|value| [value.as_cell(), Cell::Int(number)])
                .collect()
        };
        for number in [1, 2] {
            let rows = rows(number);
            let slices: Vec<&[Cell<'_>]> = rows.iter().map(<[_; 2]>::as_slice).collect();
            let existed = session.apply(&made, &upserts(&slices)).await.unwrap();
            assert_eq!(existed, vec![number == 2; values.len()], "{column_type}");
            let rows: Vec<_> = rows.iter().map(|row| cells(row)).collect();
            session.assert_rows(&made, &rows).await;
        }
        let mut batch = RowBatch::new(2);
        let last = *rows(2).last().unwrap();
        let doomed = push(&mut batch, &last);
        effect(&mut batch, doomed, Absent::Stay, Present::Delete);
        session.apply(&made, &batch).await.unwrap();
        let mut kept: Vec<_> = rows(2).iter().map(|row| cells(row)).collect();
        kept.pop();
        session.assert_rows(&made, &kept).await;
    }
}

/// S-ROW-8: columns of the key stand anywhere in the table and in another order.
pub async fn a_key_has_several_columns<H: StoreHarness>(harness: H) {
    let session = Session::open(harness).await;
    let columns = vec![
        column("value", ColumnType::BigInt),
        column("second", ColumnType::Text),
        column("other", ColumnType::Text),
        column("first", ColumnType::BigInt),
    ];
    let made = table("pairs", columns, &[3, 1]);
    session.create(&made).await.unwrap();
    let row = |value, first, second| {
        [
            Cell::Int(value),
            Cell::Text(second),
            Cell::Null,
            Cell::Int(first),
        ]
    };
    let rows = [row(1, 1, "a"), row(2, 1, "b"), row(3, 2, "a")];
    let slices: Vec<&[Cell<'_>]> = rows.iter().map(<[_; 4]>::as_slice).collect();
    let existed = session.apply(&made, &upserts(&slices)).await.unwrap();
    assert_eq!(existed, [false; 3]);
    let again = row(4, 1, "b");
    let existed = session.apply(&made, &upserts(&[&again])).await.unwrap();
    assert_eq!(existed, [true]);
    let expected = [rows[0], again, rows[2]].map(|row| cells(&row));
    session.assert_rows(&made, &expected).await;
}

/// S-ROW-9: there is nothing to overwrite.
pub async fn a_table_may_be_nothing_but_its_key<H: StoreHarness>(harness: H) {
    let session = Session::open(harness).await;
    let columns = vec![
        column("a", ColumnType::Text),
        column("b", ColumnType::BigInt),
    ];
    let made = table("members", columns, &[0, 1]);
    session.create(&made).await.unwrap();
    let rows = [1, 2].map(|number| [Cell::Text("a"), Cell::Int(number)]);
    let one = upserts(&[&rows[0]]);
    assert_eq!(session.apply(&made, &one).await.unwrap(), [false]);
    let both = upserts(&[&rows[0], &rows[1]]);
    assert_eq!(session.apply(&made, &both).await.unwrap(), [true, false]);
    let mut batch = RowBatch::new(2);
    let kept = [projectionist_core::row::Change::Keep; 2];
    change(&mut batch, &rows[0], &kept);
    let doomed = push(&mut batch, &rows[1]);
    effect(&mut batch, doomed, Absent::Insert, Present::Delete);
    assert_eq!(session.apply(&made, &batch).await.unwrap(), [true, true]);
    session.assert_rows(&made, &[cells(&rows[0])]).await;
}

/// S-ROW-10: inserted, overwritten and set.
pub async fn a_null_that_is_not_allowed_is_refused<H: StoreHarness>(harness: H) {
    use projectionist_core::row::Change::{Keep, Set};

    let session = Session::open(harness).await;
    let mut strict = column("value", ColumnType::Text);
    strict.nullable = false;
    let made = id_and(strict);
    session.create(&made).await.unwrap();
    let row = [Cell::Int(1), Cell::Text("a")];
    session.apply(&made, &upserts(&[&row])).await.unwrap();
    let mut set = RowBatch::new(2);
    change(&mut set, &[Cell::Int(1), Cell::Null], &[Keep, Set]);
    let batches = [
        upserts(&[&[Cell::Int(2), Cell::Null]]),
        upserts(&[&[Cell::Int(1), Cell::Null]]),
        set,
    ];
    for batch in batches {
        let error = session.apply(&made, &batch).await.unwrap_err();
        let Error::Row { table, .. } = error else {
            panic!("{error}");
        };
        assert_eq!(table, made.name.to_string());
    }
    session.assert_rows(&made, &[cells(&row)]).await;
}
