//! Random programs over one table with columns of most types.

use std::fmt;

use projectionist_core::row::{Column, ColumnType, OwnedCell};
use projectionist_language::model::{
    ColumnRules, Envelope, Mutation, OnGap, Program, Projection, Retries, Sequence, Start,
};

use super::bits::Bits;
use super::operations::{operation, when};

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

/// How many event types a program names; records have one more.
pub(crate) const EVENT_TYPES: usize = 7;

/// What a program is made of.
#[derive(Clone)]
pub(crate) struct ProgramSeed {
    pub(crate) sequence: Sequence,
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
        .map(|(index, (kind, choices))| {
            let mut bits = Bits::new(*choices);
            Mutation {
                event_type: format!("E{index}").into(),
                operation: operation(*kind, &key, &mut bits),
                when: when(&mut bits),
            }
        })
        .collect();
    one_projection("rows", columns, key, seed.sequence, mutations)
}

/// A program of one projection that asks for nothing unusual.
pub(crate) fn one_projection(
    name: &str,
    columns: Vec<Column>,
    key: Vec<usize>,
    sequence: Sequence,
    mutations: Vec<Mutation>,
) -> Program {
    Program {
        envelope: Envelope::Causet,
        projections: vec![Projection {
            name: name.into(),
            table: name.into(),
            rules: vec![ColumnRules::default(); columns.len()].into(),
            columns: columns.into(),
            key: key.into(),
            indexes: Vec::new(),
            start: Start::Earliest,
            on_gap: OnGap::Ignore,
            retries: Retries::default(),
            sequence,
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
