//! Tells behind which position a projection goes on.

use projectionist_core::SystemClock;
use projectionist_engine::Overview;
use serde_json::{Value, json};

use crate::args::Format;
use crate::args::operating::GetArguments;
use crate::commands::operating::{address_of, check_known, open};
use crate::exit::Failure;
use crate::output::{print, print_line};

pub(super) async fn execute(arguments: &GetArguments) -> Result<(), Failure> {
    let addressed = &arguments.addressed;
    let (name, key) = (addressed.name.as_str(), addressed.key.as_deref());
    let store = open(&addressed.store)?;
    let overview = Overview::read(&store, &SystemClock).await?;
    check_known(&overview, &addressed.store, name, key)?;
    let lanes: Vec<_> = overview.lanes_of(name, key).collect();
    match addressed.format {
        Format::Json => {
            let lanes = lanes.iter().map(|lane| {
                json!({
                    "key": lane.key,
                    "offset": lane.offset.as_ref().map(|offset| &offset.text),
                    "manifest": lane.offset.as_ref().map(|offset| &offset.manifest),
                    "epoch": lane.epoch.0,
                    "updated_at": lane.updated_at.map(|at| at.unix_millis),
                })
            });
            let lanes: Vec<Value> = lanes.collect();
            let command = "offset get";
            print_line(json!({ "command": command, "projection": name, "lanes": lanes }))
        }
        Format::Text => {
            let offset = |lane: &projectionist_engine::LaneOverview| {
                let offset = lane.offset.as_ref();
                offset.map_or_else(|| "none".to_owned(), ToString::to_string)
            };
            // One offset alone can be given to another command as it is.
            let text = match lanes[..] {
                [lane] => format!("{}\n", offset(lane)),
                _ => {
                    let lines = lanes.iter();
                    let line = |lane: &&projectionist_engine::LaneOverview| {
                        format!("{} {}\n", address_of(lane), offset(lane))
                    };
                    lines.map(line).collect()
                }
            };
            print(text)
        }
    }
}
