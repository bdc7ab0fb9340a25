//! Label and field selectors, with the error messages of an API server.

mod field;
mod label;
mod printed;

use serde_json::Value;

pub(crate) use field::{Fields, named};
pub(crate) use label::Labels;
pub(crate) use printed::printed;

use crate::api_error::Failure;
use crate::registry::Kind;
use crate::store::Scope;

/// The selectors of a list or watch.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selector {
    labels: Labels,
    fields: Fields,
}

impl Selector {
    /// Parses both selectors of a request.
    pub(crate) fn parse(labels: Option<&str>, fields: Option<&str>, kind: &Kind) -> Result<Self, Failure> {
        let labels = Labels::parse(labels.unwrap_or_default()).map_err(Failure::bad_request)?;
        let fields = Fields::parse(fields.unwrap_or_default(), kind).map_err(Failure::bad_request)?;
        Ok(Selector { labels, fields })
    }

    pub(crate) fn matches(&self, object: &Value, kind: &Kind) -> bool {
        self.labels.matches(object) && self.fields.matches(object, kind)
    }

    /// Restricts the selector to one name, as the deprecated watch path of an object requires.
    pub(crate) fn name(&mut self, name: &str) {
        self.fields.name(name);
    }

    /// The smallest indexed scope that contains all matches in a namespace or in all namespaces.
    pub(crate) fn scope(&self, namespace: Option<&str>) -> Scope {
        let namespace = namespace.or_else(|| self.fields.exact("metadata.namespace"));
        let name = self.fields.exact("metadata.name");
        Scope { namespace: namespace.map(str::to_owned), name: name.map(str::to_owned) }
    }

    /// Whether the selector matches everything.
    pub(crate) fn is_empty(&self) -> bool {
        self.labels.is_empty() && self.fields.is_empty()
    }
}
