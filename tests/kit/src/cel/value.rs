//! Converts JSON values to CEL values by their schema.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use kube_cel::cel::Value as Cel;
use kube_cel::cel::objects::{Key, Map};
use serde_json::Value;

use super::escape::escaped;
use super::library::FUNCTIONS;
use super::list::{self, typed};
use super::program;
use super::types::Place;
use crate::schema::{Kind, ListType, Rest, Structural};

/// Creates CEL values.
pub(super) struct Maker;

impl Maker {
    pub(super) fn make(&self, value: &Value, s: &Structural, place: Place) -> Cel {
        match value {
            Value::Null => Cel::Null,
            Value::Bool(truth) => Cel::Bool(*truth),
            Value::Number(number) if s.kind == Kind::Number => Cel::Float(number.as_f64().unwrap_or(f64::NAN)),
            Value::Number(number) => {
                number.as_i64().map_or_else(|| Cel::Float(number.as_f64().unwrap_or(f64::NAN)), Cel::Int)
            }
            Value::String(text) => self.text(text, s),
            Value::Array(items) => {
                let item = |item| s.items.as_deref().map(|schema| self.make(item, schema, Place::Inside));
                Self::list(items.iter().filter_map(item).collect(), s)
            }
            Value::Object(map) => map_of(match (&s.rest, place) {
                (Rest::Each(each), _) => {
                    map.iter().map(|(name, value)| (name.clone(), self.make(value, each, Place::Inside))).collect()
                }
                (_, place) => self.object(map, s, place),
            }),
        }
    }

    fn list(items: Vec<Cel>, s: &Structural) -> Cel {
        let escaped = |key: &String| escaped(key).map_or_else(|| key.clone(), Cow::into_owned);
        match &s.list {
            ListType::Atomic => Cel::List(Arc::new(items)),
            ListType::Set => typed(items, list::Kind::Set),
            ListType::Map(keys) => typed(items, list::Kind::Keyed(keys.iter().map(escaped).collect())),
        }
    }

    fn object(&self, map: &serde_json::Map<String, Value>, s: &Structural, place: Place) -> HashMap<String, Cel> {
        let is_resource = place == Place::Root || s.embedded;
        let declared = map.iter().filter(|(name, _)| !(is_resource && is_head(name)));
        let mut fields: HashMap<String, Cel> = declared
            .filter_map(|(name, value)| {
                let schema = s.properties.get(name)?;
                Some((escaped(name)?.into_owned(), self.make(value, schema, Place::Inside)))
            })
            .collect();
        if is_resource {
            fields.extend(head(map));
        }
        fields
    }

    fn text(&self, text: &str, s: &Structural) -> Cel {
        let plain = || Cel::String(Arc::new(text.to_owned()));
        if s.kind != Kind::Text {
            return plain();
        }
        let read = match s.rules.format.as_deref() {
            Some("byte") => self.read("base64.decode(text)", text.to_owned()),
            Some("date") => self.read("timestamp(text)", format!("{text}T00:00:00Z")),
            Some("date-time") => self.read("timestamp(text)", text.to_owned()),
            Some("duration") => self.read("duration(text)", text.to_owned()),
            _ => None,
        };
        read.unwrap_or_else(plain)
    }

    fn read(&self, expression: &str, text: String) -> Option<Cel> {
        let expr = program::parsed(expression).ok()?;
        let mut context = FUNCTIONS.new_inner_scope();
        context.add_variable_from_value("text", text);
        Cel::resolve(&expr.expr, &context).ok()
    }
}

fn is_head(name: &str) -> bool {
    matches!(name, "apiVersion" | "kind" | "metadata")
}

/// Rules can access only `name` and `generateName` in the metadata of a resource.
fn head(map: &serde_json::Map<String, Value>) -> HashMap<String, Cel> {
    let text = |value: &Value| value.as_str().map(|text| Cel::String(Arc::new(text.to_owned())));
    let named = |map: &serde_json::Map<String, Value>, names: &[&str]| -> HashMap<String, Cel> {
        names.iter().filter_map(|name| Some(((*name).to_owned(), text(map.get(*name)?)?))).collect()
    };
    let mut fields = named(map, &["apiVersion", "kind"]);
    if let Some(metadata) = map.get("metadata").and_then(Value::as_object) {
        fields.insert("metadata".to_owned(), map_of(named(metadata, &["generateName", "name"])));
    }
    fields
}

fn map_of(fields: HashMap<String, Cel>) -> Cel {
    let map = fields.into_iter().map(|(name, value)| (Key::String(Arc::new(name)), value)).collect();
    Cel::Map(Map { map: Arc::new(map) })
}
