//! The types of columns, and what follows from a type alone.

use std::fmt;
use std::ops::RangeInclusive;

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ColumnType {
    /// Text without U+0000.
    Text,
    /// Text without U+0000 of at most `limit` characters, counted as Unicode scalar values.
    Varchar {
        /// The most characters, at least 1.
        limit: u32,
    },
    /// A 64-bit integer.
    BigInt,
    /// A 32-bit integer.
    Int,
    /// A 16-bit integer.
    SmallInt,
    /// A truth value.
    Boolean,
    /// A finite 64-bit float.
    Double,
    /// A finite 32-bit float.
    Real,
    /// An exact decimal number. Canonical spelling: no exponent, no plus sign, no leading zero
    /// but the one before the point, no negative zero. With a scale, exactly that many digits
    /// after the point; without, no trailing zero after the point.
    Numeric {
        /// Precision and scale, as in `NUMERIC(12,2)`; `None` allows any number.
        limits: Option<(u16, u16)>,
    },
    /// A moment, in whole milliseconds.
    TimestampTz,
    /// A day of the Gregorian calendar, without a time or a zone.
    Date,
    /// A UUID.
    Uuid,
    /// Any bytes.
    Bytea,
    /// Any JSON value.
    Jsonb,
    /// A list of values of one type, each of which may be null.
    Array(ElementType),
}

/// The type of the elements of an array: every type but JSONB and arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementType {
    /// See [`ColumnType::Text`].
    Text,
    /// See [`ColumnType::Varchar`].
    Varchar {
        /// The most characters, at least 1.
        limit: u32,
    },
    /// See [`ColumnType::BigInt`].
    BigInt,
    /// See [`ColumnType::Int`].
    Int,
    /// See [`ColumnType::SmallInt`].
    SmallInt,
    /// See [`ColumnType::Boolean`].
    Boolean,
    /// See [`ColumnType::Double`].
    Double,
    /// See [`ColumnType::Real`].
    Real,
    /// See [`ColumnType::Numeric`].
    Numeric {
        /// Precision and scale.
        limits: Option<(u16, u16)>,
    },
    /// See [`ColumnType::TimestampTz`].
    TimestampTz,
    /// See [`ColumnType::Date`].
    Date,
    /// See [`ColumnType::Uuid`].
    Uuid,
    /// See [`ColumnType::Bytea`].
    Bytea,
}

impl ColumnType {
    /// The type of a list of values of this type. `None` for JSONB, which holds lists itself, and
    /// for arrays, which are not nested.
    #[must_use]
    pub fn array(self) -> Option<Self> {
        Some(Self::Array(match self {
            Self::Text => ElementType::Text,
            Self::Varchar { limit } => ElementType::Varchar { limit },
            Self::BigInt => ElementType::BigInt,
            Self::Int => ElementType::Int,
            Self::SmallInt => ElementType::SmallInt,
            Self::Boolean => ElementType::Boolean,
            Self::Double => ElementType::Double,
            Self::Real => ElementType::Real,
            Self::Numeric { limits } => ElementType::Numeric { limits },
            Self::TimestampTz => ElementType::TimestampTz,
            Self::Date => ElementType::Date,
            Self::Uuid => ElementType::Uuid,
            Self::Bytea => ElementType::Bytea,
            Self::Jsonb | Self::Array(_) => return None,
        }))
    }

    /// The integers that the type holds. `None` for a type that is no integer.
    ///
    /// ```
    /// use projectionist_core::row::ColumnType;
    ///
    /// assert_eq!(ColumnType::SmallInt.integers(), Some(-32_768..=32_767));
    /// assert_eq!(ColumnType::Double.integers(), None);
    /// ```
    #[must_use]
    pub fn integers(self) -> Option<RangeInclusive<i64>> {
        match self {
            Self::BigInt => Some(i64::MIN..=i64::MAX),
            Self::Int => Some(i32::MIN.into()..=i32::MAX.into()),
            Self::SmallInt => Some(i16::MIN.into()..=i16::MAX.into()),
            _ => None,
        }
    }

    /// Whether values of the type can be added: whether an increment may name such a column.
    #[must_use]
    pub fn is_number(self) -> bool {
        self.integers().is_some()
            || matches!(self, Self::Double | Self::Real | Self::Numeric { .. })
    }

    /// Whether two equal values of the type always have one spelling, so that it can be part of a
    /// key. JSONB has many spellings of one value; of arrays no store makes a good key.
    #[must_use]
    pub fn can_be_key(self) -> bool {
        !matches!(self, Self::Jsonb | Self::Array(_))
    }
}

impl From<ElementType> for ColumnType {
    fn from(element: ElementType) -> Self {
        match element {
            ElementType::Text => Self::Text,
            ElementType::Varchar { limit } => Self::Varchar { limit },
            ElementType::BigInt => Self::BigInt,
            ElementType::Int => Self::Int,
            ElementType::SmallInt => Self::SmallInt,
            ElementType::Boolean => Self::Boolean,
            ElementType::Double => Self::Double,
            ElementType::Real => Self::Real,
            ElementType::Numeric { limits } => Self::Numeric { limits },
            ElementType::TimestampTz => Self::TimestampTz,
            ElementType::Date => Self::Date,
            ElementType::Uuid => Self::Uuid,
            ElementType::Bytea => Self::Bytea,
        }
    }
}

/// The name of the type in SQL, such as `NUMERIC(12,2)` or `TEXT[]`.
impl fmt::Display for ColumnType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Varchar { limit } => return write!(f, "VARCHAR({limit})"),
            Self::Numeric {
                limits: Some((precision, scale)),
            } => return write!(f, "NUMERIC({precision},{scale})"),
            Self::Array(element) => return write!(f, "{}[]", Self::from(*element)),
            Self::Text => "TEXT",
            Self::BigInt => "BIGINT",
            Self::Int => "INT",
            Self::SmallInt => "SMALLINT",
            Self::Boolean => "BOOLEAN",
            Self::Double => "DOUBLE",
            Self::Real => "REAL",
            Self::Numeric { limits: None } => "NUMERIC",
            Self::TimestampTz => "TIMESTAMPTZ",
            Self::Date => "DATE",
            Self::Uuid => "UUID",
            Self::Bytea => "BYTEA",
            Self::Jsonb => "JSONB",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scalar_but_jsonb_has_arrays_and_no_array_has() {
        for (element, name) in [
            (ColumnType::Text, "TEXT[]"),
            (ColumnType::Varchar { limit: 7 }, "VARCHAR(7)[]"),
            (ColumnType::BigInt, "BIGINT[]"),
            (ColumnType::Int, "INT[]"),
            (ColumnType::SmallInt, "SMALLINT[]"),
            (ColumnType::Boolean, "BOOLEAN[]"),
            (ColumnType::Double, "DOUBLE[]"),
            (ColumnType::Real, "REAL[]"),
            (ColumnType::Numeric { limits: None }, "NUMERIC[]"),
            (
                ColumnType::Numeric {
                    limits: Some((12, 2)),
                },
                "NUMERIC(12,2)[]",
            ),
            (ColumnType::TimestampTz, "TIMESTAMPTZ[]"),
            (ColumnType::Date, "DATE[]"),
            (ColumnType::Uuid, "UUID[]"),
            (ColumnType::Bytea, "BYTEA[]"),
        ] {
            let array = element.array().unwrap();
            assert_eq!(array.to_string(), name);
            assert!(matches!(array, ColumnType::Array(of) if ColumnType::from(of) == element));
            assert_eq!(array.array(), None);
            assert!(element.can_be_key() && !array.can_be_key() && !array.is_number());
        }
        assert_eq!(ColumnType::Jsonb.array(), None);
        assert!(!ColumnType::Jsonb.can_be_key());
    }
}
