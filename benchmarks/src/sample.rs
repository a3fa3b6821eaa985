//! Several measurements of the same thing.

/// Measurements of one quantity, in the order of the runs.
#[derive(Clone, Debug, Default)]
pub struct Sample(Vec<f64>);

impl Sample {
    /// Adds a measurement.
    pub fn push(&mut self, value: f64) {
        self.0.push(value);
    }

    /// How many there are.
    #[must_use]
    pub fn runs(&self) -> usize {
        self.0.len()
    }

    /// The middle one, or the mean of the two middle ones. Not a number when there is none.
    #[must_use]
    pub fn median(&self) -> f64 {
        let sorted = self.sorted();
        let middle = sorted.len() / 2;
        match sorted.get(middle) {
            None => f64::NAN,
            Some(upper) if sorted.len() % 2 == 1 => *upper,
            Some(upper) => f64::midpoint(sorted[middle - 1], *upper),
        }
    }

    /// The largest. Not a number when there is none.
    #[must_use]
    pub fn worst(&self) -> f64 {
        self.0.iter().copied().fold(f64::NAN, f64::max)
    }

    /// The median with the smallest and the largest, such as `21.3 (20.9..23.0)`.
    #[must_use]
    pub fn spread(&self, decimals: usize) -> String {
        let sorted = self.sorted();
        match (sorted.first(), sorted.last()) {
            (Some(least), Some(most)) => {
                let median = self.median();
                format!("{median:.decimals$} ({least:.decimals$}..{most:.decimals$})")
            }
            _ => "none".to_owned(),
        }
    }

    fn sorted(&self) -> Vec<f64> {
        let mut values = self.0.clone();
        values.sort_by(f64::total_cmp);
        values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[f64]) -> Sample {
        Sample(values.to_vec())
    }

    #[test]
    fn the_median_is_in_the_middle_whatever_the_order() {
        assert_eq!(of(&[9.0, 1.0, 4.0]).median(), 4.0);
        assert_eq!(of(&[9.0, 1.0, 4.0, 5.0]).median(), 4.5);
        assert!(of(&[]).median().is_nan());
    }

    #[test]
    fn the_worst_is_the_largest() {
        assert_eq!(of(&[2.0, 9.0, 3.0]).worst(), 9.0);
        assert!(of(&[]).worst().is_nan());
    }

    #[test]
    fn the_spread_names_both_ends() {
        assert_eq!(of(&[2.0, 1.0, 3.0]).spread(1), "2.0 (1.0..3.0)");
    }
}
