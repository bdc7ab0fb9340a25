//! Environment variables of the flags: a flag wins over its variable, and the variable over the default.

use std::ffi::OsString;

use clap::builder::Resettable;
use clap::error::{ContextKind, ContextValue};

const PREFIX: &str = "EVENKEEL_";
/// The flag whose variable kube's client reads itself.
const READ_BY_KUBE: &str = "kubeconfig";
/// A variable that differs in at most this number of characters from that of a flag is reported as misspelt.
const TYPOS: usize = 2;

/// Adds a variable to each flag that has none: `--total-concurrency` can be set by `EVENKEEL_TOTAL_CONCURRENCY`.
pub(super) fn with_variables(command: clap::Command, given: &[OsString]) -> clap::Command {
    command.mut_args(|arg| match variable(&arg) {
        // clap would check the value of the variable, too.
        _ if given.iter().any(|word| is_flag(&arg, &word.to_string_lossy())) => arg.env(Resettable::Reset),
        // An empty variable counts as unset, as in a manifest with an optional value.
        Some(name) if std::env::var_os(&name).is_none_or(|value| !value.is_empty()) => {
            arg.env(name).hide_env_values(true)
        }
        _ => arg,
    })
}

fn is_flag(arg: &clap::Arg, word: &str) -> bool {
    let long = word.strip_prefix("--").and_then(|rest| rest.split('=').next());
    let short = word.strip_prefix('-').and_then(|rest| rest.chars().next());
    (long.is_some() && long == arg.get_long()) || (short.is_some() && short == arg.get_short())
}

fn variable(arg: &clap::Arg) -> Option<String> {
    let flag = arg.get_long().filter(|flag| *flag != READ_BY_KUBE && arg.get_env().is_none())?;
    Some(format!("{PREFIX}{}", flag.to_uppercase().replace('-', "_")))
}

/// Adds the variable to an error about a value that comes from one.
pub(super) fn explain(mut error: clap::Error, command: &clap::Command) -> clap::Error {
    let Some(ContextValue::String(arg)) = error.get(ContextKind::InvalidArg) else { return error };
    let arg = command.get_arguments().find(|known| arg.split_whitespace().any(|word| is_flag(known, word)));
    let variable = arg.and_then(|arg| arg.get_env()).filter(|name| std::env::var_os(name).is_some());
    if let Some(variable) = variable {
        let tip = format!("the value comes from the environment variable {}", variable.to_string_lossy());
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

/// Logs variables that look like misspelt ones of a flag. `command` has the variables of all flags.
pub(super) fn warn_of_typos(command: &clap::Command) {
    let variables = command.get_arguments().filter_map(|arg| Some(arg.get_env()?.to_str()?.to_owned()));
    let known: Vec<String> = variables.collect();
    let set = std::env::vars_os().filter_map(|(name, value)| name.into_string().ok().filter(|_| !value.is_empty()));
    for (name, meant) in set.filter_map(|name| misspelt(&name, &known).map(|meant| (name.clone(), meant.to_owned()))) {
        tracing::warn!(variable = name, "unknown environment variable; did you mean {meant}?");
    }
}

/// The variable of a flag that is meant by one that is not known.
fn misspelt<'k>(name: &str, known: &'k [String]) -> Option<&'k str> {
    let is_ours = name.starts_with(PREFIX) && !known.iter().any(|known| known == name);
    let distance = |known: &String| strsim::damerau_levenshtein(name, known);
    let nearest = known.iter().min_by_key(|known| distance(known)).filter(|known| is_ours && distance(known) <= TYPOS);
    nearest.map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_is_named_after_its_flag() {
        let arg = |flag: &'static str| clap::Arg::new(flag).long(flag);
        assert_eq!(variable(&arg("total-concurrency")).as_deref(), Some("EVENKEEL_TOTAL_CONCURRENCY"));
        assert_eq!(variable(&arg("log").env("RUST_LOG")), None, "it has a variable");
        assert_eq!(variable(&arg("kubeconfig")), None, "kube reads KUBECONFIG, which may list several files");
        assert_eq!(variable(&clap::Arg::new("positional")), None);
    }

    #[test]
    fn a_flag_is_found_in_each_form() {
        let arg = clap::Arg::new("namespace").long("namespace").short('n');
        for word in ["--namespace", "--namespace=a", "-n", "-na"] {
            assert!(is_flag(&arg, word), "{word}");
        }
        for word in ["--namespaces", "n", "namespace", "-", "--", "-o"] {
            assert!(!is_flag(&arg, word), "{word}");
        }
    }

    #[test]
    fn only_a_similar_variable_is_misspelt() {
        let known = ["EVENKEEL_CONCURRENCY".to_owned(), "EVENKEEL_LISTEN".to_owned()];
        assert_eq!(misspelt("EVENKEEL_CONCURENCY", &known), Some("EVENKEEL_CONCURRENCY"));
        assert_eq!(misspelt("EVENKEEL_CONCURRENCY", &known), None, "it is right");
        assert_eq!(misspelt("EVENKEEL_PORT_8080_TCP", &known), None, "Kubernetes sets it for a Service");
        assert_eq!(misspelt("CONCURRENCY", &known), None, "it belongs to another program");
    }
}
