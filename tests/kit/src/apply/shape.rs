//! The granularity of ownership of each part of an object: as a whole, by member or by item.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde_json::{Value, json};

use super::actor::Lists;
use super::builtin;
use super::path_element::Element;
use crate::schema::{Kind, ListType, MapType, Rest, Structural};

/// The schema information about the value at a path.
#[derive(Clone, Copy)]
pub(crate) enum Shape<'a> {
    /// Under preserve-unknown-fields: members are undeclared, and lists are atomic.
    Loose,
    /// Part of a resource.
    Schema(&'a Structural),
    /// A whole resource: a schema plus the three head fields.
    Resource(&'a Structural),
}

/// How the members of one value are owned.
pub(crate) enum Form<'a> {
    /// Owned as a whole.
    Leaf,
    /// An object owned by member.
    Map,
    /// A list owned by item.
    List(Items<'a>),
}

/// Whether the schema declares the member of an object. Undeclared members are owned themselves, in addition to their contents.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Naming {
    Declared,
    Open,
}

impl<'a> Shape<'a> {
    /// The shape of the whole object `obj`.
    pub(crate) fn root(lists: Lists<'a>, obj: &Value) -> Self {
        match lists {
            Lists::Structural(schema) | Lists::Versions(schema, _) => Self::Resource(schema),
            Lists::Deduced => Self::builtin(obj),
        }
    }

    /// The shape of an object of a built-in kind.
    pub(crate) fn builtin(obj: &Value) -> Self {
        let text = |name: &str| obj[name].as_str().unwrap_or_default();
        Self::Resource(builtin::schema(text("apiVersion"), text("kind")))
    }

    fn of(schema: &'a Structural) -> Self {
        match schema.kind {
            Kind::Any if schema.preserve && schema.properties.is_empty() => Self::Loose,
            _ if schema.embedded => Self::Resource(schema),
            _ => Self::Schema(schema),
        }
    }

    pub(crate) fn schema(self) -> Option<&'a Structural> {
        match self {
            Self::Schema(schema) | Self::Resource(schema) => Some(schema),
            Self::Loose => None,
        }
    }

    /// The list type at this position, if its items are owned separately.
    fn items(self) -> Option<Items<'a>> {
        let schema = self.schema()?;
        let shape = self.any_item()?;
        (schema.list != ListType::Atomic).then_some(Items { list: &schema.list, item: schema.items.as_deref()?, shape })
    }

    /// The shape of the items of a list of any list type.
    pub(crate) fn any_item(self) -> Option<Self> {
        let item = self.schema()?.items.as_deref()?;
        Some(Self::of(item))
    }

    /// The granularity of ownership of `value` at this position. A value that does not match the schema is a leaf.
    pub(crate) fn form(self, value: &Value) -> Form<'a> {
        match (self, value) {
            (Self::Loose, Value::Object(_)) => Form::Map,
            (shape, Value::Object(_)) if shape.schema().is_some_and(is_granular_map) => Form::Map,
            (shape, Value::Array(_)) => shape.items().map_or(Form::Leaf, Form::List),
            _ => Form::Leaf,
        }
    }

    /// Whether the schema declares a map or list as atomic.
    pub(crate) fn is_atomic(self) -> bool {
        self.schema().is_some_and(|schema| match schema.kind {
            Kind::Object => schema.map == MapType::Atomic,
            Kind::Array => schema.list == ListType::Atomic,
            _ => false,
        })
    }

    /// The shape of the member `name`, or `None` if the schema does not allow such a member.
    pub(crate) fn member(self, name: &str) -> Option<(Self, Naming)> {
        match self {
            Self::Loose => Some((Self::Loose, Naming::Open)),
            Self::Schema(schema) => schema_member(schema, name),
            Self::Resource(schema) => {
                head(name).map(|shape| (shape, Naming::Declared)).or_else(|| schema_member(schema, name))
            }
        }
    }

    /// Like [`Shape::member`], for a stored value that may no longer match its schema.
    pub(crate) fn stored_member(self, name: &str) -> (Self, Naming) {
        self.member(name).unwrap_or((Self::Loose, Naming::Open))
    }

    /// The shape of a child when the value itself is not available.
    pub(crate) fn step(self, element: &Element) -> (Self, Naming) {
        match element {
            Element::Field(name) => self.stored_member(name),
            Element::Key(_) | Element::Item(_) | Element::Index(_) => {
                (self.items().map_or(Self::Loose, Items::shape), Naming::Open)
            }
        }
    }
}

fn is_granular_map(schema: &Structural) -> bool {
    matches!(schema.kind, Kind::Object | Kind::Any) && schema.map == MapType::Granular
}

fn schema_member<'a>(schema: &'a Structural, name: &str) -> Option<(Shape<'a>, Naming)> {
    if let Some(property) = schema.properties.get(name) {
        return Some((Shape::of(property), Naming::Declared));
    }
    match &schema.rest {
        Rest::Each(each) => Some((Shape::of(each), Naming::Open)),
        Rest::Anything => Some((Shape::Loose, Naming::Open)),
        Rest::Nothing if schema.preserve => Some((Shape::Loose, Naming::Open)),
        Rest::Nothing => None,
    }
}

fn head(name: &str) -> Option<Shape<'static>> {
    match name {
        "apiVersion" | "kind" => Some(Shape::Schema(&TEXT)),
        "metadata" => Some(Shape::Schema(&METADATA)),
        _ => None,
    }
}

/// A list with separate ownership of each item.
#[derive(Clone, Copy)]
pub(crate) struct Items<'a> {
    list: &'a ListType,
    item: &'a Structural,
    shape: Shape<'a>,
}

impl<'a> Items<'a> {
    /// The shape of each item.
    pub(crate) fn shape(self) -> Shape<'a> {
        self.shape
    }

    /// The path element of `item`.
    ///
    /// # Errors
    /// The reason why the item has no unique path element.
    pub(crate) fn element(self, item: &Value) -> Result<Element, String> {
        match self.list {
            ListType::Map(keys) => self.keyed(keys, item),
            ListType::Set | ListType::Atomic => set_item(item),
        }
    }

    fn keyed(self, keys: &[String], item: &Value) -> Result<Element, String> {
        let Value::Object(map) = item else {
            return Err(if item.is_null() {
                "associative list with keys may not have a null element".to_owned()
            } else {
                "associative list with keys may not have non-map elements".to_owned()
            });
        };
        let preset = |key: &String| self.item.properties.get(key).and_then(|property| property.default.as_ref());
        let fields: BTreeMap<&str, &Value> =
            keys.iter().filter_map(|key| Some((key.as_str(), map.get(key).or_else(|| preset(key))?))).collect();
        if fields.is_empty() {
            let keys = keys.iter().map(|key| format!("{key:?}")).collect::<Vec<_>>().join(" ");
            return Err(format!(
                "associative list with keys has an element that omits all key fields [{keys}] \
                 (and doesn't have default values for any key fields)"
            ));
        }
        Ok(Element::key(fields.into_iter()))
    }
}

fn set_item(item: &Value) -> Result<Element, String> {
    match item {
        Value::Object(_) => Err("associative list without keys has an element that's a map type".to_owned()),
        Value::Array(_) => Err("not supported: associative list with lists as elements".to_owned()),
        Value::Null => Err("associative list without keys has an element that's an explicit null".to_owned()),
        scalar => Ok(Element::item(scalar)),
    }
}

static TEXT: LazyLock<Structural> = LazyLock::new(|| Structural::read(&json!({"type": "string"})));

/// `ObjectMeta`, with the list and map types of `k8s.io/apimachinery`.
static METADATA: LazyLock<Structural> = LazyLock::new(|| {
    let text = json!({"type": "string"});
    let number = json!({"type": "integer"});
    let texts = json!({"type": "object", "additionalProperties": text});
    let metadata = json!({"type": "object", "properties": {
        "annotations": texts, "labels": texts,
        "creationTimestamp": text, "deletionTimestamp": text, "deletionGracePeriodSeconds": number,
        "finalizers": {"type": "array", "x-kubernetes-list-type": "set", "items": text},
        "generateName": text, "generation": number, "name": text, "namespace": text, "resourceVersion": text,
        "selfLink": text, "uid": text,
        "managedFields": {"type": "array", "items": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
        "ownerReferences": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["uid"],
            "items": {"type": "object", "x-kubernetes-map-type": "atomic", "required": ["uid"], "properties": {
                "apiVersion": text, "kind": text, "name": text, "uid": {"type": "string", "default": ""},
                "controller": {"type": "boolean"}, "blockOwnerDeletion": {"type": "boolean"}}}},
    }});
    Structural::read(&metadata)
});
