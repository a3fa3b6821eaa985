//! The reference: a configuration file in which every setting stands, each as a comment.

use std::fmt::Write;

use clap::Command;

use super::setting::{Kind, Setting, all};

const HEAD: &str = "\
# Settings of projectionist, each with its default or an example.
#
# `projectionist --config FILE COMMAND …` reads this file; so does PROJECTIONIST_CONFIG=FILE. What is
# typed overrides a variable, a variable overrides the file, the file overrides the default. Paths
# are seen from the folder that the program is started in.
";

/// How wide a comment gets.
const WIDTH: usize = 100;

/// A configuration file in which every setting of `command` stands, each as a comment.
pub(crate) fn reference(command: &Command) -> String {
    let mut text = HEAD.to_owned();
    let mut section = None;
    for setting in all(command) {
        if setting.section != section {
            section = setting.section;
            let _ = write!(text, "\n[{}]\n", section.unwrap_or_default());
        }
        text.push('\n');
        comment(&setting.help, &mut text);
        if !setting.possible.is_empty() && setting.kind != Kind::Flag {
            comment(
                &format!("One of: {}", setting.possible.join(", ")),
                &mut text,
            );
        }
        comment(&format!("Variable: {}", setting.variable()), &mut text);
        let _ = writeln!(text, "#{} = {}", setting.key, example(&setting));
    }
    text
}

/// The default as TOML; where there is none, a value that says what it is.
fn example(setting: &Setting) -> String {
    if setting.kind == Kind::Flag {
        return "false".to_owned();
    }
    let value = match (&setting.default, setting.possible.first()) {
        (Some(default), _) if default.parse::<u64>().is_ok() => default.clone(),
        (Some(value), _) | (None, Some(value)) => format!("\"{value}\""),
        (None, None) if setting.value_name.is_empty() => {
            format!("\"{}\"", setting.key.to_uppercase())
        }
        (None, None) => format!("\"{}\"", setting.value_name),
    };
    match setting.kind {
        Kind::List => format!("[{value}]"),
        Kind::Single | Kind::Flag => value,
    }
}

/// Writes a text as lines of a comment.
fn comment(words: &str, text: &mut String) {
    let mut width = WIDTH;
    for word in words.split_whitespace() {
        if width + 1 + word.len() > WIDTH {
            if width < WIDTH {
                text.push('\n');
            }
            text.push('#');
            width = 1;
        }
        text.push(' ');
        text.push_str(word);
        width += 1 + word.chars().count();
    }
    text.push('\n');
}
