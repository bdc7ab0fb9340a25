//! Label, field and shard selectors, with the error messages of an API server.

mod field;
mod label;
mod printed;
mod shard;

use serde_json::Value;

pub(crate) use field::{Fields, named};
pub(crate) use label::Labels;
pub(crate) use printed::printed;
pub(crate) use shard::Shards;

use crate::api_error::Failure;
use crate::registry::Kind;
use crate::store::Scope;

/// The selectors of a list or watch.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selector {
    labels: Labels,
    fields: Fields,
    shards: Shards,
}

impl Selector {
    /// Parses the label and the field selector of a request.
    pub(crate) fn parse(labels: Option<&str>, fields: Option<&str>, kind: &Kind) -> Result<Self, Failure> {
        let labels = Labels::parse(labels.unwrap_or_default()).map_err(Failure::bad_request)?;
        let fields = Fields::parse(fields.unwrap_or_default(), kind).map_err(Failure::bad_request)?;
        Ok(Selector { labels, fields, shards: Shards::default() })
    }

    /// Adds the shard selector of a request.
    pub(crate) fn in_shards(self, shards: Option<&str>) -> Result<Self, Failure> {
        let shards = Shards::parse(shards.unwrap_or_default())
            .map_err(|error| Failure::internal(format!("invalid shard selector: {error}")))?;
        Ok(Selector { shards, ..self })
    }

    /// The shard selector as an API server prints it; `None` if there is none.
    pub(crate) fn shards(&self) -> Option<String> {
        (!self.shards.is_empty()).then(|| self.shards.to_string())
    }

    /// Removes the shard selector and returns it.
    pub(crate) fn take_shards(&mut self) -> Shards {
        std::mem::take(&mut self.shards)
    }

    pub(crate) fn matches(&self, object: &Value, kind: &Kind) -> bool {
        self.labels.matches(object) && self.fields.matches(object, kind) && self.shards.matches(object)
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
        self.labels.is_empty() && self.fields.is_empty() && self.shards.is_empty()
    }
}
