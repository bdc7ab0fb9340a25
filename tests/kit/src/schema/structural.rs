//! The structural schema: a validated, owned form of an `openAPIV3Schema`.

use std::collections::BTreeMap;

use regex::Regex;
use serde_json::{Number, Value};

use super::rule::Rule;

/// A structural schema of a custom resource version.
#[derive(Clone, Debug)]
pub struct Structural {
    pub(crate) kind: Kind,
    pub(crate) nullable: bool,
    pub(crate) preserve: bool,
    pub(crate) embedded: bool,
    pub(crate) properties: BTreeMap<String, Structural>,
    pub(crate) rest: Rest,
    pub(crate) items: Option<Box<Structural>>,
    pub(crate) default: Option<Value>,
    pub(crate) list: ListType,
    pub(crate) map: MapType,
    pub(crate) rules: Rules,
    pub(crate) cel: Vec<Rule>,
}

/// The JSON type that a schema node requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Object,
    Array,
    Text,
    Integer,
    Number,
    Boolean,
    IntOrString,
    /// No type, as under `x-kubernetes-preserve-unknown-fields`.
    Any,
}

impl Kind {
    /// All type names, sorted as API servers list them.
    pub(crate) const NAMES: [&str; 6] = ["array", "boolean", "integer", "number", "object", "string"];

    pub(crate) fn of(name: &str) -> Option<Self> {
        Some(match name {
            "object" => Self::Object,
            "array" => Self::Array,
            "string" => Self::Text,
            "integer" => Self::Integer,
            "number" => Self::Number,
            "boolean" => Self::Boolean,
            _ => return None,
        })
    }

    /// The name in messages; empty if any type is allowed.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Object => "object",
            Self::Array => "array",
            Self::Text => "string",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::IntOrString => "integer,string",
            Self::Any => "",
        }
    }
}

/// The members of an object other than its named properties (`additionalProperties`).
#[derive(Clone, Debug)]
pub(crate) enum Rest {
    Nothing,
    Anything,
    Each(Box<Structural>),
}

/// `x-kubernetes-list-type`: the granularity of ownership of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ListType {
    Atomic,
    Set,
    /// Items identified by these fields.
    Map(Vec<String>),
}

/// `x-kubernetes-map-type`: the granularity of ownership of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MapType {
    Granular,
    Atomic,
}

/// The value validations of one schema node.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rules {
    pub(crate) choice: Option<Vec<Value>>,
    pub(crate) pattern: Option<Regex>,
    pub(crate) format: Option<String>,
    pub(crate) minimum: Option<Bound>,
    pub(crate) maximum: Option<Bound>,
    pub(crate) multiple: Option<Number>,
    pub(crate) length: Range,
    pub(crate) count: Range,
    pub(crate) size: Range,
    pub(crate) required: Vec<String>,
    pub(crate) all: Vec<Logic>,
    pub(crate) any: Vec<Logic>,
    pub(crate) one: Vec<Logic>,
    pub(crate) not: Option<Box<Logic>>,
}

/// A numeric limit.
#[derive(Clone, Debug)]
pub(crate) struct Bound {
    pub(crate) limit: Number,
    pub(crate) exclusive: bool,
}

/// Inclusive limits of a length or count.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Range {
    pub(crate) min: Option<u64>,
    pub(crate) max: Option<u64>,
}

/// A schema under `allOf`, `anyOf`, `oneOf` or `not`; it validates values but does not define fields.
#[derive(Clone, Debug)]
pub(crate) struct Logic {
    /// Set only in the two fixed branches of an int-or-string field.
    pub(crate) kind: Kind,
    pub(crate) rules: Rules,
    pub(crate) properties: BTreeMap<String, Logic>,
    pub(crate) items: Option<Box<Logic>>,
    pub(crate) rest: Option<Box<Logic>>,
}

impl Structural {
    /// The schema of the member `name`, declared or additional.
    pub(crate) fn member(&self, name: &str) -> Option<&Self> {
        match (self.properties.get(name), &self.rest) {
            (Some(schema), _) => Some(schema),
            (None, Rest::Each(schema)) => Some(schema),
            (None, Rest::Nothing | Rest::Anything) => None,
        }
    }
}

/// `name` under the path `at`.
pub(crate) fn join(at: &str, name: &str) -> String {
    if at.is_empty() { name.to_owned() } else { format!("{at}.{name}") }
}
