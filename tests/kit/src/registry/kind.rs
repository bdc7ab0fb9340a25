//! The description of one kind: its names, its storage, and its specific behaviour.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::field::Selectable;
use super::typed::{Decode, Decoded};
use crate::schema::Structural;
use crate::webhook_address::Conversion;

/// A kind as served at one group and version.
#[derive(Clone, Debug)]
pub struct Kind {
    /// API group; "" is the core group.
    pub group: String,
    /// Version, such as "v1".
    pub version: String,
    /// Kind, such as "ConfigMap".
    pub kind: String,
    /// Plural, the path segment, such as "configmaps".
    pub plural: String,
    /// Singular, such as "configmap".
    pub singular: String,
    /// Kind of a list, such as "ConfigMapList".
    pub list_kind: String,
    /// Short names, such as "cm".
    pub short_names: Vec<String>,
    /// Categories, such as "all".
    pub categories: Vec<String>,
    /// Whether objects live in a namespace.
    pub namespaced: bool,
    /// The storage of the objects, which all versions share; both Event groups share one too.
    pub storage: Storage,
    /// The supported verbs, in the order of discovery.
    pub verbs: Vec<Verb>,
    /// Whether the subresource `/status` exists; writes to the object itself then do not change the status.
    pub status: bool,
    /// The fields of the subresource `/scale`, if it exists.
    pub scale: Option<Scale>,
    /// Subresources other than status and scale.
    pub others: Vec<Subresource>,
    /// Whether `metadata.generation` counts changes of the spec.
    pub generation: bool,
    /// Whether a PUT without a resourceVersion is accepted; otherwise it returns 422.
    pub unconditional_update: bool,
    /// Whether a PUT of an absent object creates it; otherwise it returns 404.
    pub create_on_update: bool,
    /// Fields that field selectors support in addition to `metadata.name` and `metadata.namespace`.
    pub fields: Vec<Selectable>,
    /// Whether the kind is built in or custom.
    pub origin: Origin,
}

/// The origin of a kind, with the data that only this sort of kind has.
#[derive(Clone, Debug)]
pub enum Origin {
    /// A kind of Kubernetes itself, decoded through its k8s-openapi type.
    Builtin(Decode),
    /// A kind that a CustomResourceDefinition defines.
    Custom(Arc<Custom>),
}

/// The data of one served version of a CustomResourceDefinition.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Custom {
    /// Name of the CRD, "plural.group".
    pub definition: String,
    /// The version in which objects are stored.
    pub storage_version: String,
    /// `openAPIV3Schema` as in the CRD.
    pub schema: Arc<Value>,
    /// The parsed schema, for pruning, defaulting, validation and apply.
    pub structural: Arc<Structural>,
    /// The schema of the storage version; fields that it does not declare are pruned.
    pub storage_schema: Arc<Structural>,
    /// The schemas of all versions in the CRD, by name; objects can be stored in versions that are not served.
    pub(crate) schemas: Arc<BTreeMap<String, Arc<Structural>>>,
    /// The columns of `kubectl get`; if empty, name and age are shown.
    pub columns: Vec<Column>,
    /// The text of the Warning header of every request to a deprecated version.
    pub deprecation: Option<String>,
    /// Whether the CRD is being deleted; creates then return 403.
    pub terminating: bool,
    /// The webhook that converts objects between versions; without one, only `apiVersion` changes.
    pub(crate) conversion: Option<Conversion>,
    /// Identifies the spec of the CRD: a change ends the watches of its kinds.
    pub(crate) revision: String,
}

/// The key of a store; names are unique within a store.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Storage {
    /// Group; "" for the Events of both groups.
    pub group: Arc<str>,
    /// Plural.
    pub plural: Arc<str>,
}

/// The fields of the scale subresource, as JSON pointers into the object.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Scale {
    /// The desired number of replicas, such as "/spec/replicas".
    pub spec_replicas: String,
    /// The observed number of replicas, such as "/status/replicas".
    pub status_replicas: String,
    /// The label selector of the counted pods.
    pub selector: Option<Selector>,
}

/// The location of the label selector of a scale.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selector {
    /// A pointer to a selector in string form.
    Text(String),
    /// A pointer to a LabelSelector object.
    Object(String),
}

/// A subresource other than status and scale.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subresource {
    /// Path segment, such as "finalize".
    pub name: &'static str,
    /// The kind of the returned object.
    pub kind: &'static str,
    /// Group and version of that kind, if they differ from those of the parent.
    pub foreign: Option<(&'static str, &'static str)>,
    /// The supported verbs.
    pub verbs: &'static [Verb],
}

/// A column of `kubectl get`, as in `additionalPrinterColumns`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Column {
    /// Heading.
    pub name: String,
    /// One of boolean, date, integer, number, string.
    #[serde(rename = "type")]
    pub type_: String,
    /// The format, which refines the type.
    #[serde(default)]
    pub format: String,
    /// The description of the column.
    #[serde(default)]
    pub description: String,
    /// Columns with a priority above 0 are shown only in wide output.
    #[serde(default)]
    pub priority: i32,
    /// Simple path into the object, such as ".spec.size".
    pub json_path: String,
}

/// A verb that a kind supports, as named in discovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verb {
    /// POST.
    Create,
    /// DELETE of one object.
    Delete,
    /// DELETE of a collection.
    DeleteCollection,
    /// GET of one object.
    Get,
    /// GET of a collection.
    List,
    /// PATCH.
    Patch,
    /// PUT.
    Update,
    /// GET of a collection with `watch=true`.
    Watch,
}

impl std::fmt::Display for Verb {
    /// The verb as in RBAC rules: "deletecollection".
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Verb::Create => "create",
            Verb::Delete => "delete",
            Verb::DeleteCollection => "deletecollection",
            Verb::Get => "get",
            Verb::List => "list",
            Verb::Patch => "patch",
            Verb::Update => "update",
            Verb::Watch => "watch",
        })
    }
}

impl Kind {
    /// "group/version", or the version alone in the core group.
    #[must_use]
    pub fn api_version(&self) -> String {
        if self.group.is_empty() { self.version.clone() } else { format!("{}/{}", self.group, self.version) }
    }

    /// "plural.group", or only the plural in the core group; errors use this name.
    #[must_use]
    pub fn qualified(&self) -> String {
        if self.group.is_empty() { self.plural.clone() } else { format!("{}.{}", self.plural, self.group) }
    }

    /// Whether the kind is built into Kubernetes.
    #[must_use]
    pub fn is_builtin(&self) -> bool {
        matches!(self.origin, Origin::Builtin(_))
    }

    /// The CRD data of a custom kind.
    #[must_use]
    pub fn custom(&self) -> Option<&Custom> {
        match &self.origin {
            Origin::Builtin(_) => None,
            Origin::Custom(custom) => Some(custom),
        }
    }

    /// The webhook that converts between the versions of the kind.
    pub(crate) fn webhook(&self) -> Option<&Conversion> {
        self.custom()?.conversion.as_ref()
    }

    /// The webhook that converts objects of this version to the storage version; `None` if this version is stored, or no webhook converts.
    pub(crate) fn converts(&self) -> Option<&Conversion> {
        let custom = self.custom().filter(|custom| custom.storage_version != self.version)?;
        custom.conversion.as_ref()
    }

    /// Whether the kind supports the verb.
    #[must_use]
    pub fn allows(&self, verb: Verb) -> bool {
        self.verbs.contains(&verb)
    }

    /// Decodes an object of a built-in kind through its type; an object of a custom kind is returned unchanged.
    ///
    /// # Errors
    /// The error message of the decoder if a field has a wrong type.
    pub fn decode(&self, object: &Value) -> Result<Decoded, String> {
        match &self.origin {
            Origin::Builtin(decode) => decode.decode(object),
            Origin::Custom(_) => Ok(Decoded { value: object.clone(), unknown: Vec::new() }),
        }
    }

    /// The value that a field selector compares; `None` if selectors do not support the field.
    #[must_use]
    pub fn field(&self, label: &str, object: &Value) -> Option<String> {
        match label {
            "metadata.name" => Some(text(object.pointer("/metadata/name"))),
            "metadata.namespace" if self.names_namespace() => Some(text(object.pointer("/metadata/namespace"))),
            _ => self.fields.iter().find(|field| field.label == label).map(|field| field.value(object)),
        }
    }

    /// Whether field selectors support this field.
    #[must_use]
    pub fn is_selectable(&self, label: &str) -> bool {
        self.field(label, &Value::Null).is_some()
    }

    /// The message of the 400 response for an unsupported field.
    #[must_use]
    pub fn unselectable(&self, label: &str) -> String {
        if self.fields.is_empty() && self.is_builtin() {
            format!(r#""{label}" is not a known field selector: only "metadata.name", "metadata.namespace""#)
        } else {
            format!("field label not supported: {label}")
        }
    }

    /// Cluster-scoped custom kinds reject selectors on `metadata.namespace`; built-in ones accept them.
    fn names_namespace(&self) -> bool {
        self.namespaced || self.is_builtin()
    }
}

impl Storage {
    /// The key for a group and a plural.
    #[must_use]
    pub fn new(group: &str, plural: &str) -> Self {
        Self { group: group.into(), plural: plural.into() }
    }
}

fn text(value: Option<&Value>) -> String {
    value.and_then(Value::as_str).unwrap_or_default().to_owned()
}
