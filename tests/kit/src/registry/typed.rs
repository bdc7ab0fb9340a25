//! Decodes built-in objects through their k8s-openapi types: type errors, unknown fields and normalization.

use std::fmt;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// The decoder of one built-in kind: deserializes into its type and serializes again.
#[derive(Clone, Copy)]
pub struct Decode(fn(&Value) -> Result<Value, String>);

/// A decoded object.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Decoded {
    /// The object without nulls and unknown fields, with normalized leaves.
    pub value: Value,
    /// Paths of unknown fields, such as `spec.ports[0].bogus`.
    pub unknown: Vec<String>,
}

impl fmt::Debug for Decode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Decode")
    }
}

impl Decode {
    pub(super) fn of<T: Serialize + DeserializeOwned>() -> Self {
        Self(typed::<T>)
    }

    /// # Errors
    /// The error message of the decoder if a field has a wrong type.
    pub(super) fn decode(self, object: &Value) -> Result<Decoded, String> {
        let mut object = quantities(object);
        if matches!(object["kind"].as_str(), Some("ConfigMap" | "Secret")) {
            plain_texts(&mut object, &["data", "binaryData"]);
        }
        let object = &object;
        let known = (self.0)(object)?;
        let mut unknown = Vec::new();
        let value = common(object, &known, &mut Path(Vec::new()), &mut unknown);
        Ok(Decoded { value, unknown })
    }
}

fn typed<T: Serialize + DeserializeOwned>(object: &Value) -> Result<Value, String> {
    let decoded = T::deserialize(object).map_err(|error| error.to_string())?;
    serde_json::to_value(decoded).map_err(|error| error.to_string())
}

/// Maps of quantities. They may contain numbers, but k8s-openapi accepts only strings.
const QUANTITIES: [&str; 7] = ["allocatable", "capacity", "hard", "limits", "overhead", "requests", "used"];

/// Maps of strings.
const TEXTS: [&str; 5] = ["annotations", "labels", "matchLabels", "nodeSelector", "stringData"];

fn quantities(value: &Value) -> Value {
    match value {
        Value::Object(map) => map.iter().map(|(key, value)| (key.clone(), quantity_map(key, value))).collect(),
        Value::Array(items) => items.iter().map(quantities).collect(),
        leaf => leaf.clone(),
    }
}

/// Members with values of other types: the schemas of CRDs, with their defaults, and the data of ControllerRevisions.
const FOREIGN: [&str; 2] = ["data", "openAPIV3Schema"];

fn quantity_map(key: &str, value: &Value) -> Value {
    match value {
        value if FOREIGN.contains(&key) => value.clone(),
        Value::Object(map) if TEXTS.contains(&key) => {
            map.iter().map(|(key, value)| (key.clone(), null_as_text(value))).collect()
        }
        Value::Object(map) if QUANTITIES.contains(&key) => {
            map.iter().map(|(key, value)| (key.clone(), number_as_text(value))).collect()
        }
        value => quantities(value),
    }
}

/// Go reads null in a map of strings as the empty string.
fn null_as_text(value: &Value) -> Value {
    if value.is_null() { Value::String(String::new()) } else { value.clone() }
}

/// Replaces nulls in these members, which are maps of strings, as Go reads them.
pub(crate) fn plain_texts(object: &mut Value, members: &[&str]) {
    for member in members {
        for value in object.get_mut(*member).and_then(Value::as_object_mut).into_iter().flat_map(Map::values_mut) {
            *value = null_as_text(value);
        }
    }
}

fn number_as_text(value: &Value) -> Value {
    if value.is_number() { Value::String(value.to_string()) } else { quantities(value) }
}

/// The fields that both values have; the serialized form also has empty fields that the object did not contain.
fn common<'a>(written: &'a Value, known: &Value, path: &mut Path<'a>, unknown: &mut Vec<String>) -> Value {
    match (written, known) {
        (Value::Object(written), Value::Object(known)) => Value::Object(fields(written, known, path, unknown)),
        (Value::Array(written), Value::Array(known)) if written.len() == known.len() => {
            let pairs = written.iter().zip(known).enumerate();
            pairs
                .map(|(at, (written, known))| {
                    path.within(Step::Index(at), |path| common(written, known, path, unknown))
                })
                .collect()
        }
        // Go prints an integral float without a fraction, so 3 stays 3.
        (Value::Number(written), Value::Number(known)) if written.as_f64() == known.as_f64() => {
            Value::Number(written.clone())
        }
        _ => known.clone(),
    }
}

fn fields<'a>(
    written: &'a Map<String, Value>,
    known: &Map<String, Value>,
    path: &mut Path<'a>,
    unknown: &mut Vec<String>,
) -> Map<String, Value> {
    let mut out = Map::new();
    for (key, value) in written.iter().filter(|(_, value)| !value.is_null()) {
        path.within(Step::Field(key), |path| match known.get(key) {
            Some(known) => drop(out.insert(key.clone(), common(value, known, path, unknown))),
            None => unknown.push(path.to_string()),
        });
    }
    out
}

/// The current path of a traversal, printed as `spec.ports[0].name`.
struct Path<'a>(Vec<Step<'a>>);

enum Step<'a> {
    Field(&'a str),
    Index(usize),
}

impl<'a> Path<'a> {
    fn within<T>(&mut self, step: Step<'a>, walk: impl FnOnce(&mut Self) -> T) -> T {
        self.0.push(step);
        let out = walk(self);
        self.0.pop();
        out
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, step) in self.0.iter().enumerate() {
            match step {
                Step::Field(name) if at == 0 => f.write_str(name)?,
                Step::Field(name) => write!(f, ".{name}")?,
                Step::Index(at) => write!(f, "[{at}]")?,
            }
        }
        Ok(())
    }
}
