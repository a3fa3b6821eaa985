//! Why an expression gives no value for an event, said to whoever wrote it.

use cel::common::ast::operators;
use cel::{ExecutionError, Value};

use super::budget;
use super::decode::DecodeFault;
use super::encode::EncodeFault;
use super::resolver::{Resolver, VariableFault};
use super::variable::Variables;

/// Why an expression gives no value. It names places and types, never the values of an event
/// beyond a number or a key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct CelError {
    message: Box<str>,
}

impl CelError {
    pub(super) fn new(message: impl Into<Box<str>>) -> Self {
        Self {
            message: message.into(),
        }
    }

    pub(super) fn of_result(fault: &EncodeFault) -> Self {
        Self::new(match fault {
            EncodeFault::NotFinite(number) => {
                format!("the result is {number}, which no column holds")
            }
            EncodeFault::Type(name) if name == "google.protobuf.Duration" => {
                "the result is a duration, which no column holds; write `.getSeconds()` behind it"
                    .to_owned()
            }
            EncodeFault::Type(name) => {
                format!("the result is a {}, which no column holds", short(name))
            }
        })
    }

    pub(super) fn of_execution(
        error: &ExecutionError,
        resolver: &Resolver<'_>,
        variables: &Variables,
    ) -> Self {
        if budget::is_spent() {
            return Self::new(format!(
                "the expression needs more than {} steps for this event; its lists are too long \
                 for what is done with each element",
                budget::STEPS
            ));
        }
        if let ExecutionError::UndeclaredReference(name) = error
            && let Some(fault) = resolver.fault(name)
        {
            return Self::new(of_variable(&fault, variables));
        }
        Self::new(of_computation(error))
    }
}

fn of_variable(fault: &VariableFault, variables: &Variables) -> String {
    let place = |place: &usize| variables.text_of(*place);
    match fault {
        VariableFault::Missing(at) => {
            let place = place(at);
            format!(
                "`{place}` is missing in this event; ask for it with `has({place})`, or write \
                 `coalesce({place}, …)`"
            )
        }
        VariableFault::NoParent(at) => {
            let place = place(at);
            format!("`{place}` is missing in this event; ask for it first: `has({place}) && …`")
        }
        VariableFault::NoObject(at) => {
            format!(
                "`{}` is no object in this event, so `has()` cannot ask for its keys",
                place(at)
            )
        }
        VariableFault::Value(at, fault) => {
            let place = place(at);
            match fault {
                DecodeFault::Integer(number) => format!(
                    "`{place}` holds {number}, which is beyond the integers of 64 bits that CEL \
                     computes with"
                ),
                DecodeFault::Double(number) => {
                    format!("`{place}` holds {number}, which is beyond the doubles of CEL")
                }
                DecodeFault::Surrogate => {
                    format!("`{place}` holds half a surrogate pair, which is no character")
                }
                DecodeFault::Malformed => format!("`{place}` is no JSON value"),
            }
        }
    }
}

fn of_computation(error: &ExecutionError) -> String {
    match error {
        ExecutionError::NoSuchKey(key) => {
            format!("there is no key {key:?}; ask for it with `has()` or `in`")
        }
        ExecutionError::IndexOutOfBounds(Value::Int(index)) => {
            format!("the list has no element {index}; ask for its `size()` first")
        }
        ExecutionError::IndexOutOfBounds(_) => "the list has no such element".to_owned(),
        ExecutionError::DivisionByZero(_) => "division by zero".to_owned(),
        ExecutionError::RemainderByZero(_) => "remainder of a division by zero".to_owned(),
        ExecutionError::Overflow(operator, ..) => {
            format!("the result of `{}` is out of range", sign(operator))
        }
        ExecutionError::NoSuchOverload(error) => {
            let types = error.argument_types();
            let types: Vec<&str> = types.iter().map(|name| short(name)).collect();
            not_defined(error.function(), &types)
        }
        ExecutionError::UnsupportedBinaryOperator(operator, left, right) => {
            not_defined(operator, &[type_of(left), type_of(right)])
        }
        ExecutionError::ValuesNotComparable(left, right) => {
            let (left, right) = (type_of(left), type_of(right));
            format!("{left} and {right} cannot be compared")
        }
        ExecutionError::UnexpectedType { got, want } => {
            let want = match want.as_str() {
                "iterable" => "a list or a map",
                want => short(want),
            };
            format!("{want} is wanted, not {}", short(got))
        }
        ExecutionError::UnsupportedKeyType(_) => {
            "a key must be a string, an integer or a bool".to_owned()
        }
        ExecutionError::DuplicateKey(_) => "a map has the same key twice".to_owned(),
        ExecutionError::FunctionError { function, message } => {
            let message = message.lines().next().unwrap_or_default();
            format!("`{function}`: {message}")
        }
        other => other.to_string(),
    }
}

/// What is said of a function or operator and the types it was given.
fn not_defined(function: &str, types: &[&str]) -> String {
    let sign = sign(function);
    if sign == "." || sign == "[]" {
        let of = types.first().copied().unwrap_or_default();
        return format!("a {of} has no parts; ask with `has()` whether it is there");
    }
    let both = types.join(" and ");
    let number = |name: &&str| matches!(*name, "int" | "uint" | "double");
    if types.len() == 2 && types.iter().all(number) {
        return format!(
            "`{sign}` is not defined for {both}; convert one of them, such as `double(…)`"
        );
    }
    if types.contains(&"null_type") {
        return format!(
            "`{sign}` is not defined for {both}; give another value for null with `coalesce()`"
        );
    }
    format!("`{sign}` is not defined for {both}")
}

/// An operator as it is written.
fn sign(operator: &str) -> &str {
    match operator {
        "add" => "+",
        "sub" => "-",
        "mul" => "*",
        "div" => "/",
        "rem" => "%",
        "_._" => ".",
        operators::INDEX => "[]",
        operators::IN => "in",
        operators::CONDITIONAL => "? :",
        other => other.trim_matches('_'),
    }
}

/// A type by the name that expressions use.
fn short(name: &str) -> &str {
    match name {
        "google.protobuf.Timestamp" => "timestamp",
        "google.protobuf.Duration" => "duration",
        other => other,
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::List(_) => "list",
        Value::Map(_) => "map",
        Value::Int(_) => "int",
        Value::UInt(_) => "uint",
        Value::Float(_) => "double",
        Value::String(_) => "string",
        Value::Bytes(_) => "bytes",
        Value::Bool(_) => "bool",
        Value::Null => "null_type",
        Value::Timestamp(_) => "timestamp",
        Value::Duration(_) => "duration",
        _ => "value",
    }
}
