//! The types of values in rules, and the size limits from their schema.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::escape::escaped;
use crate::schema::{Kind, Rest, Structural};

/// A CEL type; `Display` prints it as the type checker of a server does.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Type {
    Dyn,
    /// An unknown type, such as that of the items of an empty list.
    Free,
    Null,
    Bool,
    Int,
    Uint,
    Double,
    Text,
    Bytes,
    Timestamp,
    Duration,
    List(Box<Sized>),
    Map(Box<Sized>, Box<Sized>),
    /// An object with declared fields, by their escaped names.
    Object(Arc<BTreeMap<String, Sized>>),
    Optional(Box<Sized>),
    /// The type of a type.
    Kind(Box<Type>),
    /// A type without a literal or schema, such as `kubernetes.Quantity`.
    Named(&'static str),
    /// A type parameter of a signature.
    Param(char),
}

/// A type with the size limits from its schema.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sized {
    pub(super) kind: Type,
    /// Maximum number of characters, items or members.
    pub(super) max: u64,
    /// Minimum number of bytes in a request.
    pub(super) least: u64,
}

impl Sized {
    pub(super) fn new(kind: Type, max: u64, least: u64) -> Self {
        Self { kind, max, least }
    }

    /// A value without a size limit.
    pub(super) fn unknown(kind: Type) -> Self {
        Self::new(kind, u64::MAX, 0)
    }
}

/// Maximum size in bytes of a request that a server reads.
pub(super) const REQUEST: u64 = 3 * 1024 * 1024;

/// Whether a schema describes a whole resource with its head fields.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Place {
    Root,
    Inside,
}

/// The type for a schema; `None` if rules can't access the value, as under preserve-unknown-fields without a type.
pub(super) fn of(s: &Structural, place: Place) -> Option<Sized> {
    let is_resource = place == Place::Root || s.embedded;
    Some(match s.kind {
        Kind::IntOrString => Sized::new(Type::Dyn, REQUEST - 2, 1),
        Kind::Any => return None,
        Kind::Boolean => Sized::new(Type::Bool, 0, 4),
        Kind::Integer => Sized::new(Type::Int, 0, 1),
        Kind::Number => Sized::new(Type::Double, 0, 1),
        Kind::Text => text(s),
        Kind::Array => {
            let item = of(s.items.as_deref()?, Place::Inside)?;
            let max = s.rules.count.max.unwrap_or((REQUEST - 2) / (item.least + 1));
            Sized::new(Type::List(Box::new(item)), max, 2)
        }
        Kind::Object => match &s.rest {
            Rest::Each(each) => {
                let value = of(each, Place::Inside)?;
                let max = s.rules.size.max.unwrap_or((REQUEST - 2) / (value.least + 6));
                let key = Sized::new(Type::Text, 0, 2);
                Sized::new(Type::Map(Box::new(key), Box::new(value)), max, 2)
            }
            _ => object(s, is_resource),
        },
    })
}

fn text(s: &Structural) -> Sized {
    let longest = |bytes: u64| s.rules.length.max.map_or(REQUEST - 2, |max| max.saturating_mul(bytes));
    match s.rules.format.as_deref() {
        Some("byte") => Sized::new(Type::Bytes, longest(1), 2),
        Some("duration") => Sized::new(Type::Duration, 32, 3),
        Some("date") => Sized::new(Type::Timestamp, 12, 12),
        Some("date-time") => Sized::new(Type::Timestamp, 32, 21),
        _ => {
            let choice = s.rules.choice.as_ref().filter(|choice| s.rules.length.max.is_none() && !choice.is_empty());
            let of_choice = choice.map(|choice| {
                choice.iter().filter_map(|one| one.as_str()).map(|one| one.len() as u64 + 2).max().unwrap_or_default()
            });
            Sized::new(Type::Text, of_choice.unwrap_or_else(|| longest(4)), 2)
        }
    }
}

fn object(s: &Structural, is_resource: bool) -> Sized {
    let mut fields = BTreeMap::new();
    if is_resource {
        head(&mut fields);
    }
    let mut least = 2;
    for (name, property) in &s.properties {
        let Some(field) = of(property, Place::Inside) else { continue };
        if s.rules.required.contains(name) && property.default.is_none() {
            least += name.len() as u64 + field.least + 4;
        }
        let is_head = is_resource && matches!(name.as_str(), "apiVersion" | "kind" | "metadata");
        if let Some(name) = escaped(name).filter(|_| !is_head) {
            fields.insert(name.into_owned(), field);
        }
    }
    Sized::new(Type::Object(Arc::new(fields)), 0, least)
}

/// Adds the fields that every resource has, even if its schema does not declare them.
fn head(fields: &mut BTreeMap<String, Sized>) {
    let text = || Sized::new(Type::Text, REQUEST - 2, 2);
    let metadata = ["generateName", "name"].map(|name| (name.to_owned(), text()));
    let metadata = Type::Object(Arc::new(BTreeMap::from(metadata)));
    fields.insert("metadata".to_owned(), Sized::new(metadata, 0, 2));
    fields.extend(["apiVersion", "kind"].map(|name| (name.to_owned(), text())));
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dyn | Self::Free => f.write_str("dyn"),
            Self::Null => f.write_str("null"),
            Self::Bool => f.write_str("bool"),
            Self::Int => f.write_str("int"),
            Self::Uint => f.write_str("uint"),
            Self::Double => f.write_str("double"),
            Self::Text => f.write_str("string"),
            Self::Bytes => f.write_str("bytes"),
            Self::Timestamp => f.write_str("timestamp"),
            Self::Duration => f.write_str("duration"),
            Self::List(item) => write!(f, "list({})", item.kind),
            Self::Map(key, value) => write!(f, "map({}, {})", key.kind, value.kind),
            Self::Object(_) => f.write_str("object"),
            Self::Optional(inner) => write!(f, "optional_type({})", inner.kind),
            Self::Kind(inner) => write!(f, "type({inner})"),
            Self::Named(name) => f.write_str(name),
            Self::Param(name) => write!(f, "{name}"),
        }
    }
}
