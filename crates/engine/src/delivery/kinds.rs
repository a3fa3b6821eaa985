//! What deliveries have in common, so that a setting exists where it makes sense and nowhere else.

use super::groups::GroupRules;
use super::{AtLeastOnce, ExactlyOnce, GroupedAtLeastOnce, GroupedExactlyOnce, SettledAtLeastOnce};

/// A delivery that handles groups.
#[diagnostic::on_unimplemented(
    message = "`{Self}` handles one envelope after the other, not groups",
    note = "use `Projection::grouped_at_least_once` or `Projection::grouped_exactly_once`"
)]
pub trait Grouped {
    /// When a group is closed, and what happens when it fails.
    #[doc(hidden)]
    #[expect(
        private_interfaces,
        reason = "the trait only names deliveries of this crate"
    )]
    fn rules_mut(&mut self) -> &mut GroupRules;
}

/// A delivery that may try an envelope again.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no recovery strategy to choose",
    note = "at-most-once tries an envelope once, as its position is saved by then: use `LossRecovery`",
    note = "a projection that parks tries an envelope as often as its `ParkConfig` says",
    note = "a flow tries again by itself what failed within it; when it fails, the run begins anew"
)]
pub trait Retrying {}

#[expect(
    private_interfaces,
    reason = "the trait only names deliveries of this crate"
)]
impl<F> Grouped for GroupedAtLeastOnce<F> {
    fn rules_mut(&mut self) -> &mut GroupRules {
        &mut self.rules
    }
}

#[expect(
    private_interfaces,
    reason = "the trait only names deliveries of this crate"
)]
impl<F> Grouped for GroupedExactlyOnce<F> {
    fn rules_mut(&mut self) -> &mut GroupRules {
        &mut self.rules
    }
}

impl<F> Retrying for AtLeastOnce<F> {}
impl<F> Retrying for SettledAtLeastOnce<F> {}
impl<F> Retrying for ExactlyOnce<F> {}
impl<F> Retrying for GroupedAtLeastOnce<F> {}
impl<F> Retrying for GroupedExactlyOnce<F> {}
