//! Lets a projection begin again with the first event.

use crate::args::operating::ClearArguments;
use crate::commands::operating::{Move, carry_out};
use crate::exit::Failure;

pub(super) async fn execute(arguments: &ClearArguments) -> Result<(), Failure> {
    let asked = Move {
        command: "offset clear",
        addressed: &arguments.addressed,
        moving: &arguments.moving,
        to: None,
    };
    carry_out(&asked).await
}
