//! Loads the file of `--config` at the start, and follows it while the operator runs.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::parser::ValueSource;
use clap::{ArgMatches, Command};
use tokio::sync::watch;
use tokio_util::task::AbortOnDropHandle;

use super::builder::Operator;
#[cfg(feature = "manifests")]
use super::config_file::ConfigFile;
use super::config_file::{Loaded, Rules, headline};
use super::error::{Error, Reason, Result};
use crate::config::{Document, Problem, Reload, Status, read_once};
use crate::task::task;

/// The command that reports an invalid file instead of ending.
const REPORTS: &str = "doctor";

/// The command with a file for the pods, and the ids of flags that mean something else in it.
const INSTALLS: &str = "manifests";
const RENAMED: [&str; 3] = ["namespaces", "replicas", "no_replicas"];

/// The id of the flag with the path.
const FLAG: &str = "config";

/// Reads the file that the line names. The command with its values as defaults, so that flags and variables win.
///
/// # Errors
/// The file cannot be read, or a part of it is invalid.
pub(super) fn load(operator: &mut Operator, line: Command, given: &[OsString]) -> Result<Command> {
    // Errors of the line itself are reported when it is parsed again.
    let Ok(matches) = line.clone().ignore_errors(true).try_get_matches_from(given) else { return Ok(line) };
    let Some(path) = matches.get_one::<PathBuf>(FLAG).cloned() else { return Ok(line) };
    let mut rules = Rules {
        overridden: overridden(&line, &matches),
        command: line.clone(),
        gates: operator.gates.clone(),
        section: operator.file.section.clone(),
        fingerprint: operator.fingerprint.clone(),
        initial: BTreeMap::new(),
        log: Arc::default(),
        set_filter: None,
    };
    let read = read_once(&path).and_then(|text| {
        let values = rules.values(&Document::parse(&text)?)?;
        let accepted = rules.check(&text)?;
        Ok((text, values, accepted))
    });
    let (text, values, accepted) = match read {
        Ok(read) => read,
        Err(problem) if matches.subcommand_name() == Some(REPORTS) => {
            operator.file.broken = Some((path, problem));
            return Ok(line);
        }
        Err(problem) => return Err(unusable(&path, &problem)),
    };
    (accepted.apply)();
    rules.initial = values.clone();
    operator.file.loaded = Some(Loaded { path, text, rules });
    let is_free = |id: &String| matches.subcommand_name() != Some(INSTALLS) || !RENAMED.contains(&id.as_str());
    let values = values.into_iter().filter(|(id, _)| is_free(id));
    Ok(values.fold(line, |line, (id, values)| line.mut_arg(id, |arg| arg.default_values(values))))
}

/// Adds the values of flags that the command `manifests` has under other names.
#[cfg(feature = "manifests")]
pub(super) fn add_to_manifests(file: &ConfigFile, watched: &mut Vec<String>, elects: &mut bool) {
    if watched.is_empty() {
        watched.extend_from_slice(file.values("namespaces"));
    }
    *elects |= !file.values("replicas").is_empty();
}

/// The error for a file with which the program cannot start.
fn unusable(path: &Path, problem: &Problem) -> Error {
    Error::new(Reason::Config, headline(path, problem), problem.help.clone())
}

/// The flags that the line or the environment gives, and those that exclude one of them.
fn overridden(line: &Command, matches: &ArgMatches) -> BTreeSet<String> {
    let source = |id: &str| matches.ids().any(|known| known == id).then(|| matches.value_source(id)).flatten();
    let is_given = |id: &str| matches!(source(id), Some(ValueSource::CommandLine | ValueSource::EnvVariable));
    let given: Vec<_> = line.get_arguments().filter(|arg| is_given(arg.get_id().as_str())).collect();
    let mut all: BTreeSet<String> = given.iter().map(|arg| arg.get_id().to_string()).collect();
    let excludes = |arg| line.get_arg_conflicts_with(arg).into_iter().any(|other| is_given(other.get_id().as_str()));
    all.extend(line.get_arguments().filter(|arg| excludes(arg)).map(|arg| arg.get_id().to_string()));
    all.extend(given.into_iter().flat_map(|arg| line.get_arg_conflicts_with(arg)).map(|arg| arg.get_id().to_string()));
    for (one, other) in [("replicas", "no_replicas"), ("no_replicas", "replicas")] {
        if is_given(one) {
            all.insert(other.to_owned());
        }
    }
    if matches.subcommand_name() == Some(INSTALLS) {
        all.retain(|id| !RENAMED.contains(&id.as_str()));
    }
    all
}

/// Follows the file until the handle is dropped.
pub(super) fn follow(operator: &mut Operator) -> Option<AbortOnDropHandle<()>> {
    let Loaded { path, text, rules } = operator.file.loaded.take()?;
    let status = watch::Sender::new(Status::default());
    #[cfg(feature = "metrics")]
    super::config_metrics::register(operator, status.subscribe());
    let reload = Reload::new(path, text, Box::new(move |text| rules.check(text)), status);
    let run = async move { match reload.run().await {} };
    Some(AbortOnDropHandle::new(tokio::spawn(task(run))))
}

#[cfg(test)]
mod tests;
