//! Tells how every projection of a target stands: once, again and again, or as an exit code.

mod conditions;
mod details;
mod shown;
mod table;

use std::io::IsTerminal;

use projectionist_core::SystemClock;
use projectionist_engine::{LaneOverview, Overview};
use projectionist_store_sqlite::SqliteStore;

use super::operating;
use crate::args::Format;
use crate::args::operating::StatusArguments;
use crate::exit::Failure;
use crate::output::print_to_reader;

/// Brings the cursor of a terminal home and clears what was there.
const REDRAW: &str = "\u{1b}[H\u{1b}[2J";

pub(crate) fn execute(arguments: &StatusArguments) -> Result<(), Failure> {
    let store = operating::open(&arguments.store)?;
    super::run::blocking_runtime()?.block_on(tell(&store, arguments))
}

async fn tell(store: &SqliteStore, arguments: &StatusArguments) -> Result<(), Failure> {
    let redraws = arguments.watch.is_some()
        && arguments.format == Format::Text
        && std::io::stdout().is_terminal();
    loop {
        let overview = Overview::read(store, &SystemClock).await?;
        let overview = chosen(overview, arguments)?;
        let mut text = match redraws {
            true => REDRAW.to_owned(),
            false => String::new(),
        };
        match arguments.format {
            Format::Text => text.push_str(&as_text(&overview, arguments)),
            Format::Json => text.push_str(&format!("{}\n", overview.as_json())),
        }
        let is_read = print_to_reader(text)?;
        conditions::check(&overview, &arguments.fail_if)?;
        match arguments.watch {
            Some(interval) if is_read => tokio::time::sleep(interval).await,
            _ => return Ok(()),
        }
        if arguments.format == Format::Text && !redraws && !print_to_reader("\n")? {
            return Ok(());
        }
    }
}

/// The lanes that are asked for.
fn chosen(mut overview: Overview, arguments: &StatusArguments) -> Result<Overview, Failure> {
    let Some(name) = &arguments.name else {
        return Ok(overview);
    };
    let (target, key) = (&arguments.store, arguments.key.as_deref());
    operating::check_known(&overview, target, name, key)?;
    let lanes: Vec<LaneOverview> = overview.lanes_of(name, key).cloned().collect();
    overview.lanes = lanes;
    Ok(overview)
}

fn as_text(overview: &Overview, arguments: &StatusArguments) -> String {
    if overview.lanes.is_empty() {
        return "no projection has run into this target\n".to_owned();
    }
    table::render(overview, arguments.name.is_some())
}
