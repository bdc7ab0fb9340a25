//! Values as rules see them, by their schema.

use std::collections::HashMap;
use std::sync::Arc;

use kube_cel::cel::objects::{Key, Map};
use kube_cel::cel::{Context, Value as Cel};
use serde_json::Value;

use super::name::escaped;
use super::program;
use super::types::Place;
use crate::schema::{Kind, ListType, Rest, Structural};

/// Makes values of the language; the context has the functions that read dates and durations.
pub(super) struct Maker<'c>(pub(super) &'c Context<'c>);

impl Maker<'_> {
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
                Cel::List(Arc::new(items.iter().filter_map(item).collect()))
            }
            Value::Object(map) => map_of(match (&s.rest, place) {
                (Rest::Each(each), _) => {
                    map.iter().map(|(name, value)| (name.clone(), self.make(value, each, Place::Inside))).collect()
                }
                (_, place) => self.object(map, s, place),
            }),
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
        let mut context = self.0.new_inner_scope();
        context.add_variable_from_value("text", text);
        Cel::resolve(&expr.runs, &context).ok()
    }
}

fn is_head(name: &str) -> bool {
    matches!(name, "apiVersion" | "kind" | "metadata")
}

/// Of the metadata of a resource rules see two names.
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

/// `old` with the items of its sets and keyed lists in the order `new` has them, so that lists which differ in their
/// order alone are equal.
pub(super) fn aligned(old: &Value, new: &Value, s: &Structural) -> Value {
    match (old, new) {
        (Value::Array(old), Value::Array(new)) => aligned_list(old, new, s).into(),
        (Value::Object(old), Value::Object(new)) => {
            let member = |(name, value): (&String, &Value)| {
                let aligned = s.member(name).zip(new.get(name)).map(|(schema, new)| aligned(value, new, schema));
                (name.clone(), aligned.unwrap_or_else(|| value.clone()))
            };
            Value::Object(old.iter().map(member).collect())
        }
        _ => old.clone(),
    }
}

fn aligned_list(old: &[Value], new: &[Value], s: &Structural) -> Vec<Value> {
    let same = |a: &Value, b: &Value| match &s.list {
        ListType::Atomic => false,
        ListType::Set => a == b,
        ListType::Map(keys) => keys.iter().all(|key| a.get(key) == b.get(key)),
    };
    let mut rest: Vec<&Value> = old.iter().collect();
    let mut out = Vec::with_capacity(old.len());
    for item in new {
        if let Some(at) = rest.iter().position(|old| same(old, item)) {
            let found = rest.remove(at);
            out.push(s.items.as_deref().map_or_else(|| found.clone(), |schema| aligned(found, item, schema)));
        }
    }
    out.extend(rest.into_iter().cloned());
    out
}
