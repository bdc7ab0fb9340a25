//! One kind: its names, where it is stored, and in what its rules differ from those of other kinds.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::field::Selectable;
use super::typed::{Decode, Decoded};
use crate::schema::Structural;

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
    /// Where the objects are stored: shared by all versions, and by the two Event groups.
    pub storage: Storage,
    /// What may be done with objects, in the order discovery shows it.
    pub verbs: Vec<Verb>,
    /// Whether `/status` exists: writes to the object then leave the status alone.
    pub status: bool,
    /// Where `/scale` finds its numbers, when it exists.
    pub scale: Option<Scale>,
    /// Subresources beyond status and scale.
    pub others: Vec<Subresource>,
    /// Whether `metadata.generation` counts changes of the specification.
    pub generation: bool,
    /// Whether a PUT without resourceVersion is taken; otherwise it is 422.
    pub unconditional_update: bool,
    /// Whether a PUT of an absent object creates it; otherwise it is 404.
    pub create_on_update: bool,
    /// Fields that field selectors may name besides `metadata.name` and `metadata.namespace`.
    pub fields: Vec<Selectable>,
    /// Who defined the kind.
    pub origin: Origin,
}

/// Who defined a kind, with what only that sort of kind has.
#[derive(Clone, Debug)]
pub enum Origin {
    /// A kind of Kubernetes itself, decoded through its k8s-openapi type.
    Builtin(Decode),
    /// A kind of a CustomResourceDefinition.
    Custom(Arc<Custom>),
}

/// What a CustomResourceDefinition says about one served version.
#[derive(Clone, Debug)]
pub struct Custom {
    /// Name of the definition, "plural.group".
    pub definition: String,
    /// The version objects are stored at.
    pub storage_version: String,
    /// `openAPIV3Schema` as written.
    pub schema: Arc<Value>,
    /// The same schema, read: for pruning, defaulting, validation and apply.
    pub structural: Arc<Structural>,
    /// The schema of the storage version, which decides what is kept.
    pub storage_schema: Arc<Structural>,
    /// The columns `kubectl get` shows; empty means the name and the age.
    pub columns: Vec<Column>,
    /// The text of the Warning header every request gets when the version is deprecated.
    pub deprecation: Option<String>,
    /// Whether the definition is being deleted: creates are then refused (403).
    pub terminating: bool,
}

/// The key of one store: all objects under it share their names.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Storage {
    /// Group; "" for the Events of both groups.
    pub group: Arc<str>,
    /// Plural.
    pub plural: Arc<str>,
}

/// Where the scale subresource finds its numbers, as JSON pointers into the object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scale {
    /// The wanted number, such as "/spec/replicas".
    pub spec_replicas: String,
    /// The observed number, such as "/status/replicas".
    pub status_replicas: String,
    /// The pods counted.
    pub selector: Option<Selector>,
}

/// What the label selector of a scale is read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selector {
    /// A pointer to a selector in text form.
    Text(String),
    /// A pointer to a LabelSelector object.
    Object(String),
}

/// A subresource besides status and scale.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subresource {
    /// Path segment, such as "finalize".
    pub name: &'static str,
    /// Kind it answers.
    pub kind: &'static str,
    /// Group and version of that kind, where they are not the parent's.
    pub foreign: Option<(&'static str, &'static str)>,
    /// What may be done with it.
    pub verbs: &'static [Verb],
}

/// A column of `kubectl get`, as in `additionalPrinterColumns`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Column {
    /// Heading.
    pub name: String,
    /// One of boolean, date, integer, number, string.
    #[serde(rename = "type")]
    pub type_: String,
    /// Refinement of the type.
    #[serde(default)]
    pub format: String,
    /// What it means.
    #[serde(default)]
    pub description: String,
    /// Columns above 0 show up in wide output only.
    #[serde(default)]
    pub priority: i32,
    /// Simple path into the object, such as ".spec.size".
    pub json_path: String,
}

/// What may be done with objects of a kind, in the words of discovery.
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
    /// As RBAC writes it: "deletecollection".
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

    /// "plural.group", or the plural alone in the core group: how errors name the kind.
    #[must_use]
    pub fn qualified(&self) -> String {
        if self.group.is_empty() { self.plural.clone() } else { format!("{}.{}", self.plural, self.group) }
    }

    /// Whether the kind is one of Kubernetes itself.
    #[must_use]
    pub fn is_builtin(&self) -> bool {
        matches!(self.origin, Origin::Builtin(_))
    }

    /// What the definition says, for a custom kind.
    #[must_use]
    pub fn custom(&self) -> Option<&Custom> {
        match &self.origin {
            Origin::Builtin(_) => None,
            Origin::Custom(custom) => Some(custom),
        }
    }

    /// Whether this may be done with objects of the kind.
    #[must_use]
    pub fn allows(&self, verb: Verb) -> bool {
        self.verbs.contains(&verb)
    }

    /// Decodes an object of a built-in kind through its type; an object of a custom kind is left as it is.
    ///
    /// # Errors
    /// The decoder's text when a field has a wrong type.
    pub fn decode(&self, object: &Value) -> Result<Decoded, String> {
        match &self.origin {
            Origin::Builtin(decode) => decode.decode(object),
            Origin::Custom(_) => Ok(Decoded { value: object.clone(), unknown: Vec::new() }),
        }
    }

    /// The value a field selector compares: `None` when selectors may not name the field.
    #[must_use]
    pub fn field(&self, label: &str, object: &Value) -> Option<String> {
        match label {
            "metadata.name" => Some(text(object.pointer("/metadata/name"))),
            "metadata.namespace" if self.names_namespace() => Some(text(object.pointer("/metadata/namespace"))),
            _ => self.fields.iter().find(|field| field.label == label).map(|field| field.value(object)),
        }
    }

    /// Whether field selectors may name this field.
    #[must_use]
    pub fn is_selectable(&self, label: &str) -> bool {
        self.field(label, &Value::Null).is_some()
    }

    /// The 400 message for a field that selectors may not name.
    #[must_use]
    pub fn unselectable(&self, label: &str) -> String {
        if self.fields.is_empty() && self.is_builtin() {
            format!(r#""{label}" is not a known field selector: only "metadata.name", "metadata.namespace""#)
        } else {
            format!("field label not supported: {label}")
        }
    }

    /// Cluster-scoped custom kinds refuse `metadata.namespace`; built-in ones take it.
    fn names_namespace(&self) -> bool {
        self.namespaced || self.is_builtin()
    }
}

impl Storage {
    /// The key of a group's plural.
    #[must_use]
    pub fn new(group: &str, plural: &str) -> Self {
        Self { group: group.into(), plural: plural.into() }
    }
}

fn text(value: Option<&Value>) -> String {
    value.and_then(Value::as_str).unwrap_or_default().to_owned()
}
