//! The functions that expressions may call, beside those of the language.
//!
//! All of them are deterministic, and charge for texts and lists that they build or walk through.

mod arguments;
mod digest;
mod list;
mod moment;
mod number;
mod pattern;
mod text;
mod walk;

use std::sync::{Arc, LazyLock};

use cel::common::functions::Function;
use cel::common::types::{DYN_TYPE, Type};
use cel::{DeclarationError, Env};

pub(super) use pattern::Pattern;

/// Charges for a value and gives it back. No name of an expression is written so.
pub(super) const SIZED: &str = "@sized";

/// Makes the range of a loop, and charges for what the loop does with it.
pub(super) const RANGE: &str = "@range";

static ENVIRONMENT: LazyLock<Result<Arc<Env>, DeclarationError>> = LazyLock::new(|| {
    let mut environment = Env::default().with_optional_support(false).with_stdlib();
    text::declare(&mut environment)?;
    list::declare(&mut environment)?;
    number::declare(&mut environment)?;
    moment::declare(&mut environment)?;
    digest::declare(&mut environment)?;
    pattern::declare(&mut environment)?;
    walk::declare(&mut environment)?;
    Ok(Arc::new(environment))
});

/// The functions, those of the language included.
pub(super) fn environment() -> Result<Arc<Env>, DeclarationError> {
    ENVIRONMENT.clone()
}

/// Declares a function that is called either way: `name(x, y)` and `x.name(y)`.
fn either(
    environment: &mut Env,
    name: &str,
    types: &[Type],
    function: Function,
) -> Result<(), DeclarationError> {
    global(environment, name, types, function)?;
    let Some((target, rest)) = types.split_first() else {
        return Ok(());
    };
    let id = id("member", name, types);
    environment.add_member_overload(name, &id, target.to_owned(), owned(rest), function)
}

/// Declares a function that is called as `name(x, y)`.
fn global(
    environment: &mut Env,
    name: &str,
    types: &[Type],
    function: Function,
) -> Result<(), DeclarationError> {
    environment.add_overload(name, &id("global", name, types), owned(types), function)
}

fn owned(types: &[Type]) -> Vec<Type> {
    types.iter().map(Type::to_owned).collect()
}

fn id(way: &str, name: &str, types: &[Type]) -> String {
    let types: Vec<&str> = types.iter().map(Type::name).collect();
    format!("{way}_{name}_{}", types.join("_"))
}

/// Any value.
const ANY: Type = DYN_TYPE;
