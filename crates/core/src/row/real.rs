//! Adds 32-bit floats, which cells hold widened.

/// The sum of two values of a REAL column as IEEE 754 adds 32-bit floats, widened again. `None`
/// when it is beyond them.
///
/// ```
/// use projectionist_core::row::add_real;
///
/// assert_eq!(add_real(0.5, 0.25), Some(0.75));
/// assert_eq!(add_real(f64::from(f32::MAX), f64::from(f32::MAX)), None);
/// ```
#[must_use]
#[expect(
    clippy::cast_possible_truncation,
    reason = "the cells of a REAL column hold 32-bit floats, so the cast gives them back"
)]
pub fn add_real(a: f64, b: f64) -> Option<f64> {
    let sum = a as f32 + b as f32;
    sum.is_finite().then_some(f64::from(sum))
}
