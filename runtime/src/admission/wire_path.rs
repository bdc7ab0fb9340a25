//! The path of a field on the wire: the names in Rust, looked up in the schema of the kind.

use serde_json::Value;

use crate::pipeline::admission::{Field, Part};

/// The schema by which paths are resolved; `Null`: the program has none for the kind.
#[derive(Debug, Default)]
pub(super) struct WirePaths(pub(super) Value);

/// A name that no property has.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct UnknownName {
    /// The path before it.
    pub(super) parent: String,
    pub(super) name: String,
    pub(super) known: Vec<String>,
}

impl WirePaths {
    /// The path, such as `spec.items[2].serviceAccount`. `object` returns the reviewed object, for a kind without a schema.
    pub(super) fn resolve(&self, field: &Field, object: impl FnOnce() -> Value) -> String {
        let object = if self.0.is_null() { object() } else { Value::Null };
        let (mut path, mut schema, mut value) = (String::new(), &self.0, &object);
        for part in &field.0 {
            match part {
                Part::At(index) => {
                    path = format!("{path}[{index}]");
                    schema = inside(schema);
                    value = index.parse::<usize>().map_or_else(|_| &value[index.as_str()], |index| &value[index]);
                }
                Part::Wire(name) => {
                    push(&mut path, name);
                    (schema, value) = (&schema["properties"][*name], &value[*name]);
                }
                Part::Member(name) => {
                    let found = named(&schema["properties"], name).or_else(|| named(value, name));
                    let name = found.map_or_else(|| camel(name), ToOwned::to_owned);
                    push(&mut path, &name);
                    (schema, value) = (&schema["properties"][&name], &value[&name]);
                }
            }
        }
        path
    }

    /// Checks a path of the wiring against the schema.
    pub(super) fn check(&self, text: &str) -> Result<(), UnknownName> {
        let (mut path, mut schema) = (String::new(), &self.0);
        for part in text.split('.') {
            let (name, indexes) = part.split_once('[').unwrap_or((part, ""));
            let properties = &schema["properties"];
            let is_wire = name.strip_prefix('=');
            let found = match is_wire {
                Some(wire) => properties.get(wire).map(|_| wire.to_owned()),
                None => named(properties, name).map(ToOwned::to_owned),
            };
            let is_closed = properties.is_object() && !is_open(schema) && !is_implied(&path, name);
            let name = match found {
                None if is_closed => {
                    let known = properties.as_object().into_iter().flat_map(|all| all.keys().cloned()).collect();
                    return Err(UnknownName { parent: path, name: is_wire.unwrap_or(name).to_owned(), known });
                }
                found => found.unwrap_or_else(|| camel(name)),
            };
            push(&mut path, &name);
            schema = &properties[&name];
            schema = indexes.matches(']').fold(schema, |schema, _| inside(schema));
        }
        Ok(())
    }
}

fn push(path: &mut String, name: &str) {
    if !path.is_empty() {
        path.push('.');
    }
    path.push_str(name);
}

/// The schema of an item, or of a value of a map.
fn inside(schema: &Value) -> &Value {
    if schema["items"].is_object() { &schema["items"] } else { &schema["additionalProperties"] }
}

fn is_open(schema: &Value) -> bool {
    schema["x-kubernetes-preserve-unknown-fields"] == true
}

/// The fields of every object, which no schema of a CRD has.
fn is_implied(parent: &str, name: &str) -> bool {
    parent.is_empty() && ["metadata", "types", "api_version", "kind"].contains(&name)
}

/// The member with this name in Rust: as it is, in camelCase, or spelled with other capitals, such as `clusterIP`.
fn named<'a>(members: &'a Value, name: &str) -> Option<&'a str> {
    let members = members.as_object()?;
    let plain = |text: &str| text.replace('_', "").to_ascii_lowercase();
    let exact = [name.to_owned(), camel(name)];
    let exact = exact.iter().find_map(|name| members.get_key_value(name));
    let (squeezed, found) = (plain(name), exact.map(|(key, _)| key.as_str()));
    found.or_else(|| members.keys().map(String::as_str).find(|key| plain(key) == squeezed))
}

/// `service_account` as `serviceAccount`.
fn camel(name: &str) -> String {
    let mut words = name.split('_').filter(|word| !word.is_empty());
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |text, word| {
        let mut letters = word.chars();
        let capital = letters.next().map(|c| c.to_ascii_uppercase());
        text + &capital.into_iter().chain(letters).collect::<String>()
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn schema() -> WirePaths {
        let item = json!({ "type": "object", "properties": { "bindIP": {}, "type": {} } });
        WirePaths(json!({ "type": "object", "properties": { "spec": { "type": "object", "properties": {
            "serviceAccount": {}, "snake_case": {}, "items": { "type": "array", "items": item },
            "byName": { "type": "object", "additionalProperties": item },
            "free": { "type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": {} },
        } } } }))
    }

    fn resolve(paths: &WirePaths, parts: &[Part]) -> String {
        paths.resolve(
            &Field::new(parts.to_vec()),
            || json!({ "spec": { "clusterIP": "x", "ports": [{ "nodePort": 1 }] } }),
        )
    }

    #[test]
    fn names_are_those_of_the_schema() {
        use Part::{Member, Wire};
        let paths = schema();
        assert_eq!(resolve(&paths, &[Member("spec"), Member("service_account")]), "spec.serviceAccount");
        assert_eq!(resolve(&paths, &[Member("spec"), Member("snake_case")]), "spec.snake_case");
        let items = [Member("spec"), Member("items"), Part::at(2), Member("bind_ip")];
        assert_eq!(resolve(&paths, &items), "spec.items[2].bindIP");
        let by_name = [Member("spec"), Member("by_name"), Part::at("a.b/c"), Wire("type")];
        assert_eq!(resolve(&paths, &by_name), "spec.byName[a.b/c].type");
        assert_eq!(resolve(&paths, &[Member("metadata"), Member("generate_name")]), "metadata.generateName");
    }

    #[test]
    fn without_a_schema_the_object_has_the_names() {
        use Part::Member;
        let none = WirePaths::default();
        assert_eq!(resolve(&none, &[Member("spec"), Member("cluster_ip")]), "spec.clusterIP");
        assert_eq!(resolve(&none, &[Member("spec"), Member("external_name")]), "spec.externalName");
        let port = [Member("spec"), Member("ports"), Part::at(0), Member("node_port")];
        assert_eq!(resolve(&none, &port), "spec.ports[0].nodePort");
    }

    #[test]
    fn a_name_that_the_schema_does_not_have_is_an_error() {
        let paths = schema();
        for path in [
            "spec.service_account",
            "spec.items[].bind_ip",
            "spec.by_name[].=type",
            "spec.free.any.thing",
            "metadata.x",
        ] {
            assert_eq!(paths.check(path), Ok(()), "{path}");
        }
        let unknown = paths.check("spec.items[].kind_").unwrap_err();
        assert_eq!((&*unknown.parent, &*unknown.name), ("spec.items", "kind_"));
        assert_eq!(unknown.known, ["bindIP", "type"]);
        assert!(paths.check("spec.items[].=kind").is_err() && paths.check("status.x").is_err());
        assert_eq!(WirePaths::default().check("any.thing"), Ok(()));
    }
}
