//! Makes a test of every case of the registry.

use std::future::Future;
use std::time::Duration;

use crate::{CASES, Case, StoreHarness};

/// How long a case may take before it counts as hanging.
const LONGEST_CASE: Duration = Duration::from_secs(120);

/// Makes a test of every case for one store.
///
/// `$store` is the store's type, `$harness` an expression for a fresh [`StoreHarness`] of it, in
/// which `.await` may stand.
#[macro_export]
macro_rules! store_suite {
    ($store:ty, $harness:expr) => {
        $crate::for_each_store_case! { [$crate::store_tests] $store, $harness }
    };
}

/// Takes the list of cases from [`for_each_store_case!`](crate::for_each_store_case).
#[doc(hidden)]
#[macro_export]
macro_rules! store_tests {
    ([$store:ty, $harness:expr] $($theme:ident { $($case:ident $(needs $need:ident)? : $($rule:literal)+;)+ })+) => {
        $(
            mod $theme {
                use super::*;
                $(
                    #[test]
                    fn $case() {
                        let case = stringify!($case);
                        $crate::suite::run::<$store, _, _>(
                            stringify!($theme), case, async { $harness }, $crate::$theme::$case,
                        );
                    }
                )+
            }
        )+

        #[test]
        fn count_of_cases() {
            $crate::suite::print_count::<$store, _>(async { $harness });
        }
    };
}

/// Runs one case on a fresh store.
///
/// # Panics
/// When the case fails or hangs.
pub fn run<S, H, R>(
    theme: &str,
    name: &str,
    harness: impl Future<Output = H>,
    case: impl FnOnce(H) -> R,
) where
    H: StoreHarness<Store = S>,
    R: Future<Output = ()>,
{
    let entry = CASES
        .iter()
        .find(|entry| entry.theme == theme && entry.name == name)
        .unwrap();
    on_a_runtime(async {
        let harness = harness.await;
        if let Some(reason) = declined(entry, &harness) {
            println!("{theme}::{name} is declined: {reason}");
            return;
        }
        tokio::time::timeout(LONGEST_CASE, case(harness))
            .await
            .unwrap();
    });
}

/// Prints how many cases the store runs, and which it declines for what reason.
///
/// # Panics
/// When the harness cannot be made.
pub fn print_count<S, H: StoreHarness<Store = S>>(harness: impl Future<Output = H>) {
    on_a_runtime(async {
        let harness = harness.await;
        let declined: Vec<_> = CASES
            .iter()
            .filter_map(|case| declined(case, &harness).map(|reason| (case, reason)))
            .collect();
        let run = CASES.len() - declined.len();
        let store = std::any::type_name::<S>();
        println!("conformance of {store}: {run} of {} cases", CASES.len());
        for (case, reason) in declined {
            println!("  {}::{} declined: {reason}", case.theme, case.name);
        }
    });
}

fn declined<H: StoreHarness>(case: &Case, harness: &H) -> Option<&'static str> {
    case.needs.and_then(|need| harness.declines(need))
}

/// Several threads, so that a store that works in place does not hold up the other owner.
fn on_a_runtime(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(4)
        .enable_time()
        .build();
    runtime.unwrap().block_on(test);
}
