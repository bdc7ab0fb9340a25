//! A parsed configuration file: the keys of the framework, and the section of the author.

use serde_saphyr::{Options, Spanned};

use super::node::{Node, spot};
use super::problem::Problem;

/// The key of the author's section.
pub(crate) const SETTINGS: &str = "settings";

/// A parsed configuration file.
#[derive(Debug)]
pub(crate) struct Document {
    /// The keys other than [`SETTINGS`], in the order of the file.
    pub(crate) entries: Vec<Entry>,
    /// The section of the author, if there is one.
    pub(crate) settings: Option<Entry>,
    /// The file, for the places in it.
    pub(super) root: Node,
}

/// A key of the file with its value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) node: Node,
    /// The line and the column of the key.
    pub(crate) key_place: Option<(u64, u64)>,
    /// The line and the column of the value.
    pub(crate) place: Option<(u64, u64)>,
}

impl Document {
    /// Parses the text of a file.
    ///
    /// # Errors
    /// The text is no YAML, or no mapping. A file without content is rejected: it is one that is being written.
    pub(crate) fn parse(text: &str) -> Result<Self, Problem> {
        if text.trim().is_empty() {
            return Err(Problem::new("the file is empty", "write `{}` if nothing is to be set"));
        }
        let root: Spanned<Node> =
            serde_saphyr::from_str_with_options(text, options()).map_err(|error| Problem::of_text(&error))?;
        let place = spot(&root);
        let Node::Map(all) = &root.value else {
            let text = format!("the file has {} instead of a mapping", root.value.kind());
            return Err(Problem::new(text, "write keys with values, such as `concurrency: 4`").at(place));
        };
        let entries = all.iter().map(|(key, value)| Entry {
            key: key.value.clone(),
            node: value.value.clone(),
            key_place: spot(key),
            place: spot(value).or(spot(key)),
        });
        let (settings, entries): (Vec<_>, Vec<_>) = entries.partition(|entry| entry.key == SETTINGS);
        Ok(Self { entries, settings: settings.into_iter().next(), root: root.value })
    }
}

/// How files are read: as Kubernetes reads YAML, and without parts of the text in errors.
pub(super) fn options() -> Options {
    let mut options = Options::default();
    options.with_snippet = false;
    options
}
