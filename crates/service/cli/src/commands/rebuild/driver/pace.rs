//! How fast a source is read, how long it will take, and whether that has an end.

use std::time::Duration;

/// Over how long a distance that does not shrink is looked at before that is told.
const PATIENCE: Duration = Duration::from_secs(60);

/// Looks at a reader and the end of what it reads.
#[derive(Debug, Default)]
pub(in crate::commands::rebuild) struct Pace {
    /// When the distance was last seen to be the shortest so far, and what it was.
    shortest: Option<(Duration, u64)>,
}

impl Pace {
    /// Takes a look at `now`, counted from any fixed moment: how many bytes are left to read. Gives
    /// whether it is time to tell that they do not get less: the source grows as fast as it is read.
    pub(in crate::commands::rebuild) fn look(&mut self, now: Duration, left: u64) -> bool {
        match self.shortest {
            Some((since, shortest)) if left >= shortest => {
                if now.saturating_sub(since) < PATIENCE {
                    return false;
                }
                self.shortest = Some((now, left));
                true
            }
            _ => {
                self.shortest = Some((now, left));
                false
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(looks: &[(u64, u64)]) -> Vec<u64> {
        let mut pace = Pace::default();
        let mut looks = looks.to_vec();
        looks.retain(|(second, left)| pace.look(Duration::from_secs(*second), *left));
        looks.into_iter().map(|(second, _)| second).collect()
    }

    #[test]
    fn a_source_that_is_caught_up_with_is_not_told_of() {
        let shrinking: Vec<(u64, u64)> = (0..600).map(|second| (second, 1_000 - second)).collect();
        assert_eq!(told(&shrinking), [0; 0]);
    }

    #[test]
    fn one_that_grows_as_fast_as_it_is_read_is_told_of_once_a_minute() {
        let steady: Vec<(u64, u64)> = (0..150).map(|second| (second, 1_000)).collect();
        assert_eq!(told(&steady), [60, 120]);
        let growing: Vec<(u64, u64)> = (0..70).map(|second| (second, 1_000 + second)).collect();
        assert_eq!(told(&growing), [60]);
    }

    #[test]
    fn a_shorter_distance_begins_the_minute_anew() {
        let steps = [(0, 100), (50, 99), (100, 200), (109, 99), (110, 99)];
        assert_eq!(told(&steps), [110]);
    }
}
