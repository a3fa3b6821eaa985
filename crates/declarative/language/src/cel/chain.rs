//! Places of the event as they stand in the tree of an expression.

use cel::common::ast::{Expr, IdedExpr, LiteralValue, operators};

use super::syntax::Syntax;
use crate::expression::{ExpressionFault, MAX_STEPS, event_path};
use crate::model::{Path, Step};

/// A name with steps that are known before any event: `event.a['b'][0]`.
#[derive(Debug)]
pub(super) struct Chain {
    is_event: bool,
    start: usize,
    /// Each with its place in the text.
    steps: Vec<(usize, Step)>,
}

impl Chain {
    /// The chain that the part is; `None` when it is something else.
    pub(super) fn of(
        part: &IdedExpr,
        syntax: &Syntax<'_>,
    ) -> Result<Option<Self>, ExpressionFault> {
        let mut steps = Vec::new();
        let mut negative = None;
        let mut part = part;
        loop {
            match &part.expr {
                Expr::Ident(name) if name == "event" || name == "item" => {
                    if let Some(offset) = negative {
                        return Err(ExpressionFault::from_end(offset));
                    }
                    steps.reverse();
                    return Ok(Some(Self {
                        is_event: name == "event",
                        start: syntax.offset(part),
                        steps,
                    }));
                }
                Expr::Select(select) if !select.test => {
                    let key = Step::Key(select.field.as_str().into());
                    steps.push((syntax.offset(part) + 1, key));
                    part = &select.operand;
                }
                Expr::Call(call) if call.func_name == operators::INDEX => {
                    let [operand, index] = call.args.as_slice() else {
                        return Ok(None);
                    };
                    let offset = syntax.offset(part) + 1;
                    match step(index) {
                        Some(Ok(step)) => steps.push((offset, step)),
                        Some(Err(())) => negative = Some(offset),
                        None => return Ok(None),
                    }
                    part = operand;
                }
                _ => return Ok(None),
            }
        }
    }

    /// The chain with another key below.
    pub(super) fn with_key(mut self, offset: usize, key: &str) -> Self {
        self.steps.push((offset, Step::Key(key.into())));
        self
    }

    /// The place that it means, by the rules of plain paths.
    pub(super) fn path(&self) -> Result<Path, ExpressionFault> {
        if let Some((offset, _)) = self.steps.get(MAX_STEPS) {
            let message = format!("a path has at most {MAX_STEPS} steps");
            return Err(ExpressionFault::new(offset.saturating_sub(1), message));
        }
        if self.is_event {
            return event_path(self.start, &self.steps);
        }
        let steps = self.steps.iter().map(|(_, step)| step.clone());
        Ok(Path::Item(steps.collect()))
    }
}

/// The step of a constant index; an error for one that counts from the end, `None` for one that is
/// known only when the expression runs.
fn step(index: &IdedExpr) -> Option<Result<Step, ()>> {
    match &index.expr {
        Expr::Literal(LiteralValue::String(key)) => Some(Ok(Step::Key(key.inner().into()))),
        Expr::Literal(LiteralValue::Int(index)) => {
            let index = u32::try_from(*index.inner()).ok();
            let index = index.and_then(|index| usize::try_from(index).ok());
            Some(index.map(Step::Index).ok_or(()))
        }
        Expr::Call(call) if call.func_name == operators::NEGATE => match call.args.as_slice() {
            [of] if matches!(of.expr, Expr::Literal(LiteralValue::Int(_))) => Some(Err(())),
            _ => None,
        },
        _ => None,
    }
}
