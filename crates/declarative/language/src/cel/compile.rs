//! From the text of an expression to a program.

use super::chain::Chain;
use super::check::{Checker, Position};
use super::functions;
use super::program::Program;
use super::syntax;
use crate::expression::ExpressionFault;
use crate::model::Path;

/// What the text of an expression is.
pub(crate) enum Compiled {
    /// A plain path after all, such as one in brackets.
    Path(Path),
    /// Something to compute.
    Program(Program),
}

/// Compiles the text.
pub(crate) fn compile(text: &str) -> Result<Compiled, ExpressionFault> {
    let (mut expression, syntax) = syntax::parse(text)?;
    if let Some(chain) = Chain::of(&expression, &syntax)? {
        return chain.path().map(Compiled::Path);
    }
    let environment = functions::environment()
        .map_err(|error| ExpressionFault::new(0, format!("this build has no CEL: {error}")))?;
    let mut checker = Checker::new(&syntax);
    checker.walk(&mut expression, Position::Result)?;
    Ok(Compiled::Program(Program {
        expression,
        variables: checker.variables,
        patterns: checker.patterns,
        environment,
    }))
}
