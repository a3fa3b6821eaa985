//! Checks the tree of an expression, and makes it ready to be evaluated: places of the event become
//! variables, constant patterns are compiled, and loops are bounded.

use cel::common::ast::{CallExpr, EntryExpr, Expr, IdedExpr, LiteralValue, operators};

use super::chain::Chain;
use super::functions::{Pattern, SIZED};
use super::syntax::Syntax;
use super::variable::{Use, Variables, pattern_name};
use super::{signature, wrong_call};
use crate::expression::ExpressionFault;
use crate::model::{Path, Step};
use crate::suggest::did_you_mean;

/// How deep the tree may be: `a + b + c` is one deeper than `a + b`. The interpreter descends as
/// deep, on the stack of whoever runs the projection.
const MAX_DEPTH: usize = 64;

/// How many levels a loop counts: the interpreter descends so much further for one.
pub(super) const LOOP_DEPTH: usize = 4;

/// Names of types, which can be compared with `type(…)`.
const TYPES: [&str; 10] = [
    "int",
    "uint",
    "double",
    "bool",
    "string",
    "bytes",
    "list",
    "map",
    "null_type",
    "type",
];

/// What becomes of the value of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Position {
    /// It is the result.
    Result,
    /// Something is computed with it.
    Inner,
}

/// Walks down the tree once.
pub(super) struct Checker<'a> {
    pub(super) syntax: &'a Syntax<'a>,
    pub(super) variables: Variables,
    pub(super) patterns: Vec<Pattern>,
    /// The names of elements that loops have defined, each with the number of loops around it.
    pub(super) elements: Vec<(String, usize)>,
    /// How many loops are around the part.
    pub(super) loops: usize,
    /// How many names were made up for values that are bound.
    pub(super) bound: usize,
    pub(super) depth: usize,
}

impl<'a> Checker<'a> {
    pub(super) fn new(syntax: &'a Syntax<'a>) -> Self {
        Self {
            syntax,
            variables: Variables::default(),
            patterns: Vec::new(),
            elements: Vec::new(),
            loops: 0,
            bound: 0,
            depth: 0,
        }
    }

    /// Checks a part with all below it.
    pub(super) fn walk(
        &mut self,
        part: &mut IdedExpr,
        position: Position,
    ) -> Result<(), ExpressionFault> {
        if self.depth >= MAX_DEPTH {
            let offset = self.syntax.offset(part);
            let message = format!("the expression is nested deeper than {MAX_DEPTH} levels");
            return Err(ExpressionFault::new(offset, message)
                .help("let the producer of the event compute a part of it"));
        }
        if let Some(chain) = Chain::of(part, self.syntax)? {
            let usage = match position {
                Position::Result => Use::Passed,
                Position::Inner => Use::Value,
            };
            part.expr = self.variable(&chain, usage)?;
            return Ok(());
        }
        self.depth += 1;
        self.walk_below(part, position)?;
        self.depth -= 1;
        Ok(())
    }

    fn walk_below(
        &mut self,
        part: &mut IdedExpr,
        position: Position,
    ) -> Result<(), ExpressionFault> {
        match &part.expr {
            Expr::Ident(name) => return self.name(part, name.clone()),
            Expr::Select(select) if select.test => return self.has(part),
            Expr::Call(_) => return self.call(part, position),
            Expr::Struct(strukt) => {
                let message = format!("there is no type `{}` to make", strukt.type_name);
                return Err(ExpressionFault::new(self.syntax.offset(part), message)
                    .help("a map is written `{'key': value}`"));
            }
            Expr::Unspecified => {
                let offset = self.syntax.offset(part);
                return Err(ExpressionFault::new(offset, "this is not complete"));
            }
            _ => {}
        }
        match &mut part.expr {
            Expr::Select(select) => self.walk(&mut select.operand, Position::Inner)?,
            Expr::Comprehension(comprehension) => self.comprehension(comprehension)?,
            Expr::List(list) => {
                for element in &mut list.elements {
                    self.walk(element, Position::Inner)?;
                }
                self.size_in_loops(part);
            }
            Expr::Map(map) => {
                for entry in &mut map.entries {
                    if let EntryExpr::MapEntry(entry) = &mut entry.expr {
                        self.walk(&mut entry.key, Position::Inner)?;
                        self.walk(&mut entry.value, Position::Inner)?;
                    }
                }
                self.size_in_loops(part);
            }
            _ => {}
        }
        Ok(())
    }

    /// The variable that stands for a place.
    pub(super) fn variable(&mut self, chain: &Chain, usage: Use) -> Result<Expr, ExpressionFault> {
        let place = self.variables.place(chain.path()?);
        Ok(Expr::Ident(self.variables.name(place, usage)))
    }

    /// A name that begins no path: that of an element, or of a type.
    fn name(&mut self, part: &mut IdedExpr, name: String) -> Result<(), ExpressionFault> {
        let element = self.elements.iter().rev().find(|(known, _)| *known == name);
        if let Some((_, loops)) = element {
            if *loops < self.loops {
                // An inner loop looks at it again for each of its own elements.
                wrap(part, SIZED);
            }
            return Ok(());
        }
        if name.starts_with('@') || TYPES.contains(&name.as_str()) {
            return Ok(());
        }
        let offset = self.syntax.offset(part);
        let elements = self.elements.iter().map(|(name, _)| name.as_str());
        let slip = did_you_mean(&name, elements.chain(["event", "item"]));
        let fault = ExpressionFault::new(offset, format!("there is no `{name}` here{slip}"));
        if !slip.is_empty() {
            return Err(fault);
        }
        let before = self.syntax.before(part);
        let hyphen = before.strip_suffix('-').filter(|before| {
            let last = before.chars().next_back();
            last.is_some_and(|c| c.is_alphanumeric() || c == '_')
        });
        Err(if hyphen.is_some() {
            fault.help("a key with a hyphen is written in brackets: `event['a-key']`")
        } else {
            let fault = fault.of_root(&name);
            fault.help(format!(
                "write `event.{name}` for a value of the event, or `'{name}'` for the text"
            ))
        })
    }

    /// `has(event.a.b)`; what it asks for need not be there.
    fn has(&mut self, part: &mut IdedExpr) -> Result<(), ExpressionFault> {
        let offset = self.syntax.offset(part);
        let Expr::Select(select) = &mut part.expr else {
            return Ok(());
        };
        let Some(operand) = Chain::of(&select.operand, self.syntax)? else {
            return self.walk(&mut select.operand, Position::Inner);
        };
        let path = operand.with_key(offset, &select.field).path()?;
        let parent = parent(&path).map(|parent| self.variables.place(parent));
        let place = self.variables.place(path);
        part.expr = Expr::Ident(self.variables.name(place, Use::Has { parent }));
        Ok(())
    }

    fn call(&mut self, part: &mut IdedExpr, position: Position) -> Result<(), ExpressionFault> {
        let Expr::Call(call) = &part.expr else {
            return Ok(());
        };
        let is_operator = !call
            .func_name
            .starts_with(|c: char| c.is_ascii_alphabetic());
        if is_operator {
            return self.operator(part, position);
        }
        self.check_call(part, call)?;
        match call.func_name.as_str() {
            "coalesce" => return self.coalesce(part, position),
            "matches" => self.pattern(part)?,
            "json" => self.json(part)?,
            _ => {}
        }
        if let Expr::Call(call) = &mut part.expr {
            for argument in call.target.as_deref_mut().into_iter().chain(&mut call.args) {
                self.walk(argument, Position::Inner)?;
            }
        }
        Ok(())
    }

    fn operator(&mut self, part: &mut IdedExpr, position: Position) -> Result<(), ExpressionFault> {
        let Expr::Call(call) = &mut part.expr else {
            return Ok(());
        };
        let is_choice = call.func_name == operators::CONDITIONAL;
        for (index, argument) in call.args.iter_mut().enumerate() {
            let passes = is_choice && index > 0;
            self.walk(argument, if passes { position } else { Position::Inner })?;
        }
        if self.loops == 0 {
            return Ok(());
        }
        // What a loop builds is charged, and what it searches through.
        if call.func_name == operators::ADD {
            wrap(part, SIZED);
        } else if call.func_name == operators::IN
            && let Some(searched) = call.args.get_mut(1)
        {
            wrap(searched, SIZED);
        }
        Ok(())
    }

    fn check_call(&self, part: &IdedExpr, call: &CallExpr) -> Result<(), ExpressionFault> {
        let name = call.func_name.as_str();
        let is_member = call.target.is_some();
        let arguments = call.args.len();
        let (message, help) = match signature::find(name) {
            None => wrong_call::unknown(name),
            Some(signature) => {
                let wanted = if is_member {
                    &signature.member
                } else {
                    &signature.global
                };
                if wanted
                    .as_ref()
                    .is_some_and(|count| count.contains(&arguments))
                {
                    return Ok(());
                }
                wrong_call::misused(signature, is_member, arguments)
            }
        };
        let fault = ExpressionFault::new(self.syntax.name_offset(part, name), message);
        Err(match help {
            Some(help) => fault.help(help),
            None => fault,
        })
    }

    /// Compiles the pattern of `matches`, which must be constant: compiling one costs a thousand
    /// times what matching does.
    fn pattern(&mut self, part: &mut IdedExpr) -> Result<(), ExpressionFault> {
        let Expr::Call(call) = &mut part.expr else {
            return Ok(());
        };
        let Some(argument) = call.args.last_mut() else {
            return Ok(());
        };
        let offset = self.syntax.start(argument);
        let Expr::Literal(LiteralValue::String(text)) = &argument.expr else {
            let message = "the pattern of `matches` must be a text that stands here";
            return Err(ExpressionFault::new(offset, message)
                .help("compare texts of the event with `.contains()` or `.startsWith()`"));
        };
        let pattern = Pattern::new(text.inner()).map_err(|error| {
            ExpressionFault::new(
                offset,
                format!("the pattern is no regular expression: {error}"),
            )
        })?;
        argument.expr = Expr::Ident(pattern_name(self.patterns.len()));
        self.patterns.push(pattern);
        Ok(())
    }

    /// `json(event.a)` gives the text as it stands in the event.
    fn json(&mut self, part: &mut IdedExpr) -> Result<(), ExpressionFault> {
        let Expr::Call(call) = &part.expr else {
            return Ok(());
        };
        let argument = call.target.as_deref().or(call.args.first());
        let Some(argument) = argument else {
            return Ok(());
        };
        if let Some(chain) = Chain::of(argument, self.syntax)? {
            part.expr = self.variable(&chain, Use::Text)?;
        }
        Ok(())
    }

    /// Charges what is built in a loop.
    fn size_in_loops(&self, part: &mut IdedExpr) {
        if self.loops > 0 {
            wrap(part, SIZED);
        }
    }
}

/// The object that holds what a path leads to, where it can be missing itself.
fn parent(path: &Path) -> Option<Path> {
    let above = |steps: &[Step]| steps.split_last().map(|(_, above)| above.to_vec());
    match path {
        Path::Metadata(_) => None,
        Path::Payload(steps) => above(steps)
            .filter(|above| !above.is_empty())
            .map(Path::Payload),
        Path::Item(steps) => above(steps).map(Path::Item),
    }
}

/// Makes the part the argument of a call.
pub(super) fn wrap(part: &mut IdedExpr, function: &str) {
    let id = part.id;
    let inner = std::mem::take(part);
    *part = call(id, function, vec![inner]);
}

/// A call of a function or operator.
pub(super) fn call(id: u64, function: &str, args: Vec<IdedExpr>) -> IdedExpr {
    let func_name = function.to_owned();
    let target = None;
    let expr = Expr::Call(CallExpr {
        func_name,
        target,
        args,
    });
    IdedExpr { id, expr }
}
