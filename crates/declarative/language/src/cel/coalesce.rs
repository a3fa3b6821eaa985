//! `coalesce(a, b, …)`: the first that is not null.
//!
//! Only what is needed is evaluated, as in SQL, and an argument that is a place may be missing, as
//! a plain path may. So it is no function but is written out as conditions.

use cel::common::ast::{
    ComprehensionExpr, Expr, IdedExpr, ListExpr, LiteralValue, SelectExpr, operators,
};

use super::chain::Chain;
use super::check::{Checker, Position, call};
use super::variable::Use;
use crate::expression::ExpressionFault;

impl Checker<'_> {
    /// Writes out a call of `coalesce`.
    pub(super) fn coalesce(
        &mut self,
        part: &mut IdedExpr,
        position: Position,
    ) -> Result<(), ExpressionFault> {
        let id = part.id;
        let Expr::Call(arguments) = &mut part.expr else {
            return Ok(());
        };
        let arguments = std::mem::take(&mut arguments.args);
        let mut written: Option<IdedExpr> = None;
        for argument in arguments.into_iter().rev() {
            written = Some(self.or_else(id, argument, written, position)?);
        }
        *part = written.unwrap_or_default();
        Ok(())
    }

    /// The argument, or what follows when it is null.
    fn or_else(
        &mut self,
        id: u64,
        mut argument: IdedExpr,
        rest: Option<IdedExpr>,
        position: Position,
    ) -> Result<IdedExpr, ExpressionFault> {
        if let Some(chain) = Chain::of(&argument, self.syntax)? {
            let usage = match position {
                Position::Result => Use::PassedOrNull,
                Position::Inner => Use::ValueOrNull,
            };
            let expr = self.variable(&chain, usage)?;
            let value = IdedExpr { id, expr };
            let Some(rest) = rest else {
                return Ok(value);
            };
            let expr = self.variable(&chain, Use::IsNull)?;
            let is_null = IdedExpr { id, expr };
            return Ok(call(id, operators::CONDITIONAL, vec![is_null, rest, value]));
        }
        let part = self.part_of_element(&argument);
        self.walk(&mut argument, position)?;
        let value = match part {
            Some(asked) => {
                let null = literal(id, LiteralValue::Null);
                call(id, operators::CONDITIONAL, vec![asked, argument, null])
            }
            None => argument,
        };
        Ok(match rest {
            Some(rest) => self.bind(id, value, rest),
            None => value,
        })
    }

    /// Asks whether a part of an element of a loop is there: `has(line.qty)` for `line.qty`.
    fn part_of_element(&self, argument: &IdedExpr) -> Option<IdedExpr> {
        let Expr::Select(select) = &argument.expr else {
            return None;
        };
        let Expr::Ident(name) = &select.operand.expr else {
            return None;
        };
        let known = self.elements.iter().any(|(known, _)| known == name);
        known.then(|| IdedExpr {
            id: argument.id,
            expr: Expr::Select(SelectExpr {
                operand: select.operand.clone(),
                field: select.field.clone(),
                test: true,
            }),
        })
    }

    /// Evaluates the value once, and gives it, or the rest when it is null.
    fn bind(&mut self, id: u64, value: IdedExpr, rest: IdedExpr) -> IdedExpr {
        let name = format!("@b{}", self.bound);
        let result = format!("@r{}", self.bound);
        self.bound += 1;
        let ident = |name: &str| IdedExpr {
            id,
            expr: Expr::Ident(name.to_owned()),
        };
        let null = literal(id, LiteralValue::Null);
        let is_null = call(id, operators::EQUALS, vec![ident(&name), null.clone()]);
        let choice = vec![is_null, rest, ident(&name)];
        let range = Expr::List(ListExpr::new(vec![value]));
        let comprehension = ComprehensionExpr {
            iter_range: IdedExpr { id, expr: range },
            iter_var: name,
            iter_var2: None,
            accu_init: null,
            loop_cond: literal(id, LiteralValue::Boolean(true.into())),
            loop_step: call(id, operators::CONDITIONAL, choice),
            result: ident(&result),
            accu_var: result,
        };
        let expr = Expr::Comprehension(Box::new(comprehension));
        IdedExpr { id, expr }
    }
}

fn literal(id: u64, value: LiteralValue) -> IdedExpr {
    let expr = Expr::Literal(value);
    IdedExpr { id, expr }
}
