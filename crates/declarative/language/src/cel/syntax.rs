//! From the text of an expression to its tree.

use std::thread;

use cel::ParseErrors;
use cel::common::ast::{Expr, IdedExpr, SourceInfo, operators};
use cel::parser::Parser;

use super::syntax_fault;
use crate::expression::ExpressionFault;

/// The longest expression, in characters.
const MAX_CHARACTERS: usize = 4_096;

/// The most operators, points, brackets and commas outside of texts. The parser descends once for
/// each of them at worst.
const MAX_SIGNS: usize = 512;

/// How deep brackets, calls and conditions may be nested.
const MAX_NESTING: u16 = 48;

/// Enough for an expression of [`MAX_SIGNS`] also where nothing is optimised.
const STACK_BYTES: usize = 64 << 20;

/// The tree of an expression, and where its parts stand in the text.
#[derive(Debug)]
pub(super) struct Syntax<'a> {
    text: &'a str,
    places: SourceInfo,
}

/// Parses the text.
pub(super) fn parse(text: &str) -> Result<(IdedExpr, Syntax<'_>), ExpressionFault> {
    let length = text.chars().count();
    if length > MAX_CHARACTERS {
        let message = format!("an expression has at most {MAX_CHARACTERS} characters");
        return Err(ExpressionFault::new(MAX_CHARACTERS, message));
    }
    if let Some(offset) = sign_at(text, MAX_SIGNS) {
        let message = format!("an expression has at most {MAX_SIGNS} operators and brackets");
        return Err(ExpressionFault::new(offset, message)
            .help("let the producer of the event compute a part of it"));
    }
    match parse_apart(text) {
        Some(Ok((tree, places))) => Ok((tree, Syntax { text, places })),
        Some(Err(errors)) => Err(syntax_fault::of(&errors, text)),
        None => Err(ExpressionFault::new(0, "this cannot be read as CEL")),
    }
}

/// Parses on a stack of its own, because the parser descends for every operator. `None` when it
/// gives up on the text altogether.
fn parse_apart(text: &str) -> Option<Result<(IdedExpr, SourceInfo), ParseErrors>> {
    thread::scope(|scope| {
        let parser = thread::Builder::new().stack_size(STACK_BYTES);
        let running = parser.spawn_scoped(scope, || {
            Parser::new()
                .max_recursion_depth(MAX_NESTING)
                .parse_with_source_info(text)
        });
        running.ok()?.join().ok()
    })
}

/// Where the sign stands that has `before` signs before it, in characters.
fn sign_at(text: &str, before: usize) -> Option<usize> {
    let mut quote = None;
    let mut escaped = false;
    let mut signs = 0;
    for (offset, character) in text.chars().enumerate() {
        match (character, quote) {
            _ if escaped => escaped = false,
            ('\\', Some(_)) => escaped = true,
            (end, Some(begin)) if end == begin => quote = None,
            (_, Some(_)) => {}
            ('\'' | '"', None) => quote = Some(character),
            (c, None) if c.is_ascii_punctuation() && c != '_' => {
                if signs == before {
                    return Some(offset);
                }
                signs += 1;
            }
            _ => {}
        }
    }
    None
}

impl Syntax<'_> {
    /// Where the part begins, in characters. For a selection that is its point, for a call its
    /// bracket, for an operator the operator.
    pub(super) fn offset(&self, part: &IdedExpr) -> usize {
        let bytes = self.places.offset_for(part.id);
        bytes.map_or(0, |(start, _)| self.characters(start as usize))
    }

    /// Where the part begins with all that stands before its point or bracket, in characters.
    pub(super) fn start(&self, part: &IdedExpr) -> usize {
        let mut part = part;
        loop {
            let before = match &part.expr {
                Expr::Select(select) => Some(&*select.operand),
                Expr::Call(call) if call.func_name == operators::INDEX => call.args.first(),
                Expr::Call(call) => call.target.as_deref(),
                _ => None,
            };
            match before {
                Some(before) => part = before,
                None => return self.offset(part),
            }
        }
    }

    /// Where the name of a called function begins, in characters.
    pub(super) fn name_offset(&self, call: &IdedExpr, name: &str) -> usize {
        let bytes = self.places.offset_for(call.id);
        let start = bytes.map_or(0, |(start, _)| start as usize);
        if self
            .text
            .get(start..)
            .is_some_and(|rest| rest.starts_with(name))
        {
            return self.characters(start);
        }
        let before = self.text.get(..start).unwrap_or_default();
        let begin = before.rfind(name).unwrap_or(start);
        self.characters(begin)
    }

    /// The text up to where the part begins.
    pub(super) fn before(&self, part: &IdedExpr) -> &str {
        let bytes = self.places.offset_for(part.id);
        let start = bytes.map_or(0, |(start, _)| start as usize);
        self.text.get(..start).unwrap_or_default()
    }

    fn characters(&self, bytes: usize) -> usize {
        let before = self.text.get(..bytes).unwrap_or(self.text);
        before.chars().count()
    }
}
