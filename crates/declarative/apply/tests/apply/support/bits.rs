//! Choices out of one number, so that a failing case shrinks to small choices.

/// Choices out of one number. Of zero, every choice is the first.
pub(crate) struct Bits {
    seed: u64,
    rest: u64,
}

impl Bits {
    pub(crate) fn new(seed: u64) -> Self {
        Self { seed, rest: seed }
    }

    /// One of `count` choices.
    pub(crate) fn choose(&mut self, count: u64) -> usize {
        if self.rest < count {
            self.seed = self
                .seed
                .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                .rotate_left(29);
            self.rest = self.seed;
        }
        let choice = self.rest % count;
        self.rest /= count;
        usize::try_from(choice).unwrap()
    }

    /// One of the choices.
    pub(crate) fn pick<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.choose(choices.len() as u64)].clone()
    }

    pub(crate) fn flip(&mut self) -> bool {
        self.choose(2) == 1
    }

    /// True once in `count` times.
    pub(crate) fn seldom(&mut self, count: u64) -> bool {
        self.choose(count) == 1
    }
}
