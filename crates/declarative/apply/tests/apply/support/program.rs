//! Random programs over one table with columns of most types.

use std::fmt;

use projectionist_core::row::{Column, ColumnType, OwnedCell};
use projectionist_language::model::{
    ColumnValue, Expression, Literal, Metadata, Mutation, Operation, Path, Program, Projection,
    Sequence, Step,
};

use super::bits::Bits;

/// The columns, with their types. The first is always the key, the second may be part of it.
pub(crate) const COLUMNS: [(&str, ColumnType); 10] = [
    ("k1", ColumnType::Text),
    ("k2", ColumnType::Int),
    ("a", ColumnType::Int),
    ("b", ColumnType::BigInt),
    (
        "n",
        ColumnType::Numeric {
            limits: Some((4, 1)),
        },
    ),
    ("u", ColumnType::Numeric { limits: None }),
    ("d", ColumnType::Double),
    ("t", ColumnType::Text),
    ("j", ColumnType::Jsonb),
    ("at", ColumnType::TimestampTz),
];

/// The columns of numbers that are not part of a key.
const NUMBERS: [usize; 5] = [2, 3, 4, 5, 6];

/// How many event types a program names; records have one more.
pub(crate) const EVENT_TYPES: usize = 7;

/// What a program is made of.
#[derive(Clone)]
pub(crate) struct ProgramSeed {
    pub(crate) table: u64,
    pub(crate) mutations: Vec<(u8, u64)>,
}

impl fmt::Debug for ProgramSeed {
    /// The program itself, a mutation a line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let program = program(self);
        let projection = &program.projections[0];
        writeln!(f, "{:?} key {:?}", projection.sequence, projection.key)?;
        for column in projection.columns.iter() {
            writeln!(f, "  {column:?}")?;
        }
        for mutation in &projection.mutations {
            writeln!(f, "  {mutation:?}")?;
        }
        Ok(())
    }
}

pub(crate) fn program(seed: &ProgramSeed) -> Program {
    let mut bits = Bits::new(seed.table);
    let two_keys = bits.flip();
    let guarded = !bits.seldom(4);
    let key: Vec<usize> = if two_keys { vec![0, 1] } else { vec![0] };
    let columns: Vec<Column> = COLUMNS
        .iter()
        .enumerate()
        .map(|(index, (name, column_type))| {
            let is_key = key.contains(&index);
            let default = bits.pick(&defaults(index));
            Column {
                name: (*name).into(),
                column_type: *column_type,
                nullable: !is_key && !bits.seldom(14),
                default: default.filter(|_| !is_key),
            }
        })
        .collect();
    let mutations = seed
        .mutations
        .iter()
        .enumerate()
        .map(|(index, (operation, choices))| Mutation {
            event_type: format!("E{index}").into(),
            operation: operation_of(*operation, &key, &mut Bits::new(*choices)),
        })
        .collect();
    Program {
        projections: vec![Projection {
            name: "rows".into(),
            table: "rows".into(),
            columns: columns.into(),
            key: key.into(),
            sequence: if guarded {
                Sequence::Guarded
            } else {
                Sequence::None
            },
            mutations,
        }],
    }
}

fn defaults(column: usize) -> Vec<Option<OwnedCell>> {
    match column {
        2 => vec![
            None,
            Some(OwnedCell::Int(0)),
            Some(OwnedCell::Int(2_147_483_640)),
        ],
        3 => vec![None, Some(OwnedCell::Int(10))],
        4 => vec![
            None,
            Some(OwnedCell::Numeric("1.0".into())),
            Some(OwnedCell::Numeric("990.0".into())),
        ],
        5 => vec![None, Some(OwnedCell::Numeric("0.5".into()))],
        6 => vec![None, Some(OwnedCell::Double(0.5))],
        7 => vec![None, Some(OwnedCell::Text("dft".into()))],
        _ => vec![None],
    }
}

fn operation_of(operation: u8, key: &[usize], bits: &mut Bits) -> Operation {
    match operation % 5 {
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
        _ => increment(key, bits),
    }
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
    Operation::Increment { key, by, set }
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
