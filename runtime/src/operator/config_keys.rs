//! The keys of a configuration file: the long names of the flags, in camel case.

use clap::builder::Resettable;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, Command};

use crate::config::{Document, Entry, Node, Problem, SETTINGS};

/// Flags that are no keys, by their ids: they belong to one call of the program, or another key says the opposite.
const NO_KEYS: [&str; 6] = ["config", "dry_run", "no_replicas", "help", "version", "kubeconfig"];

/// The keys that `false` turns off, by their ids, with the flag that does so.
const OPPOSITES: [(&str, &str); 1] = [("replicas", "no_replicas")];

/// The key of the log filter, which changes without a restart.
pub(super) const LOG: &str = "log";

/// A word that differs in at most this number of characters, and in a third of its own, is probably a misspelt key.
const TYPOS: usize = 3;

/// What the file gives to a flag.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Given {
    /// The id of the flag in clap.
    pub(super) id: String,
    /// The values, as on the command line.
    pub(super) values: Vec<String>,
}

/// The values for the flags of a command.
///
/// # Errors
/// A key is unknown, or its flag does not accept the value.
pub(super) fn given(command: &Command, document: &Document) -> Result<Vec<Given>, Problem> {
    let plain = command.clone().mut_args(|arg| arg.env(Resettable::Reset));
    let given: Vec<Given> = document.entries.iter().map(|entry| of_entry(&plain, entry)).collect::<Result<_, _>>()?;
    check_conflicts(&plain, &given)?;
    Ok(given)
}

fn of_entry(command: &Command, entry: &Entry) -> Result<Given, Problem> {
    let Some(arg) = keys(command).find(|arg| key(arg) == entry.key) else { return Err(unknown(command, entry)) };
    let is_switch = matches!(arg.get_action(), ArgAction::SetTrue);
    let is_list = matches!(arg.get_action(), ArgAction::Append);
    let id = arg.get_id().to_string();
    let wrong = |expected: &str| {
        let text = format!("`{}` has {} instead of {expected}", entry.key, entry.node.kind());
        Err(Problem::new(text, format!("write {expected}, or remove the key")).at(entry.place))
    };
    match (&entry.node, is_switch) {
        (Node::Bool(true), true) => Ok(Given { id, values: vec!["true".to_owned()] }),
        (Node::Bool(false), true) => Ok(turned_off(id)),
        (_, true) => wrong("`true` or `false`"),
        (Node::List(items), false) if is_list => {
            let texts: Option<Vec<String>> = items.iter().map(|item| text(&item.value)).collect();
            let Some(values) = texts else { return wrong("a list of texts") };
            checked(command, arg, entry, values)
        }
        (node, false) => match text(node) {
            Some(one) => checked(command, arg, entry, vec![one]),
            None if is_list => wrong("a text or a list of texts"),
            None => wrong("one value"),
        },
    }
}

/// `false`: the flag with the opposite meaning, or none.
fn turned_off(id: String) -> Given {
    match OPPOSITES.iter().find(|(on, _)| *on == id) {
        Some((_, off)) => Given { id: (*off).to_owned(), values: vec!["true".to_owned()] },
        None => Given { id, values: Vec::new() },
    }
}

fn text(node: &Node) -> Option<String> {
    match node {
        Node::Text(text) => Some(text.clone()),
        Node::Number(number) => Some(number.to_string()),
        Node::Bool(value) => Some(value.to_string()),
        Node::Null | Node::List(_) | Node::Map(_) => None,
    }
}

/// Checks values as the command line does.
fn checked(command: &Command, arg: &Arg, entry: &Entry, values: Vec<String>) -> Result<Given, Problem> {
    let long = arg.get_long().unwrap_or_default();
    let line = values.iter().map(|value| format!("--{long}={value}"));
    let line = std::iter::once("config".to_owned()).chain(line);
    // Other errors are about combinations of flags.
    let invalid = |error: &clap::Error| matches!(error.kind(), ErrorKind::InvalidValue | ErrorKind::ValueValidation);
    match command.clone().try_get_matches_from(line) {
        Err(error) if invalid(&error) => {
            let help = format!("write a value that `--{long}` accepts; `--help` describes it");
            Err(Problem::new(format!("`{}`: {}", entry.key, cause(&error)), help).at(entry.place))
        }
        _ => Ok(Given { id: arg.get_id().to_string(), values }),
    }
}

/// The cause, as clap prints it in its first lines.
fn cause(error: &clap::Error) -> String {
    let text = error.to_string();
    let lines = text.lines().take_while(|line| !line.is_empty()).map(str::trim);
    lines.collect::<Vec<_>>().join("; ").trim_start_matches("error: ").to_owned()
}

/// Rejects keys whose flags exclude each other.
fn check_conflicts(command: &Command, given: &[Given]) -> Result<(), Problem> {
    let flags = given.iter().filter(|one| !one.values.is_empty()).filter_map(|one| {
        let arg = command.get_arguments().find(|arg| arg.get_id() == one.id.as_str())?;
        let long = arg.get_long()?;
        let is_switch = matches!(arg.get_action(), ArgAction::SetTrue);
        Some(
            one.values
                .iter()
                .map(move |value| if is_switch { format!("--{long}") } else { format!("--{long}={value}") }),
        )
    });
    let line = std::iter::once("config".to_owned()).chain(flags.flatten());
    match command.clone().try_get_matches_from(line) {
        Err(error) if error.kind() == ErrorKind::ArgumentConflict => {
            Err(Problem::new(cause(&error), "remove the key of one of the two flags"))
        }
        _ => Ok(()),
    }
}

fn keys(command: &Command) -> impl Iterator<Item = &Arg> {
    command.get_arguments().filter(|arg| arg.get_long().is_some() && !NO_KEYS.contains(&arg.get_id().as_str()))
}

/// `total-concurrency` is `totalConcurrency`.
pub(super) fn key(arg: &Arg) -> String {
    let mut words = arg.get_long().unwrap_or_default().split('-');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |key, word| {
        let (head, rest) = word.split_at(word.len().min(1));
        key + &head.to_uppercase() + rest
    })
}

fn unknown(command: &Command, entry: &Entry) -> Problem {
    let known = keys(command).map(key).chain([SETTINGS.to_owned()]);
    let written = entry.key.replace(['-', '_'], "").to_lowercase();
    let distance = |known: &String| strsim::damerau_levenshtein(&written, &known.to_lowercase());
    let most = (written.len() / 3).clamp(1, TYPOS);
    let nearest = known.min_by_key(distance).filter(|known| distance(known) <= most);
    let help = match nearest {
        Some(known) => format!("did you mean `{known}`?"),
        None => "write the long name of a flag of `--help` in camel case, such as `totalConcurrency`".to_owned(),
    };
    Problem::new(format!("unknown key `{}`", entry.key), help).at(entry.key_place)
}
