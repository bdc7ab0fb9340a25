//! The rows of `features.yaml`.

use serde::Deserialize;

/// Whether a framework has a feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Has {
    Yes,
    /// With the author's own code, or with the limit that the note names.
    Part,
    No,
}

/// One feature.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Row {
    pub(crate) row: usize,
    pub(crate) group: String,
    pub(crate) feature: String,
    pub(crate) kube: String,
    pub(crate) controller_runtime: String,
    pub(crate) kopf: String,
    pub(crate) josdk: String,
    pub(crate) evenkeel: Has,
    #[serde(default)]
    pub(crate) note: String,
    /// The page of the guide.
    pub(crate) guide: Option<String>,
    /// The tests that hold the row: `tests/behaviour/watch.rs::a_test`.
    #[serde(default)]
    pub(crate) tests: Vec<String>,
}

/// Parses the rows.
pub(crate) fn parse(text: &str) -> Result<Vec<Row>, String> {
    serde_saphyr::from_str(text).map_err(|error| error.to_string())
}
