//! Lets a projection go on behind another position.

use crate::args::operating::SetArguments;
use crate::commands::operating::{Move, carry_out};
use crate::exit::Failure;

pub(super) async fn execute(arguments: &SetArguments) -> Result<(), Failure> {
    let asked = Move {
        command: "offset set",
        addressed: &arguments.addressed,
        moving: &arguments.moving,
        to: Some(&arguments.offset),
    };
    carry_out(&asked).await
}
