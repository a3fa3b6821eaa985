//! What an audit found, for people and for programs.

use projectionist_core::row::TableName;
use projectionist_language::model::Projection;
use serde_json::{Value, json};

use super::Findings;
use super::arguments::AuditArguments;
use super::sample::Sampled;
use crate::commands::explain::json::{differences, key, mark};
use crate::commands::explain::key::words_of;
use crate::commands::explain::text::key_text;
use crate::commands::explain::verdict::Verdict;
use crate::output::shell_word;
use crate::place::{Source, Target};

/// The findings, a paragraph a row that differs, and the sum.
pub(super) fn as_text(findings: &Findings<'_>, arguments: &AuditArguments) -> String {
    let Findings {
        past,
        projection,
        compared,
        sampled,
        events,
    } = findings;
    let mut text = String::new();
    for table in compared.iter().filter(|table| table.wrong() > 0) {
        text.push_str(&format!(
            "table {}: {} row(s), of which {} differ and {} should not be there; {} are missing\n",
            table.name, table.rows, table.differing, table.unexpected, table.missing
        ));
        for row in sampled.iter().filter(|row| row.table == table.name) {
            text.push_str(&format!("  {}\n", key_text(projection, &row.key)));
            for sentence in Verdict::of(projection, &row.book).sentences(&row.book) {
                text.push_str(&format!("    {sentence}\n"));
            }
            let command = command(projection, row, arguments);
            text.push_str(&format!("    {command}\n"));
        }
    }
    let rows: u64 = compared.iter().map(|table| table.rows).sum();
    let name = &projection.name;
    let told = past.told();
    text.push_str(&match findings.wrong() {
        0 => format!(
            "{name}: {rows} row(s) in {} table(s) are as {events} event(s) make them, {told}\n",
            compared.len()
        ),
        wrong => {
            let more = wrong.saturating_sub(sampled.len() as u64);
            let more = match more {
                0 => String::new(),
                more => format!("; {more} more are not shown, --sample {wrong} shows all"),
            };
            format!("{name}: {wrong} row(s) are not as {events} event(s) make them, {told}{more}\n")
        }
    });
    text
}

/// The findings as one object.
pub(super) fn as_json(findings: &Findings<'_>, arguments: &AuditArguments) -> Value {
    let Findings {
        past,
        projection,
        compared,
        sampled,
        events,
    } = findings;
    let tables = compared.iter().map(|table| {
        let rows = sampled.iter().filter(|row| row.table == table.name);
        let rows = rows.map(|row| sampled_as_json(projection, row, arguments));
        json!({
            "table": &*table.name.name,
            "tenant": table.name.tenant.as_deref(),
            "rows": table.rows,
            "missing": table.missing,
            "unexpected": table.unexpected,
            "differing": table.differing,
            "sample": rows.collect::<Vec<_>>(),
        })
    });
    json!({
        "projection": projection.name,
        "source": past.source.as_ref().map(ToString::to_string),
        "until": past.until.as_ref().map(ToString::to_string),
        "events": events,
        "wrong": findings.wrong(),
        "tables": tables.collect::<Vec<_>>(),
        "notes": past.notes,
    })
}

fn sampled_as_json(projection: &Projection, row: &Sampled, arguments: &AuditArguments) -> Value {
    let verdict = Verdict::of(projection, &row.book);
    let what = match verdict {
        Verdict::Equal => "equal",
        Verdict::Missing => "missing",
        Verdict::Unexpected => "unexpected",
        Verdict::Differing(_) => "differing",
    };
    json!({
        "key": key(projection, &row.key),
        "what": what,
        "differences": differences(&verdict),
        "last_event": row.book.last.as_ref().map(mark),
        "told": verdict.sentences(&row.book),
        "explain": command(projection, row, arguments),
    })
}

/// The command that tells the story of a row.
fn command(projection: &Projection, row: &Sampled, arguments: &AuditArguments) -> String {
    let TableName { tenant, name } = &row.table;
    let Target::Sqlite(path) = &arguments.store;
    let mut command = format!(
        "projectionist explain {name} {} --store sqlite:{}",
        words_of(projection, &row.key),
        shell_word(&path.display().to_string())
    );
    if let Some(tenant) = tenant {
        command.push_str(&format!(" --tenant {tenant}"));
    }
    if let Some(Source::File(file)) = &arguments.from {
        command.push_str(&format!(
            " --from {}",
            shell_word(&file.display().to_string())
        ));
    }
    command
}
