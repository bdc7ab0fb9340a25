//! The file of `--config`: it gives values to flags, and settings to the program, which change while the operator runs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Command;

use super::config_keys::{self, Given, LOG};
use super::feature_gates::FeatureGates;
use super::log::{DEFAULT, SetFilter, filter};
use crate::config::{Accepted, Document, Fingerprint, Live, Problem, Section, Settings};
use crate::lock::Mutex;

/// The configuration file of an operator, if there is one, and the settings that it sets.
#[derive(Default)]
pub(super) struct ConfigFile {
    pub(super) section: Option<Arc<dyn Section>>,
    pub(super) loaded: Option<Loaded>,
    /// Why the file is invalid, for the command that reports it.
    pub(super) broken: Option<(PathBuf, Problem)>,
}

/// A file that is valid.
pub(super) struct Loaded {
    pub(super) path: PathBuf,
    pub(super) text: String,
    pub(super) rules: Rules,
}

/// What a file is checked against, and what it changes.
#[derive(Clone)]
pub(super) struct Rules {
    pub(super) command: Command,
    pub(super) gates: FeatureGates,
    pub(super) section: Option<Arc<dyn Section>>,
    pub(super) fingerprint: Fingerprint,
    /// The ids of flags that the command line or the environment gives.
    pub(super) overridden: BTreeSet<String>,
    /// The values of the file with which the program started, by the ids of the flags.
    pub(super) initial: BTreeMap<String, Vec<String>>,
    /// The log filter that is in force.
    pub(super) log: Arc<Mutex<String>>,
    pub(super) set_filter: Option<SetFilter>,
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
    pub(super) fn values(&self, id: &str) -> &[String] {
        self.loaded.as_ref().and_then(|loaded| loaded.rules.initial.get(id)).map_or(&[], Vec::as_slice)
    }
}

pub(super) fn headline(path: &Path, problem: &Problem) -> String {
    format!("the configuration file cannot be used: {}: {}", problem.in_file(path), problem.text)
}

impl Rules {
    /// The values of a file that count, by the ids of their flags.
    pub(super) fn values(&self, document: &Document) -> Result<BTreeMap<String, Vec<String>>, Problem> {
        let given = config_keys::given(&self.command, document)?.into_iter();
        let counts = |one: &Given| !one.values.is_empty() && !self.overridden.contains(&one.id);
        Ok(given.filter(counts).map(|one| (one.id, one.values)).collect())
    }

    /// Checks a text.
    pub(super) fn check(&self, text: &str) -> Result<Accepted, Problem> {
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
        let mut current = self.log.lock();
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
