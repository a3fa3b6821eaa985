//! Whether an event is applied: its `when`.

use projectionist_core::Defect;
use projectionist_language::coerce::JsonValue;
use projectionist_language::model::Expression;

use super::reader::Found;
use super::{CompiledCel, Reader, Source};
use crate::fault::Fault;

/// Whether an event is applied.
#[derive(Debug)]
pub(crate) struct Condition {
    /// The expression, as messages name it.
    text: Box<str>,
    test: Test,
}

/// How it is decided.
#[derive(Debug)]
pub(crate) enum Test {
    /// The same for every event; `None` for what is no truth value.
    Always(Option<bool>),
    /// By a truth value of the event.
    Value(Source),
    /// By what is computed of the event.
    Computed(CompiledCel),
}

impl Condition {
    pub(crate) fn new(expression: &Expression, test: Test) -> Self {
        Self {
            text: expression.to_string().into(),
            test,
        }
    }

    /// Whether the event of the reader is applied. `text` is a buffer.
    pub(crate) fn holds(&self, reader: Reader<'_>, text: &mut String) -> Result<bool, Fault> {
        match &self.test {
            Test::Always(Some(truth)) => Ok(*truth),
            Test::Always(None) => Err(self.refuse("null", "").into()),
            Test::Value(source) => match reader.find(*source) {
                Found::Raw("true") => Ok(true),
                Found::Raw("false") => Ok(false),
                found @ (Found::Missing | Found::Raw("null")) => {
                    Err(self.refuse("null", found.shown()).into())
                }
                found => Err(self.refuse("no truth value", found.shown()).into()),
            },
            Test::Computed(cel) => {
                match cel
                    .evaluate(reader, text)
                    .map_err(|defect| defect.at("when"))?
                {
                    JsonValue::Bool(truth) => Ok(truth),
                    JsonValue::Null => Err(self.refuse("null", "").into()),
                    JsonValue::Number(value) | JsonValue::Text(value) | JsonValue::Json(value) => {
                        Err(self.refuse("no truth value", value).into())
                    }
                }
            }
        }
    }

    fn refuse(&self, what: &str, shown: &str) -> Defect {
        let text = &self.text;
        let error = format!(
            "the condition `{text}` is {what}, which neither applies the event nor leaves it out; \
             write one that is true or false for every event"
        );
        Fault::data(error).at("when").with_value(shown)
    }
}
