//! The help of the command line.

use std::process::Command;

use super::{code, regex};
use crate::reference::Row;

/// A flag with its value, the text about it, and its environment variable.
type Flag = (String, String, String);

fn help(command: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_hello")).args(command).arg("--help").output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The commands with their texts.
fn all_commands() -> Vec<(String, String)> {
    let help = help(&[]);
    let list = super::between(&help, "Commands:\n", "\nOptions:");
    let row = |line: &str| line.trim().split_once(' ').map(|(name, text)| (name.to_owned(), text.trim().to_owned()));
    list.lines().filter_map(row).filter(|(name, _)| name != "help").collect()
}

/// The flags and the arguments of a command.
fn flags_in(help: &str) -> Vec<Flag> {
    let (begins, variable) = (regex(r"^ {2,6}(-\w, --.*|--[a-z-]+.*|[\[<].*)$"), regex(r" ?\[env: (\w+)[^\]]*\]"));
    let mut flags: Vec<Flag> = Vec::new();
    for line in help.lines().skip_while(|line| !["Arguments:", "Options:"].contains(line)) {
        match (begins.captures(line), flags.last_mut()) {
            (Some(found), _) => flags.push((found[1].replace(['<', '>'], ""), String::new(), String::new())),
            (None, Some((_, text, _))) if line.starts_with(' ') => {
                let item = line.trim().split_once(": ").filter(|_| line.trim().starts_with("- "));
                let item =
                    item.map(|(name, text)| format!("{}: {};", code(name.trim_start_matches("- ")), text.trim()));
                *text = format!("{text} {}", item.as_deref().unwrap_or(line.trim())).trim().to_owned();
            }
            _ => {}
        }
    }
    for (_, text, env) in &mut flags {
        *env = variable.captures(text).map_or_else(String::new, |found| code(&found[1]));
        *text = variable
            .replace(text, "")
            .trim_end_matches(';')
            .replace("; [", " [")
            .replace(" Possible values:", ". Values:")
            .replace('|', "\\|");
    }
    flags.retain(|(name, ..)| !name.ends_with("--help") && !name.ends_with("--version"));
    flags
}

pub(crate) fn commands() -> Vec<Row> {
    all_commands().into_iter().map(|(name, text)| vec![Some(code(&name)), Some(text)]).collect()
}

pub(crate) fn flags() -> Vec<Row> {
    flags_in(&help(&["run"]))
        .into_iter()
        .map(|(name, text, env)| vec![Some(code(&name)), Some(text), Some(env)])
        .collect()
}

/// The flags that only one command has.
pub(crate) fn flags_of_commands() -> Vec<Row> {
    let of_all = flags_in(&help(&["run"]));
    let of = |(command, _): (String, String)| {
        let own = flags_in(&help(&[&command])).into_iter().filter(|flag| !of_all.contains(flag));
        own.map(|(flag, text, _)| vec![Some(code(&format!("{command} {flag}"))), Some(text)]).collect::<Vec<Row>>()
    };
    all_commands().into_iter().flat_map(of).collect()
}
