//! Looks at the position behind which a projection goes on, and moves it.

mod clear;
mod get;
mod set;

use crate::args::operating::OffsetCommand;
use crate::exit::Failure;

pub(crate) fn execute(command: &OffsetCommand) -> Result<(), Failure> {
    super::run::blocking_runtime()?.block_on(async {
        match command {
            OffsetCommand::Get(get) => get::execute(get).await,
            OffsetCommand::Set(set) => set::execute(set).await,
            OffsetCommand::Clear(clear) => clear::execute(clear).await,
        }
    })
}
