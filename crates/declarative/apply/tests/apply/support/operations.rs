//! Random mutations: every operation, with every way to give it values.

use projectionist_language::model::{
    ColumnValue, Expression, Literal, Metadata, OnMissing, Operation, Path, Step,
};

use super::bits::Bits;
use super::program::COLUMNS;

/// The columns of numbers that are not part of a key.
const NUMBERS: [usize; 5] = [2, 3, 4, 5, 6];

pub(crate) fn operation(kind: u8, key: &[usize], bits: &mut Bits) -> Operation {
    match kind % 8 {
        0 => Operation::Upsert {
            values: values(key, bits, false),
        },
        1 => Operation::Insert {
            values: values(key, bits, false),
        },
        2 => Operation::Delete {
            key: key_values(key, bits, false),
        },
        3 => replace(key, bits),
        4 => increment(key, bits),
        5 => patch(key, bits, true),
        6 => patch(key, bits, false),
        _ if bits.flip() => increment(key, bits),
        _ => Operation::Ignore,
    }
}

/// Mostly none: a condition leaves few events for what it guards.
pub(crate) fn when(bits: &mut Bits) -> Option<Expression> {
    let literal = |truth| Some(Expression::Literal(Literal::Bool(truth)));
    match bits.choose(12) {
        1 => literal(true),
        2 => literal(false),
        3 => Some(Expression::Literal(Literal::Text("true".into()))),
        4 | 5 => Some(Expression::Path(payload(&["w"]))),
        6 => Some(Expression::Path(payload(&["nest", "w"]))),
        _ => None,
    }
}

fn patch(key: &[usize], bits: &mut Bits, with_set: bool) -> Operation {
    let (mut set, mut present) = (Vec::new(), Vec::new());
    let on_missing = on_missing(bits);
    for column in (1..COLUMNS.len()).filter(|column| !key.contains(column)) {
        if bits.flip() {
            continue;
        }
        if with_set {
            set.push(value(column, bits, false));
        } else {
            let name = COLUMNS[column].0;
            let place = bits.pick(&[payload(&[name]), payload(&["nest", name])]);
            let expression = Expression::Path(place);
            present.push(ColumnValue { column, expression });
        }
    }
    Operation::Patch {
        key: key_values(key, bits, false),
        set,
        present,
        on_missing,
    }
}

fn on_missing(bits: &mut Bits) -> OnMissing {
    let (create, ignore) = (OnMissing::Create, OnMissing::Ignore);
    bits.pick(&[create, ignore, create, OnMissing::Error, create, ignore])
}

fn replace(key: &[usize], bits: &mut Bits) -> Operation {
    let scopes: [&[usize]; 5] = [&[0], &[0, 1], &[1], &[2], &[0, 7]];
    let filter = bits.pick(&scopes);
    let filter = filter.iter().map(|column| value(*column, bits, false));
    let filter = filter.collect();
    let each = [
        None,
        Some(payload(&["items"])),
        Some(payload(&["nest", "items"])),
    ];
    let each = bits.pick(&each);
    let values = values(key, bits, each.is_some());
    Operation::Replace {
        filter,
        each,
        values,
    }
}

fn increment(key: &[usize], bits: &mut Bits) -> Operation {
    let first = bits.pick(&NUMBERS);
    let key = key_values(key, bits, false);
    let (mut by, mut set) = (vec![amount(first, bits)], Vec::new());
    let on_missing = on_missing(bits);
    for column in 2..COLUMNS.len() {
        if column == first {
            continue;
        }
        match bits.choose(5) {
            1 if NUMBERS.contains(&column) => by.push(amount(column, bits)),
            2 => set.push(value(column, bits, false)),
            _ => {}
        }
    }
    Operation::Increment {
        key,
        by,
        set,
        on_missing,
    }
}

fn amount(column: usize, bits: &mut Bits) -> ColumnValue {
    let literal = Expression::Literal(Literal::Number("1".into()));
    let path = Expression::Path(payload(&[COLUMNS[column].0]));
    ColumnValue {
        column,
        expression: bits.pick(&[path, literal]),
    }
}

fn key_values(key: &[usize], bits: &mut Bits, item: bool) -> Vec<ColumnValue> {
    key.iter()
        .map(|column| value(*column, bits, item))
        .collect()
}

fn values(key: &[usize], bits: &mut Bits, item: bool) -> Vec<ColumnValue> {
    let mut values = key_values(key, bits, item);
    for column in 1..COLUMNS.len() {
        if !key.contains(&column) && bits.choose(3) != 2 {
            values.push(value(column, bits, item));
        }
    }
    values
}

fn value(column: usize, bits: &mut Bits, item: bool) -> ColumnValue {
    let (name, _) = COLUMNS[column];
    let metadata = |name| Expression::Path(Path::Metadata(name));
    let literal = |literal| Expression::Literal(literal);
    let mut choices = vec![
        Expression::Path(payload(&[name])),
        Expression::Path(payload(&["nest", name])),
    ];
    if item {
        let step = Step::Key(name.into());
        choices = vec![Expression::Path(Path::Item(vec![step])), choices.remove(0)];
    }
    choices.push(match column {
        0 => metadata(Metadata::EntityId),
        1 => literal(Literal::Number("1".into())),
        2 if item => Expression::Path(Path::Item(vec![])),
        2 => Expression::Path(Path::Payload(vec![Step::Key("arr".into()), Step::Index(1)])),
        3 => metadata(Metadata::SequenceNumber),
        4 => literal(Literal::Text("7.5".into())),
        5 => literal(Literal::Null),
        6 => literal(Literal::Number("1e3".into())),
        7 => bits.pick(&[
            metadata(Metadata::ForkId),
            metadata(Metadata::IrVersion),
            metadata(Metadata::EventType),
            metadata(Metadata::TenantSchema),
            literal(Literal::Text("lit".into())),
            literal(Literal::Bool(true)),
        ]),
        8 => bits.pick(&[
            Expression::Path(Path::Payload(vec![])),
            Expression::Path(payload(&["nest"])),
            Expression::Path(payload(&["items"])),
        ]),
        _ => metadata(Metadata::Ts),
    });
    ColumnValue {
        column,
        expression: bits.pick(&choices),
    }
}

fn payload(keys: &[&str]) -> Path {
    Path::Payload(keys.iter().map(|key| Step::Key((*key).into())).collect())
}
