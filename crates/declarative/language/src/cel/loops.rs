//! The loops of an expression: `map`, `filter`, `all`, `exists`, `exists_one`.
//!
//! The parser writes them out as a loop over a list with a result that each element changes. What
//! is checked here are the parts that the writer of the expression wrote.

use cel::common::ast::{ComprehensionExpr, EntryExpr, Expr, IdedExpr, LiteralValue};

use super::budget;
use super::check::{Checker, LOOP_DEPTH, Position, call};
use super::functions::RANGE;
use crate::expression::ExpressionFault;

/// The name of the result that a loop changes.
const RESULT: &str = "@result";

/// Whether the part is the result of the loop around it.
fn is_result(part: Option<&IdedExpr>) -> bool {
    matches!(part.map(|part| &part.expr), Some(Expr::Ident(name)) if name == RESULT)
}

impl Checker<'_> {
    /// Checks a loop, and charges it for what it does with each element.
    pub(super) fn comprehension(
        &mut self,
        comprehension: &mut ComprehensionExpr,
    ) -> Result<(), ExpressionFault> {
        let offset = self.syntax.offset(&comprehension.loop_step);
        let name = comprehension.iter_var.as_str();
        if matches!(name, "event" | "item") {
            let message = format!("`{name}` has a meaning already and cannot name the element");
            return Err(ExpressionFault::new(offset, message)
                .help("give the element another name, such as in `.exists(line, line.qty > 0)`"));
        }
        self.depth += LOOP_DEPTH;
        self.walk(&mut comprehension.iter_range, Position::Inner)?;
        let parts = count(&comprehension.loop_step) as u64;
        self.loops += 1;
        self.elements.push((name.to_owned(), self.loops));
        self.step(&mut comprehension.loop_step)?;
        self.elements.pop();
        self.loops -= 1;
        self.depth -= LOOP_DEPTH;
        let cost = i64::try_from(parts * budget::NODE).unwrap_or(i64::MAX);
        let cost = IdedExpr {
            id: 0,
            expr: Expr::Literal(LiteralValue::Int(cost.into())),
        };
        let range = std::mem::take(&mut comprehension.iter_range);
        comprehension.iter_range = call(range.id, RANGE, vec![range, cost]);
        Ok(())
    }

    /// What a loop does with an element. The list that a `map` or `filter` appends must stay as the
    /// parser wrote it, because the interpreter knows that form and appends in place.
    fn step(&mut self, step: &mut IdedExpr) -> Result<(), ExpressionFault> {
        let Expr::Call(call) = &mut step.expr else {
            return self.walk(step, Position::Inner);
        };
        if !call.args.iter().any(contains_result) {
            return self.walk(step, Position::Inner);
        }
        for argument in &mut call.args {
            match &mut argument.expr {
                Expr::Ident(name) if name == RESULT => {}
                Expr::List(list) => {
                    for element in &mut list.elements {
                        self.walk(element, Position::Inner)?;
                    }
                }
                _ => self.step(argument)?,
            }
        }
        Ok(())
    }
}

/// Whether the part is the result, or appends to it.
fn contains_result(part: &IdedExpr) -> bool {
    let appends = match &part.expr {
        Expr::Call(call) => is_result(call.args.first()),
        _ => false,
    };
    appends || is_result(Some(part))
}

/// How many parts a part has.
fn count(part: &IdedExpr) -> usize {
    let below: usize = match &part.expr {
        Expr::Call(call) => {
            let target = call.target.as_deref().map_or(0, count);
            target + call.args.iter().map(count).sum::<usize>()
        }
        Expr::Select(select) => count(&select.operand),
        Expr::List(list) => list.elements.iter().map(count).sum(),
        Expr::Map(map) => {
            let entries = map.entries.iter().map(|entry| match &entry.expr {
                EntryExpr::MapEntry(entry) => count(&entry.key) + count(&entry.value),
                EntryExpr::StructField(field) => count(&field.value),
            });
            entries.sum()
        }
        Expr::Comprehension(inner) => count(&inner.iter_range) + count(&inner.loop_step),
        _ => 0,
    };
    below + 1
}
