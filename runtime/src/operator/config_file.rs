//! The file of `--config`: it gives values to flags, and settings to the program, which change while the operator runs.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use clap::parser::ValueSource;
use clap::{ArgMatches, Command};
use tokio::sync::watch;
use tokio_util::task::AbortOnDropHandle;
use tracing::Instrument;

use super::builder::Operator;
use super::config_keys::{self, Given, LOG};
use super::error::{Error, Reason, Result};
use super::feature_gates::FeatureGates;
use super::log::{DEFAULT, SetFilter, filter};
use crate::Live;
use crate::config::{Accepted, Document, Fingerprint, Problem, Reload, Section, Settings, Status, read_once};

/// The command that reports an invalid file instead of ending.
const REPORTS: &str = "doctor";

/// The command with a file for the pods, and the ids of flags that mean something else in it.
const INSTALLS: &str = "manifests";
const RENAMED: [&str; 3] = ["namespaces", "replicas", "no_replicas"];

/// The id of the flag with the path.
const FLAG: &str = "config";

/// The configuration file of an operator, if there is one, and the settings that it sets.
#[derive(Default)]
pub(super) struct ConfigFile {
    section: Option<Arc<dyn Section>>,
    loaded: Option<Loaded>,
    /// Why the file is invalid, for the command that reports it.
    broken: Option<(PathBuf, Problem)>,
}

/// A file that is valid.
struct Loaded {
    path: PathBuf,
    text: String,
    rules: Rules,
}

/// What a file is checked against, and what it changes.
#[derive(Clone)]
struct Rules {
    command: Command,
    gates: FeatureGates,
    section: Option<Arc<dyn Section>>,
    fingerprint: Fingerprint,
    /// The ids of flags that the command line or the environment gives.
    overridden: BTreeSet<String>,
    /// The values of the file with which the program started, by the ids of the flags.
    initial: BTreeMap<String, Vec<String>>,
    /// The log filter that is in force.
    log: Arc<Mutex<String>>,
    set_filter: Option<SetFilter>,
}

impl ConfigFile {
    /// Sets these settings from the section of the author.
    pub(super) fn accept<T>(&mut self, live: &Live<T>)
    where
        T: serde::de::DeserializeOwned + Send + Sync + 'static,
    {
        self.section = Some(Arc::new(Settings::of(live)));
    }

    /// Sets how a change of the log filter is put in force.
    pub(super) fn set_filter_by(&mut self, set_filter: SetFilter) {
        if let Some(loaded) = &mut self.loaded {
            loaded.rules.set_filter = Some(set_filter);
        }
    }

    /// Whether the file is valid: its path, or the cause and the fix. `None`: there is no file.
    #[cfg(feature = "doctor")]
    pub(super) fn verdict(&self) -> Option<Result<&Path, (String, String)>> {
        match (&self.loaded, &self.broken) {
            (Some(loaded), _) => Some(Ok(&loaded.path)),
            (None, Some((path, problem))) => Some(Err((headline(path, problem), problem.help.clone()))),
            (None, None) => None,
        }
    }

    /// The file for the pods, with the hash of the keys that need a restart.
    #[cfg(feature = "manifests")]
    pub(super) fn for_pods(&self) -> Option<crate::manifests::ConfigText> {
        let loaded = self.loaded.as_ref()?;
        let document = Document::parse(&loaded.text).ok()?;
        Some(crate::manifests::ConfigText { text: loaded.text.clone(), checksum: document.hash_without(LOG) })
    }

    /// The values that the file gives to a flag.
    #[cfg(feature = "manifests")]
    fn values(&self, id: &str) -> &[String] {
        self.loaded.as_ref().and_then(|loaded| loaded.rules.initial.get(id)).map_or(&[], Vec::as_slice)
    }
}

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

fn headline(path: &Path, problem: &Problem) -> String {
    format!("the configuration file cannot be used: {}: {}", problem.in_file(path), problem.text)
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

impl Rules {
    /// The values of a file that count, by the ids of their flags.
    fn values(&self, document: &Document) -> Result<BTreeMap<String, Vec<String>>, Problem> {
        let given = config_keys::given(&self.command, document)?.into_iter();
        let counts = |one: &Given| !one.values.is_empty() && !self.overridden.contains(&one.id);
        Ok(given.filter(counts).map(|one| (one.id, one.values)).collect())
    }

    /// Checks a text.
    fn check(&self, text: &str) -> Result<Accepted, Problem> {
        let document = Document::parse(text)?;
        let values = self.values(&document)?;
        self.check_gates(&document, &values)?;
        let settings: Box<dyn FnOnce() + Send> = match (&self.section, &document.settings) {
            (Some(section), _) => section.check(text, &document)?,
            (None, None) => Box::new(|| ()),
            (None, Some(section)) => {
                let problem = Problem::new("unknown key `settings`: this program has no settings", "remove it");
                return Err(problem.at(section.key_place));
            }
        };
        let (rules, log) = (self.clone(), values.get(LOG).and_then(|values| values.first().cloned()));
        let hash = document.fingerprint();
        let apply = Box::new(move || {
            let mut changed = Vec::new();
            if *rules.fingerprint.current() != *hash {
                changed.push("settings");
            }
            settings();
            // The hash last: a pass that reads it has the settings of it, or newer ones.
            rules.fingerprint.set(hash);
            changed.extend(rules.set_log(log.as_deref().unwrap_or(DEFAULT)).then_some(LOG));
            changed
        });
        Ok(Accepted { pending: self.pending(&values), apply })
    }

    fn check_gates(&self, document: &Document, values: &BTreeMap<String, Vec<String>>) -> Result<(), Problem> {
        let Some(text) = values.get("feature_gates").and_then(|values| values.first()) else { return Ok(()) };
        let place = document.entries.iter().find(|entry| entry.key == "featureGates").and_then(|entry| entry.place);
        self.gates.clone().set(text).map_err(|error| {
            let text = error.to_string();
            let headline = text.lines().next().unwrap_or_default();
            Problem::new(format!("`featureGates`: {headline}"), error.help()).at(place)
        })
    }

    /// The keys whose change needs a restart.
    fn pending(&self, values: &BTreeMap<String, Vec<String>>) -> Vec<String> {
        let ids: BTreeSet<&String> = self.initial.keys().chain(values.keys()).collect();
        let changed = ids.into_iter().filter(|id| *id != LOG && self.initial.get(*id) != values.get(*id));
        let keys = changed.map(|id| self.key(id));
        keys.collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// The key of a flag.
    fn key(&self, id: &str) -> String {
        let id = if id == "no_replicas" { "replicas" } else { id };
        let arg = self.command.get_arguments().find(|arg| arg.get_id() == id);
        arg.map_or_else(|| id.to_owned(), config_keys::key)
    }

    /// Puts a log filter in force. Returns whether it has changed.
    fn set_log(&self, text: &str) -> bool {
        if self.overridden.contains(LOG) {
            return false;
        }
        let mut current = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        if *current == text {
            return false;
        }
        *current = text.to_owned();
        match (&self.set_filter, filter(text)) {
            (Some(set), Ok(filter)) => set(filter),
            // At the start, the flag sets it.
            _ => false,
        }
    }
}

/// Follows the file until the handle is dropped.
pub(super) fn follow(operator: &mut Operator) -> Option<AbortOnDropHandle<()>> {
    let Loaded { path, text, rules } = operator.file.loaded.take()?;
    let status = watch::Sender::new(Status::default());
    #[cfg(feature = "metrics")]
    super::config_metrics::register(operator, status.subscribe());
    let reload = Reload::new(path, text, Box::new(move |text| rules.check(text)), status);
    let run = async move { match reload.run().await {} };
    Some(AbortOnDropHandle::new(tokio::spawn(run.in_current_span())))
}

#[cfg(test)]
mod tests;
