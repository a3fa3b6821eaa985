//! The condition of a mutation.

use super::fit;
use crate::expression;
use crate::model::{Expression, Literal, Metadata, Path};
use crate::report::Report;
use crate::tree::{Entry, Mapping};

/// Reads `when`. `None` when it is wrong; that is reported. `Some(None)` when there is none.
pub(super) fn read(
    report: &mut Report<'_>,
    event: &Entry,
    body: &Mapping,
) -> Option<Option<Expression>> {
    let Some(entry) = body.get("when") else {
        return Some(None);
    };
    let place = entry.value.place;
    let expression = expression::read(report, &entry.value)?;
    let (message, help) = match &expression {
        Expression::Literal(Literal::Bool(true)) => (
            "`when` is always true here".to_owned(),
            "leave it out".to_owned(),
        ),
        Expression::Literal(Literal::Bool(false)) => (
            "`when` is never true here".to_owned(),
            format!(
                "write `{}: {{ op: ignore }}`, or take the event type out",
                event.key
            ),
        ),
        Expression::Literal(_) => (
            "`when` wants a condition, and this is neither true nor false".to_owned(),
            EXAMPLE.to_owned(),
        ),
        Expression::Path(Path::Metadata(metadata)) => (
            format!(
                "`when` wants a condition, and `{}` of the envelope is {}",
                expression::metadata_name(*metadata),
                kind(*metadata)
            ),
            EXAMPLE.to_owned(),
        ),
        _ if fit::reads_item(&expression) => (
            "`when` is asked once an event and has no `item`".to_owned(),
            "write a condition on `event`".to_owned(),
        ),
        Expression::Path(_) | Expression::Cel(_) => return Some(Some(expression)),
    };
    report.fault_with_help(place, message, help);
    None
}

const EXAMPLE: &str = "write a comparison such as `\"event.qty > 0\"`, or the path of a truth value such as \
                       `event.paid`";

fn kind(metadata: Metadata) -> &'static str {
    match metadata {
        Metadata::SequenceNumber | Metadata::Ts => "a number",
        _ => "a text",
    }
}
