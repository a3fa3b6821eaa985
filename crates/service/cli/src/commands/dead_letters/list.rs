//! Lists dead letters.

use std::io::IsTerminal;

use serde_json::json;

use super::declaration::envelope_of;
use super::select::{HeadReader, Letter, check_name, visit};
use super::{open, shown};
use crate::args::Format;
use crate::args::dead_letters::ListArguments;
use crate::exit::Failure;
use crate::output::{TextTable, on_one_line, print, print_line, printable};

pub(super) async fn execute(arguments: &ListArguments) -> Result<(), Failure> {
    let ListArguments { selection, limit } = arguments;
    let store = open(selection)?;
    check_name(&store, selection).await?;
    let (name, file) = (selection.name.as_deref(), selection.file.as_deref());
    let mut reader = HeadReader::new(&envelope_of(&store, name, file).await?);
    let mut letters = Vec::new();
    let add = |letter| letters.push(letter);
    let more_after = visit(&store, selection, &mut reader, *limit, add).await?;
    match selection.format {
        Format::Json => {
            let letters: Vec<_> = letters.iter().map(shown::as_json).collect();
            let more_after = more_after.map(|id| id.0);
            print_line(json!({ "dead_letters": letters, "more_after": more_after }))
        }
        Format::Text => {
            if !letters.is_empty() {
                print(as_text(&letters))?;
            }
            let more = more_after.map_or(String::new(), |id| {
                format!("; there are more: go on with --after {id}")
            });
            print_line(format_args!("{} dead letter(s){more}", letters.len()))
        }
    }
}

fn as_text(letters: &[Letter]) -> String {
    let rest = ["CLASS", "FIELD", "VALUE", "ATTEMPTS", "FAILED AT", "ERROR"];
    let mut table = TextTable::with_headings(shown::HEADINGS.into_iter().chain(rest));
    // What is piped on is read by something that can search it.
    let error_text = match std::io::stdout().is_terminal() {
        true => printable,
        false => on_one_line,
    };
    for letter in letters {
        let kept = &letter.stored.letter;
        let defect = &kept.defect;
        let text = |text: Option<&str>| text.map(printable).unwrap_or_default();
        let rest = [
            defect.class.name().to_owned(),
            text(defect.field.as_deref()),
            text(defect.value.as_deref()),
            kept.attempts.to_string(),
            shown::moment(kept.failed_at),
            error_text(&defect.error),
        ];
        table.push(shown::cells(letter).into_iter().chain(rest));
    }
    table.render()
}
