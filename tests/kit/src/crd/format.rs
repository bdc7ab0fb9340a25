//! Formats in schemas that validation does not recognize: they are stored, but cause a warning.

use std::collections::BTreeSet;

use serde_json::Value;

use super::field::{items, text};

/// The string formats that are validated; hyphens are ignored when names are compared.
const OF_TEXT: [&str; 26] = [
    "bsonobjectid",
    "byte",
    "cidr",
    "creditcard",
    "date",
    "datetime",
    "duration",
    "email",
    "hexcolor",
    "hostname",
    "ipv4",
    "ipv6",
    "isbn",
    "isbn10",
    "isbn13",
    "k8slongname",
    "k8sshortname",
    "mac",
    "password",
    "rgbcolor",
    "ssn",
    "uri",
    "uuid",
    "uuid3",
    "uuid4",
    "uuid5",
];

/// The unrecognized formats in all versions of a CRD, without duplicates.
pub(super) fn unrecognized(crd: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for version in items(crd, "/spec/versions") {
        walk(&version["schema"]["openAPIV3Schema"], &mut found);
    }
    found
}

fn walk(schema: &Value, found: &mut BTreeSet<String>) {
    if !schema.is_object() {
        return;
    }
    let format = text(schema, "/format");
    if !is_known(text(schema, "/type"), format) {
        found.insert(format.to_owned());
    }
    for child in ["items", "additionalProperties", "not"] {
        walk(&schema[child], found);
    }
    let named = schema["properties"].as_object().into_iter().flat_map(|children| children.values());
    let listed = ["allOf", "anyOf", "oneOf"].into_iter().filter_map(|list| schema[list].as_array()).flatten();
    for child in named.chain(listed) {
        walk(child, found);
    }
}

fn is_known(type_: &str, format: &str) -> bool {
    match type_ {
        _ if format.is_empty() => true,
        "integer" => ["int32", "int64"].contains(&format),
        "number" => ["float", "double"].contains(&format),
        "string" | "" => OF_TEXT.contains(&format.replace('-', "").as_str()),
        _ => false,
    }
}
