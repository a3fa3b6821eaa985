//! The one list of cases. The tests of every store and the table of rules come from it.

use crate::Capability;

/// A case: a test that every store must pass.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// The module that holds it.
    pub theme: &'static str,
    /// The function.
    pub name: &'static str,
    /// The numbered sentences of `docs/spec/store.md` that it proves.
    pub rules: &'static [&'static str],
    /// What the store must be able to do.
    pub needs: Option<Capability>,
}

/// Hands the list to another macro.
#[doc(hidden)]
#[macro_export]
macro_rules! for_each_store_case {
    ([$($with:tt)+] $($arguments:tt)*) => {
        $($with)+! { [$($arguments)*]
            claims {
                epochs_strictly_increase: "S-CLAIM-1";
            }
        }
    };
}

macro_rules! need {
    () => {
        None
    };
    ($need:ident) => {
        Some(Capability::$need)
    };
}

macro_rules! list {
    ([] $($theme:ident { $($case:ident $(needs $need:ident)? : $($rule:literal)+;)+ })+) => {
        &[$($(
            Case {
                theme: stringify!($theme),
                name: stringify!($case),
                rules: &[$($rule),+],
                needs: need!($($need)?),
            },
        )+)+]
    };
}

/// Every case.
pub const CASES: &[Case] = crate::for_each_store_case! { [list] };
