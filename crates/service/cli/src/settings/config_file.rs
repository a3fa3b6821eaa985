//! The configuration file: TOML, each key a [`Setting`].

use std::ffi::OsStr;
use std::ops::Range;
use std::path::Path;

use projectionist_language::did_you_mean;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::setting::{Kind, Setting};
use crate::exit::Failure;

/// What a configuration file sets.
#[derive(Debug, Default)]
pub(super) struct ConfigFile {
    entries: Vec<Entry>,
}

/// A key with its value.
#[derive(Debug)]
struct Entry {
    setting: Setting,
    values: Vec<String>,
    /// File, line and column of the value.
    place: String,
}

impl ConfigFile {
    /// Reads the file at `path`, whose keys are among `settings`.
    pub(super) fn read(path: &Path, settings: &[Setting]) -> Result<Self, Failure> {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|error| {
            Failure::at_run_time(format!("cannot read the configuration {name}: {error}"))
        })?;
        Self::parse(&name, &text, settings)
    }

    /// Tells all faults at once.
    fn parse(name: &str, text: &str, settings: &[Setting]) -> Result<Self, Failure> {
        let mut reading = Reading {
            name,
            text,
            settings,
            entries: Vec::new(),
            faults: Vec::new(),
        };
        match DeTable::parse(text) {
            Ok(table) => reading.read_table(None, table.get_ref()),
            Err(error) => {
                let at = error.span().unwrap_or_default();
                reading.fault(&at, error.message());
            }
        }
        let Reading {
            entries, faults, ..
        } = reading;
        match faults.is_empty() {
            true => Ok(Self { entries }),
            false => Err(Failure::invalid(faults.join("\n"))),
        }
    }

    /// The values that a setting has here.
    pub(super) fn values(&self, setting: &Setting) -> Option<&[String]> {
        let same = |entry: &&Entry| {
            (entry.setting.section, &entry.setting.key) == (setting.section, &setting.key)
        };
        self.entries.iter().find(same).map(|entry| &*entry.values)
    }

    /// Where `value` was set, of an argument that calls itself `argument`.
    pub(super) fn place_of_value(&self, argument: &str, value: &OsStr) -> Option<String> {
        let gave = |entry: &&Entry| {
            let Setting {
                key, value_name, ..
            } = &entry.setting;
            let shared = !value_name.is_empty() && argument.ends_with(&format!("<{value_name}>"));
            let is_its_argument = match entry.setting.section {
                Some(_) => argument.starts_with(&format!("--{key}")) || shared,
                None => shared || argument.starts_with(&format!("--{key}")),
            };
            is_its_argument && entry.values.iter().any(|one| OsStr::new(one) == value)
        };
        self.entries
            .iter()
            .find(gave)
            .map(|entry| entry.place.clone())
    }
}

struct Reading<'a> {
    name: &'a str,
    text: &'a str,
    settings: &'a [Setting],
    entries: Vec<Entry>,
    faults: Vec<String>,
}

impl Reading<'_> {
    fn read_table(&mut self, section: Option<&str>, table: &DeTable<'_>) {
        for (key, value) in table {
            let (name, at) = (key.get_ref().as_ref(), key.span());
            let of_section = |setting: &&Setting| setting.section == section;
            let found = self.settings.iter().filter(of_section);
            let found = found.into_iter().find(|setting| setting.key == name);
            match (found, value.get_ref()) {
                (Some(setting), _) => self.read_value(setting.clone(), value),
                (None, DeValue::Table(inner)) if section.is_none() && self.is_section(name) => {
                    self.read_table(Some(name), inner);
                }
                (None, _) => self.unknown(section, name, &at),
            }
        }
    }

    fn is_section(&self, name: &str) -> bool {
        let mut sections = self.settings.iter().filter_map(|setting| setting.section);
        sections.any(|section| section == name)
    }

    fn read_value(&mut self, setting: Setting, value: &Spanned<DeValue<'_>>) {
        let values = match (setting.kind, value.get_ref()) {
            (Kind::Flag, DeValue::Boolean(set)) => Some(vec![set.to_string()]),
            (Kind::List, DeValue::Array(items)) => {
                items.iter().map(|item| scalar(item.get_ref())).collect()
            }
            (Kind::List | Kind::Single, one) => scalar(one).map(|value| vec![value]),
            (Kind::Flag, _) => None,
        };
        let at = value.span();
        match values {
            Some(values) => self.entries.push(Entry {
                place: self.place(&at),
                setting,
                values,
            }),
            None => {
                let wanted = match setting.kind {
                    Kind::Flag => "true or false",
                    Kind::List => "a list of texts, such as [\"a\", \"b\"]",
                    Kind::Single => "a text or a number",
                };
                let found = value.get_ref().type_str();
                self.fault(
                    &at,
                    &format!("`{}` takes {wanted}, not this {found}", setting.key),
                );
            }
        }
    }

    fn unknown(&mut self, section: Option<&str>, name: &str, at: &Range<usize>) {
        let elsewhere = self.settings.iter().find(|setting| setting.key == name);
        let hint = match elsewhere.map(|setting| setting.section) {
            Some(Some(other)) => format!("; it stands under [{other}]"),
            Some(None) => "; it stands above all tables".to_owned(),
            None => {
                let of_section = self.settings.iter().filter(|one| one.section == section);
                let keys = of_section.map(|setting| setting.key.as_str());
                let sections = self.settings.iter().filter_map(|setting| setting.section);
                did_you_mean(name, keys.chain(sections))
            }
        };
        let what = format!(
            "there is no setting `{name}`{hint}. `projectionist settings` prints all there are"
        );
        self.fault(at, &what);
    }

    fn fault(&mut self, at: &Range<usize>, what: &str) {
        let place = self.place(at);
        self.faults.push(format!("{place}: {what}"));
    }

    fn place(&self, at: &Range<usize>) -> String {
        let before = self.text.get(..at.start).unwrap_or(self.text);
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
        format!("{}:{line}:{column}", self.name)
    }
}

/// A text or a number as it would be typed.
fn scalar(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) => Some(number.to_string()),
        DeValue::Float(number) => Some(number.to_string()),
        _ => None,
    }
}
