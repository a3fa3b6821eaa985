//! Read models: sums are exact, or refused.

use projectionist_core::Error;
use projectionist_core::row::{Cell, Column, ColumnType, OwnedCell, Table};

use crate::StoreHarness;
use crate::session::Session;
use crate::tables::{adding, cells, column, id_and, upserts};

/// Limits of a NUMERIC column.
const LIMITED: ColumnType = ColumnType::Numeric {
    limits: Some((5, 2)),
};
const UNLIMITED: ColumnType = ColumnType::Numeric { limits: None };

/// A table whose second column has that type.
async fn open<H: StoreHarness>(session: &Session<H>, value: Column) -> Table {
    let mut made = id_and(value);
    let number = made.columns[1].column_type.to_string();
    made.name.name = format!("sums of {number}").into();
    session.create(&made).await.unwrap();
    made
}

/// Adds `operand` to `present`; the sum, or the error.
async fn sum<H: StoreHarness>(
    session: &Session<H>,
    made: &Table,
    present: Cell<'_>,
    operand: Cell<'_>,
) -> Result<OwnedCell, Error> {
    let row = [Cell::Int(1), present];
    session.apply(made, &upserts(&[&row])).await?;
    let result = session.apply(made, &adding(1, operand)).await;
    let mut rows = session.harness.rows(made).await.unwrap();
    assert_eq!(rows.len(), 1, "{rows:?}");
    match result {
        Ok(existed) => {
            assert_eq!(existed, [true]);
            Ok(rows.remove(0).remove(1))
        }
        Err(error) => {
            assert_eq!(rows[0], cells(&row), "a refused sum changed the row");
            Err(error)
        }
    }
}

/// Whether the sum is refused as a row that the table cannot hold.
async fn assert_refused<H: StoreHarness>(
    session: &Session<H>,
    made: &Table,
    present: Cell<'_>,
    operand: Cell<'_>,
) {
    let error = sum(session, made, present, operand).await.unwrap_err();
    let Error::Row { table, reason } = error else {
        panic!("{present:?} + {operand:?}: {error}");
    };
    assert_eq!(table, made.name.to_string());
    assert!(!reason.is_empty());
}

/// S-ROW-17: to the ends of the range, and not beyond.
pub async fn integers_are_added_exactly<H: StoreHarness>(harness: H) {
    let session = Session::open(harness).await;
    let (least, most) = (i64::from(i32::MIN), i64::from(i32::MAX));
    for (column_type, least, most) in [
        (ColumnType::BigInt, i64::MIN, i64::MAX),
        (ColumnType::Int, least, most),
        (ColumnType::SmallInt, i16::MIN.into(), i16::MAX.into()),
    ] {
        let made = open(&session, column("value", column_type)).await;
        for (a, b) in [
            (1, 2),
            (most - 1, 1),
            (least + 1, -1),
            (most, least),
            (0, 0),
        ] {
            let total = sum(&session, &made, Cell::Int(a), Cell::Int(b)).await;
            assert_eq!(total.unwrap(), OwnedCell::Int(a + b), "{column_type}");
        }
        for (a, b) in [(most, 1), (1, most), (least, -1), (least, least)] {
            assert_refused(&session, &made, Cell::Int(a), Cell::Int(b)).await;
        }
    }
}

/// S-ROW-18.
pub async fn doubles_are_added_as_ieee_754<H: StoreHarness>(harness: H) {
    let session = Session::open(harness).await;
    let made = open(&session, column("value", ColumnType::Double)).await;
    for (a, b) in [
        (0.1, 0.2),
        (1e16, 1.0),
        (f64::MAX, -1.0),
        (5e-324, 5e-324),
        (1.0, 1.0),
    ] {
        let total = sum(&session, &made, Cell::Double(a), Cell::Double(b)).await;
        assert_eq!(total.unwrap(), OwnedCell::Double(a + b), "{a} + {b}");
    }
    for (a, b) in [(f64::MAX, f64::MAX), (f64::MIN, f64::MIN)] {
        assert_refused(&session, &made, Cell::Double(a), Cell::Double(b)).await;
    }
}

/// S-ROW-18: of 32 bits.
pub async fn reals_are_added_as_ieee_754<H: StoreHarness>(harness: H) {
    let session = Session::open(harness).await;
    let made = open(&session, column("value", ColumnType::Real)).await;
    let cell = |value: f32| Cell::Double(value.into());
    for (a, b) in [
        (0.1_f32, 0.2_f32),
        (16_777_216.0, 1.0),
        (f32::MAX, -1.0),
        (f32::from_bits(1), f32::from_bits(1)),
        (f32::MAX, f32::MIN),
    ] {
        let total = sum(&session, &made, cell(a), cell(b)).await;
        let expected = f64::from(a + b);
        assert_eq!(total.unwrap(), OwnedCell::Double(expected), "{a} + {b}");
    }
    for (a, b) in [(f32::MAX, f32::MAX), (f32::MIN, f32::MIN)] {
        assert_refused(&session, &made, cell(a), cell(b)).await;
    }
}

/// S-ROW-19: without limits, in canonical spelling.
pub async fn numerics_are_added_exactly<H: StoreHarness>(harness: H) {
    let session = Session::open(harness).await;
    let made = open(&session, column("value", UNLIMITED)).await;
    let nines = "9".repeat(40);
    let carried = format!("1{}", "0".repeat(40));
    let cases = [
        ("0.1", "0.2", "0.3"),
        ("0", "0", "0"),
        ("1.5", "0.5", "2"),
        ("-0.5", "0.5", "0"),
        ("-1", "0.25", "-0.75"),
        ("0.25", "-1", "-0.75"),
        ("9007199254740993", "1", "9007199254740994"),
        (
            "1234567890123456789012345678",
            "0.000000000000000000000000001",
            "1234567890123456789012345678.000000000000000000000000001",
        ),
        (nines.as_str(), "1", carried.as_str()),
        (carried.as_str(), "-1", nines.as_str()),
    ];
    for (a, b, expected) in cases {
        let total = sum(&session, &made, Cell::Numeric(a), Cell::Numeric(b)).await;
        assert_eq!(
            total.unwrap(),
            OwnedCell::Numeric(expected.into()),
            "{a} + {b}"
        );
    }
}

/// S-ROW-19: with limits, all digits of the scale are written; a digit too many is refused.
pub async fn numerics_stay_within_their_limits<H: StoreHarness>(harness: H) {
    let session = Session::open(harness).await;
    let made = open(&session, column("value", LIMITED)).await;
    let cases = [
        ("0.10", "0.20", "0.30"),
        ("-1.00", "1.00", "0.00"),
        ("999.98", "0.01", "999.99"),
        ("-999.98", "-0.01", "-999.99"),
        ("999.99", "-999.99", "0.00"),
    ];
    for (a, b, expected) in cases {
        let total = sum(&session, &made, Cell::Numeric(a), Cell::Numeric(b)).await;
        assert_eq!(
            total.unwrap(),
            OwnedCell::Numeric(expected.into()),
            "{a} + {b}"
        );
    }
    for (a, b) in [
        ("999.99", "0.01"),
        ("-999.99", "-0.01"),
        ("500.00", "500.00"),
    ] {
        assert_refused(&session, &made, Cell::Numeric(a), Cell::Numeric(b)).await;
    }
}

/// S-ROW-20: a null counts as the default, or as zero.
pub async fn a_null_counts_as_its_default<H: StoreHarness>(harness: H) {
    let session = Session::open(harness).await;
    let numeric = |text: &str| OwnedCell::Numeric(text.into());
    let cases = [
        (
            ColumnType::BigInt,
            OwnedCell::Int(7),
            OwnedCell::Int(100),
            [7, 107].map(OwnedCell::Int),
        ),
        (
            ColumnType::Int,
            OwnedCell::Int(-7),
            OwnedCell::Int(100),
            [-7, 93].map(OwnedCell::Int),
        ),
        (
            ColumnType::Double,
            OwnedCell::Double(0.5),
            OwnedCell::Double(1.25),
            [0.5, 1.75].map(OwnedCell::Double),
        ),
        (
            ColumnType::SmallInt,
            OwnedCell::Int(7),
            OwnedCell::Int(100),
            [7, 107].map(OwnedCell::Int),
        ),
        (
            ColumnType::Real,
            OwnedCell::Double(0.5),
            OwnedCell::Double(1.25),
            [0.5, 1.75].map(OwnedCell::Double),
        ),
        (
            UNLIMITED,
            numeric("0.5"),
            numeric("9.5"),
            ["0.5", "10"].map(numeric),
        ),
        (
            LIMITED,
            numeric("0.50"),
            numeric("9.50"),
            ["0.50", "10.00"].map(numeric),
        ),
    ];
    for (column_type, operand, default, [from_zero, from_default]) in cases {
        let mut value = column("value", column_type);
        let made = open(&session, value.clone()).await;
        let total = sum(&session, &made, Cell::Null, operand.as_cell()).await;
        assert_eq!(total.unwrap(), from_zero, "{column_type}");
        value.default = Some(default);
        let made = open(&session, value).await;
        let total = sum(&session, &made, Cell::Null, operand.as_cell()).await;
        assert_eq!(total.unwrap(), from_default, "{column_type}");
    }
}
