//! One of the two versions, as an API server sees it.

use evenkeel::rules::Registered;
use serde_json::{Value, json};

use crate::cel;
use crate::schema::{self, Structural};

/// Decodes a part of an object and encodes it again.
type Normal = fn(Value) -> Result<Value, String>;

/// A version with its schema.
pub(super) struct Side {
    pub(super) api_version: String,
    pub(super) kind: String,
    pub(super) schema: Structural,
    /// The forms of the spec, and of the status if it has functions.
    pub(super) normal: [Option<Normal>; 2],
}

/// The parts that are converted.
pub(super) const PARTS: [&str; 2] = ["spec", "status"];

impl Side {
    /// # Errors
    /// The CRD has no schema, or an API server rejects it.
    pub(super) fn new(
        version: evenkeel::conversion::VersionInfo,
        normal: [Option<Normal>; 2],
        rules: &[Registered],
    ) -> Result<Self, String> {
        let resource = (version.kind)().resource;
        let name = format!("{} ({})", resource.kind, resource.api_version);
        let mut definition = (version.definition)();
        for rule in rules.iter().filter(|rule| rule.kind == (version.kind)()) {
            rule.add_to(&mut definition).map_err(|error| error.to_string())?;
        }
        let definition = serde_json::to_value(definition).map_err(|error| error.to_string())?;
        let schema = &definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
        let schema = Structural::parse(schema).map_err(|causes| {
            let causes: Vec<String> = causes.iter().map(ToString::to_string).collect();
            format!("an API server rejects the CRD of {name}\n  {}", causes.join("\n  "))
        })?;
        let (api_version, kind) = (resource.api_version.clone(), resource.kind.clone());
        Ok(Self { api_version, kind, schema, normal })
    }

    /// The object with its defaults, as an API server stores and returns it.
    pub(super) fn stored(&self, mut object: Value) -> Value {
        object["apiVersion"] = json!(self.api_version);
        object["kind"] = json!(self.kind);
        schema::default(&mut object, &self.schema);
        object
    }

    /// Why an API server refuses the object: by its schema, or by its rules.
    pub(super) fn invalid(&self, object: &Value) -> Option<String> {
        let found = schema::validate(object, None, &self.schema);
        let found = if found.is_empty() { cel::run(object, None, &self.schema, &[]).causes } else { found };
        found.first().map(ToString::to_string)
    }

    /// Whether the object fits the type.
    pub(super) fn fits(&self, object: &Value) -> bool {
        self.typed(object).is_ok()
    }

    /// The object with its defaults, in the form in which the type writes it, without `null`: objects that mean the same are equal.
    pub(super) fn normal(&self, object: &Value) -> Result<Value, String> {
        let mut typed = self.typed(&self.stored(object.clone()))?;
        without_nulls(&mut typed);
        Ok(typed)
    }

    fn typed(&self, object: &Value) -> Result<Value, String> {
        let mut object = object.clone();
        for (name, normal) in PARTS.iter().zip(self.normal) {
            let Some(normal) = normal else { continue };
            let part = object[*name].take();
            match part.is_null() && *name == "status" {
                true => {}
                false => object[*name] = normal(part).map_err(|why| format!("{name}: {why}"))?,
            }
        }
        Ok(object)
    }
}

fn without_nulls(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|_, value| !value.is_null());
            map.values_mut().for_each(without_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(without_nulls),
        _ => {}
    }
}
