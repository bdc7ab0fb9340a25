//! The author's section of a configuration file, as the type of the program.

use std::sync::Arc;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_ignored::Path;
use serde_json::Value;

use super::document::{Document, SETTINGS, options};
use super::live::Live;
use super::node::Node;
use super::problem::Problem;
use crate::sorted_json::sorted;
use crate::stable_hash::StableHash;

/// New settings that are valid. They are in force when it is called.
pub(crate) type Apply = Box<dyn FnOnce() + Send>;

/// The author's section, whatever its type is.
pub(crate) trait Section: Send + Sync {
    /// Checks the section of a file.
    ///
    /// # Errors
    /// A field is unknown, missing, or has another type or a value that is not allowed.
    fn check(&self, text: &str, document: &Document) -> Result<Apply, Problem>;
}

/// The settings of a program.
pub(crate) struct Settings<T> {
    live: Live<T>,
    /// What the program sets, for a file without the section.
    initial: Arc<T>,
}

impl<T> Settings<T> {
    pub(crate) fn of(live: &Live<T>) -> Self {
        Self { live: live.clone(), initial: live.now() }
    }
}

impl<T: DeserializeOwned + Send + Sync + 'static> Section for Settings<T> {
    fn check(&self, text: &str, document: &Document) -> Result<Apply, Problem> {
        let value = match &document.settings {
            Some(section) if section.node != Node::Null => Arc::new(parse(text, document)?),
            _ => self.initial.clone(),
        };
        let live = self.live.clone();
        Ok(Box::new(move || live.set(value)))
    }
}

/// The file. Only its section is read here.
#[derive(Deserialize)]
struct File<T> {
    settings: T,
}

fn parse<T: DeserializeOwned>(text: &str, document: &Document) -> Result<T, Problem> {
    let mut unknown = None;
    let parsed = serde_saphyr::with_deserializer_from_str_with_options(text, options(), |deserializer| {
        let mut note = |path: Path<'_>| {
            let path = parts(&path);
            // The other keys are those of the framework.
            if path.first().is_some_and(|first| first == SETTINGS) {
                unknown.get_or_insert(path);
            }
        };
        serde_ignored::deserialize::<_, _, File<T>>(deserializer, &mut note)
    });
    let File { settings } = parsed.map_err(|error| Problem::of_settings(&error))?;
    match unknown {
        None => Ok(settings),
        Some(path) => {
            let problem = Problem::new(format!("unknown field `{}`", path.join(".")), "remove it, or correct its name");
            Err(problem.at(document.root.place(&path)))
        }
    }
}

fn parts(path: &Path<'_>) -> Vec<String> {
    let (parent, part) = match path {
        Path::Root => return Vec::new(),
        Path::Seq { parent, index } => (parent, Some(index.to_string())),
        Path::Map { parent, key } => (parent, Some(key.clone())),
        Path::Some { parent } | Path::NewtypeStruct { parent } | Path::NewtypeVariant { parent } => (parent, None),
    };
    let mut all = parts(parent);
    all.extend(part);
    all
}

impl Document {
    /// The hash of the author's section; empty if there is none. The layout and the comments of the file do not count.
    pub(crate) fn fingerprint(&self) -> String {
        let section = self.settings.as_ref().filter(|section| section.node != Node::Null);
        section.map(|section| hash(section.node.json())).unwrap_or_default()
    }

    /// The hash of the keys of the framework other than this one.
    #[cfg(feature = "manifests")]
    pub(crate) fn hash_without(&self, other: &str) -> String {
        let entries = self.entries.iter().filter(|entry| entry.key != other);
        hash(entries.map(|entry| (entry.key.clone(), entry.node.json())).collect())
    }
}

fn hash(value: Value) -> String {
    let mut hash = StableHash::new();
    hash.add(&sorted(value).to_string());
    format!("{:016x}", hash.finish())
}
