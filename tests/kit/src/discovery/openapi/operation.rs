//! The operations on objects. A client reads the capabilities for a kind from the parameters of PATCH.

use serde_json::{Map, Value, json};

use super::names::{gvk, place, reference};
use super::schema;
use crate::registry::{Kind, Verb};

/// The paths of the collection, the objects and their status.
pub(super) fn paths(kind: &Kind) -> Vec<(String, Value)> {
    let space = if kind.namespaced { "/namespaces/{namespace}" } else { "" };
    let collection = format!("/{}{space}/{}", place(kind), kind.plural);
    let object = format!("{collection}/{{name}}");
    let inside: &[&str] = if kind.namespaced { &["namespace"] } else { &[] };
    let named: Vec<&str> = ["name"].iter().chain(inside).copied().collect();
    let status = kind.status.then(|| (format!("{object}/status"), operations(kind, &STATUS, "Status", &named)));
    let whole =
        [(collection, operations(kind, &COLLECTION, "", inside)), (object, operations(kind, &OBJECT, "", &named))];
    whole.into_iter().chain(status).collect()
}

/// A method, its action and its query parameters.
struct Operation {
    method: &'static str,
    action: &'static str,
    verb: Verb,
    query: &'static [&'static str],
}

const WRITE: [&str; 3] = ["dryRun", "fieldManager", "fieldValidation"];
const LIST: [&str; 5] = ["continue", "fieldSelector", "labelSelector", "limit", "resourceVersion"];

const COLLECTION: [Operation; 2] = [
    Operation { method: "get", action: "list", verb: Verb::List, query: &LIST },
    Operation { method: "post", action: "post", verb: Verb::Create, query: &WRITE },
];

const OBJECT: [Operation; 4] = [
    Operation { method: "delete", action: "delete", verb: Verb::Delete, query: &["dryRun", "propagationPolicy"] },
    Operation { method: "get", action: "get", verb: Verb::Get, query: &["resourceVersion"] },
    Operation {
        method: "patch",
        action: "patch",
        verb: Verb::Patch,
        query: &["dryRun", "fieldManager", "fieldValidation", "force"],
    },
    Operation { method: "put", action: "put", verb: Verb::Update, query: &WRITE },
];

/// The operations on the status of an object.
const STATUS: [Operation; 3] = [
    Operation { method: "get", action: "get", verb: Verb::Get, query: &["resourceVersion"] },
    Operation {
        method: "patch",
        action: "patch",
        verb: Verb::Patch,
        query: &["dryRun", "fieldManager", "fieldValidation", "force"],
    },
    Operation { method: "put", action: "put", verb: Verb::Update, query: &WRITE },
];

fn operations(kind: &Kind, all: &[Operation], part: &str, path: &[&str]) -> Value {
    let parameters: Vec<Value> = path.iter().map(|name| parameter(name, "path")).collect();
    let mut out = Map::from_iter([("parameters".to_owned(), json!(parameters))]);
    for operation in all.iter().filter(|operation| kind.allows(operation.verb)) {
        out.insert(operation.method.to_owned(), operation.document(kind, part));
    }
    Value::Object(out)
}

impl Operation {
    fn document(&self, kind: &Kind, part: &str) -> Value {
        let query: Vec<Value> = self.query.iter().map(|name| parameter(name, "query")).collect();
        let schema = json!({"schema": {"$ref": reference(&schema::name(kind))}});
        let mut document = json!({
            "tags": [tag(kind)],
            "operationId": format!("{}{part}", self.id(kind)),
            "parameters": query,
            "responses": {"200": {"description": "OK", "content": {"application/json": schema}}},
            "x-kubernetes-action": self.action,
            "x-kubernetes-group-version-kind": gvk(kind),
        });
        let content = match self.method {
            "patch" => patches(kind),
            "post" | "put" => json!({"application/json": schema}),
            _ => return document,
        };
        document["requestBody"] = json!({"content": content, "required": true});
        document
    }

    /// The operation id, such as `patchExDevV1NamespacedWidget`.
    fn id(&self, kind: &Kind) -> String {
        let space = if kind.namespaced { "Namespaced" } else { "" };
        format!("{}{}{}{space}{}", self.method, capital(&family(kind)), capital(&kind.version), kind.kind)
    }
}

fn patches(kind: &Kind) -> Value {
    let types = ["apply-patch+yaml", "json-patch+json", "merge-patch+json", "strategic-merge-patch+json"];
    let offered = types.iter().filter(|type_| kind.is_builtin() || !type_.starts_with("strategic"));
    let schema = json!({"schema": {"$ref": reference(schema::PATCH)}});
    offered.map(|type_| (format!("application/{type_}"), schema.clone())).collect::<Map<_, _>>().into()
}

fn parameter(name: &str, place: &str) -> Value {
    let type_ = match name {
        "force" => "boolean",
        "limit" => "integer",
        _ => "string",
    };
    let mut parameter = json!({"name": name, "in": place, "schema": {"type": type_, "uniqueItems": true}});
    if place == "path" {
        parameter["required"] = json!(true);
    }
    parameter
}

/// The tag, such as `exDev_v1`.
fn tag(kind: &Kind) -> String {
    format!("{}_{}", family(kind), kind.version)
}

/// The group in camel case: `exDev`, `core`, `rbacAuthorization`.
fn family(kind: &Kind) -> String {
    let group = kind.group.strip_suffix(".k8s.io").filter(|_| kind.is_builtin()).unwrap_or(&kind.group);
    let mut parts = group.split(['.', '-']);
    match parts.next() {
        None | Some("") => "core".to_owned(),
        Some(first) => parts.fold(first.to_owned(), |all, part| all + &capital(part)),
    }
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
