//! Makes a test of every case of the registry.

use std::future::Future;
use std::time::Duration;

use projectionist_core::contract::OffsetStore;

use crate::{CASES, Capability, Case, OffsetStoreHarness, process};

/// How long a case may take before it counts as hanging.
const LONGEST_CASE: Duration = Duration::from_secs(120);

/// Makes a test of every case for one store.
///
/// `$store` is the store's type, `$harness` an expression for a fresh
/// [`StoreHarness`](crate::StoreHarness) of it, in which `.await` may stand.
#[macro_export]
macro_rules! store_suite {
    ($store:ty, $harness:expr) => {
        $crate::for_each_store_case! { [$crate::store_tests] $store, $harness }
    };
}

/// Makes a test of every case that needs no transaction, for one store.
///
/// As [`store_suite!`](crate::store_suite), with a fresh
/// [`OffsetStoreHarness`](crate::OffsetStoreHarness).
#[macro_export]
macro_rules! offset_store_suite {
    ($store:ty, $harness:expr) => {
        $crate::for_each_store_case! { [$crate::offset_store_tests] $store, $harness }
    };
}

/// Takes the list of cases from [`for_each_store_case!`](crate::for_each_store_case), and leaves
/// those out that need transactions.
#[doc(hidden)]
#[macro_export]
macro_rules! offset_store_tests {
    ([$store:ty, $harness:expr] offset_store { $($themes:tt)+ } transactional { $($left_out:tt)+ }) => {
        $crate::store_tests! { [$store, $harness] offset_store { $($themes)+ } }
    };
}

/// Takes the list of cases from [`for_each_store_case!`](crate::for_each_store_case).
#[doc(hidden)]
#[macro_export]
macro_rules! store_tests {
    ([$store:ty, $harness:expr] $($suite:ident {
        $($theme:ident { $($case:ident $(needs $need:ident)? : $($rule:literal)+;)+ })+
    })+) => {
        $($(
            mod $theme {
                use super::*;
                $(
                    #[test]
                    fn $case() {
                        let test = concat!(module_path!(), "::", stringify!($case));
                        $crate::suite::run::<$store, _, _>(
                            test, async { $harness }, $crate::$theme::$case,
                        );
                    }
                )+
            }
        )+)+

        #[test]
        fn count_of_cases() {
            let suites = [$(stringify!($suite)),+];
            $crate::suite::print_count::<$store, _>(&suites, async { $harness });
        }
    };
}

/// Runs one case on a fresh store. `test` is the path of the test, which ends with the theme and
/// the name of the case.
///
/// # Panics
/// When the case fails or hangs.
pub fn run<S, H, R>(test: &'static str, harness: impl Future<Output = H>, case: impl FnOnce(H) -> R)
where
    H: OffsetStoreHarness<Store = S>,
    R: Future<Output = ()>,
{
    let entry = CASES
        .iter()
        .find(|entry| {
            let before = test.strip_suffix(entry.name);
            before.is_some_and(|path| path.ends_with(&format!("::{}::", entry.theme)))
        })
        .unwrap();
    on_a_runtime(async {
        let harness = harness.await;
        if let Some(reason) = declined(entry, &harness) {
            println!("{}::{} is declined: {reason}", entry.theme, entry.name);
            return;
        }
        let case = process::in_test(test, case(harness));
        tokio::time::timeout(LONGEST_CASE, case).await.unwrap();
    });
}

/// Prints how many cases of some suites the store runs, and which it declines for what reason.
///
/// # Panics
/// When the harness cannot be made.
pub fn print_count<S, H: OffsetStoreHarness<Store = S>>(
    suites: &[&str],
    harness: impl Future<Output = H>,
) {
    on_a_runtime(async {
        let harness = harness.await;
        let cases = || CASES.iter().filter(|case| suites.contains(&case.suite));
        let declined: Vec<_> = cases()
            .filter_map(|case| declined(case, &harness).map(|reason| (case, reason)))
            .collect();
        let all = cases().count();
        let run = all - declined.len();
        let store = std::any::type_name::<S>();
        println!("conformance of {store}: {run} of {all} cases");
        for (case, reason) in declined {
            println!("  {}::{} declined: {reason}", case.theme, case.name);
        }
    });
}

/// Why a store does not run a case. What its capabilities tell is taken from them alone, so that
/// the engine is told the same.
fn declined<H: OffsetStoreHarness>(case: &Case, harness: &H) -> Option<&'static str> {
    let need = case.needs?;
    let capabilities = harness.store().capabilities();
    match need {
        Capability::Ahead => {
            (!capabilities.ahead).then_some("its capabilities name nothing that is settled ahead")
        }
        Capability::AtomicCommit => (!capabilities.atomic_commit)
            .then_some("its capabilities name no commit that is atomic as a whole"),
        Capability::Reopen | Capability::Migrate | Capability::OtherProcess => {
            harness.declines(need)
        }
    }
}

/// Several threads, so that a store that works in place does not hold up the other owner.
fn on_a_runtime(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(4)
        .enable_time()
        .build();
    runtime.unwrap().block_on(test);
}
