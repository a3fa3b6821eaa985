//! The functions of a Rust file with the lines they span, found by parsing and not by guessing.

use syn::visit::{self, Visit};
use syn::{
    Attribute, Block, ImplItemFn, ItemFn, ItemImpl, ItemMod, ItemTrait, Signature, TraitItemFn,
    Type,
};

/// A function with a body.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Function {
    /// The name, behind the type or trait it belongs to: `Lane::key`.
    pub(crate) name: String,
    /// The line of the word `fn`.
    pub(crate) line: usize,
    /// From there to the closing brace.
    pub(crate) lines: usize,
    /// The first line of its documentation.
    pub(crate) summary: String,
    /// Whether an attribute such as `#[test]` or `#[tokio::test]` makes it a test.
    pub(crate) is_test: bool,
}

/// All functions of a file in their order; a parser's complaint with its line when there is one.
pub(crate) fn functions(text: &str) -> Result<Vec<Function>, (usize, String)> {
    let file =
        syn::parse_file(text).map_err(|error| (error.span().start().line, error.to_string()))?;
    let mut finder = Finder::default();
    finder.visit_file(&file);
    Ok(finder.found)
}

/// The documentation in front of an item, one string a line.
pub(crate) fn documentation(attributes: &[Attribute]) -> Vec<String> {
    let texts = attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("doc"));
    texts
        .filter_map(
            |attribute| match &attribute.meta.require_name_value().ok()?.value {
                syn::Expr::Lit(syn::ExprLit {
                    lit: syn::Lit::Str(text),
                    ..
                }) => Some(text.value()),
                _ => None,
            },
        )
        .flat_map(|text| {
            text.lines()
                .map(|line| line.trim().to_owned())
                .collect::<Vec<_>>()
        })
        .collect()
}

#[derive(Default)]
struct Finder {
    /// The type or trait whose functions are being visited.
    owner: Option<String>,
    found: Vec<Function>,
}

impl Finder {
    fn add(&mut self, attributes: &[Attribute], signature: &Signature, body: &Block) {
        let line = signature.fn_token.span.start().line;
        let end = body.brace_token.span.close().end().line;
        let name = match &self.owner {
            Some(owner) => format!("{owner}::{}", signature.ident),
            None => signature.ident.to_string(),
        };
        let summary = documentation(attributes)
            .into_iter()
            .next()
            .unwrap_or_default();
        let is_test = attributes.iter().any(makes_a_test);
        self.found.push(Function {
            name,
            line,
            lines: end - line + 1,
            summary,
            is_test,
        });
    }

    fn inside(&mut self, owner: Option<String>, visit: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.owner, owner);
        visit(self);
        self.owner = outer;
    }
}

fn makes_a_test(attribute: &Attribute) -> bool {
    attribute
        .path()
        .segments
        .last()
        .is_some_and(|part| part.ident == "test")
}

impl<'file> Visit<'file> for Finder {
    fn visit_item_fn(&mut self, function: &'file ItemFn) {
        self.add(&function.attrs, &function.sig, &function.block);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'file ImplItemFn) {
        self.add(&function.attrs, &function.sig, &function.block);
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'file TraitItemFn) {
        if let Some(body) = &function.default {
            self.add(&function.attrs, &function.sig, body);
        }
        visit::visit_trait_item_fn(self, function);
    }

    fn visit_item_impl(&mut self, item: &'file ItemImpl) {
        let owner = match &*item.self_ty {
            Type::Path(path) => path.path.segments.last().map(|part| part.ident.to_string()),
            _ => None,
        };
        self.inside(owner, |finder| visit::visit_item_impl(finder, item));
    }

    fn visit_item_trait(&mut self, item: &'file ItemTrait) {
        let owner = Some(item.ident.to_string());
        self.inside(owner, |finder| visit::visit_item_trait(finder, item));
    }

    fn visit_item_mod(&mut self, item: &'file ItemMod) {
        self.inside(None, |finder| visit::visit_item_mod(finder, item));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "/// Says hello.\n/// Loudly.\n#[inline]\npub fn hello(\n    name: &str,\n) {\n\
                        \n    // nothing yet\n}\n\
                        trait Speak {\n    fn speak(&self);\n    fn twice(&self) { fn inner() {} }\n}\n\
                        impl Speak for Loud<'_> {\n    fn speak(&self) {}\n}\n\
                        mod tests {\n    async fn waits() {}\n}\n";

    #[test]
    fn functions_have_their_owner_and_their_lines() {
        let found = functions(TEXT).unwrap();
        let shapes: Vec<_> = found
            .iter()
            .map(|found| (found.name.as_str(), found.line, found.lines))
            .collect();
        let expected = [
            ("hello", 4, 6),
            ("Speak::twice", 12, 1),
            ("Speak::inner", 12, 1),
            ("Loud::speak", 15, 1),
            ("waits", 18, 1),
        ];
        assert_eq!(shapes, expected);
        assert_eq!(found[0].summary, "Says hello.");
        assert!(found.iter().all(|function| !function.is_test));
    }

    #[test]
    fn tests_are_known_by_their_attribute() {
        let found = functions("#[test]\nfn a() {}\n#[tokio::test(x)]\nasync fn b() {}\n").unwrap();
        assert!(found.iter().all(|function| function.is_test));
    }

    #[test]
    fn what_does_not_parse_says_where() {
        assert_eq!(functions("fn a() {}\nfn {}\n").unwrap_err().0, 2);
    }
}
