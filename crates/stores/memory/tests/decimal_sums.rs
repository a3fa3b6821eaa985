//! The exact sums of core are those of an independent decimal library, in canonical spelling.
#![expect(clippy::unwrap_used, reason = "the helpers are parts of tests")]

use std::str::FromStr;

use bigdecimal::BigDecimal;
use projectionist_core::row::add_decimal;
use proptest::prelude::*;

/// The canonical spelling of a number; `None` when it does not fit the limits.
fn spelling(number: &BigDecimal, limits: Option<(u16, u16)>) -> Option<String> {
    let zero = BigDecimal::from(0);
    let Some((precision, scale)) = limits else {
        let number = if *number == zero {
            zero
        } else {
            number.normalized()
        };
        let scale = number.fractional_digit_count().max(0);
        return Some(number.with_scale(scale).to_plain_string());
    };
    let scaled = number.with_scale(scale.into());
    if scaled != *number {
        return None;
    }
    let (digits, _) = scaled.as_bigint_and_scale();
    let digits = digits.to_string();
    let used = digits.trim_start_matches('-').trim_start_matches('0').len();
    (used <= usize::from(precision)).then(|| scaled.to_plain_string())
}

/// A number as a cell holds it.
fn operand(limits: Option<(u16, u16)>) -> impl Strategy<Value = String> {
    "-?[0-9]{1,40}(\\.[0-9]{1,30})?".prop_filter_map("does not fit", move |text| {
        let number = BigDecimal::from_str(&text).unwrap();
        spelling(
            &number.with_scale(limits.map_or(30, |(_, scale)| scale.into())),
            limits,
        )
    })
}

/// Numbers whose sums carry over many digits, or are zero.
fn near_carry() -> impl Strategy<Value = (String, String)> {
    (1usize..40, 0usize..20, -3i64..4).prop_map(|(nines, zeros, add)| {
        let a = format!("{}.{}9", "9".repeat(nines), "9".repeat(zeros));
        let last = BigDecimal::new(add.into(), i64::try_from(zeros).unwrap() + 1);
        (a, spelling(&last, None).unwrap())
    })
}

fn agree(a: &str, b: &str, limits: Option<(u16, u16)>) {
    let sum = BigDecimal::from_str(a).unwrap() + BigDecimal::from_str(b).unwrap();
    let expected = spelling(&sum, limits);
    assert_eq!(add_decimal(a, b, limits), expected, "{a} + {b}, {limits:?}");
}

proptest! {
    #[test]
    fn sums_without_limits_agree(a in operand(None), b in operand(None)) {
        agree(&a, &b, None);
        let negated = spelling(&-BigDecimal::from_str(&a).unwrap(), None).unwrap();
        agree(&a, &negated, None);
    }

    #[test]
    fn sums_that_carry_agree((a, b) in near_carry()) {
        agree(&a, &b, None);
        agree(&format!("-{a}"), &b, None);
    }

    #[test]
    fn sums_within_limits_agree(
        (limits, a, b) in (1u16..20, 0u16..8).prop_flat_map(|(precision, scale)| {
            let limits = Some((precision, scale));
            let number = move || {
                let most = 10i64.pow(u32::from(precision.min(18)));
                (1 - most..most).prop_map(move |unscaled| {
                    let number = BigDecimal::new(unscaled.into(), scale.into());
                    spelling(&number, limits).unwrap()
                })
            };
            (Just(limits), number(), number())
        })
    ) {
        agree(&a, &b, limits);
    }
}
