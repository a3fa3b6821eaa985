//! What patch and increment do when there is no row of their key.

use super::super::choice;
use super::scene::Act;
use crate::model::OnMissing;
use crate::report::Report;
use crate::vocabulary::MUTATION;

/// Reads `on_missing`.
pub(super) fn read(report: &mut Report<'_>, act: Act<'_>) -> OnMissing {
    match choice::word(report, act.body, &MUTATION, "on_missing") {
        Some("ignore") => OnMissing::Ignore,
        Some("error") => OnMissing::Error,
        _ => OnMissing::Create,
    }
}
