//! The manifest in the form of Grafana: `apps.grafana.app/v1alpha1`, kind `AppManifest`, one for each API group.
//!
//! Source: `app/manifest_v1alpha1.cue` of <https://github.com/grafana/grafana-app-sdk>.

use std::collections::BTreeMap;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, CustomResourceDefinitionVersion,
};
use kube::core::{DynamicObject, ObjectMeta, TypeMeta, Version};
use serde_json::{Map, Value, json};

use super::app_manifest::{AppManifest, KindManifest, ReviewManifest, RouteManifest};

const API_VERSION: &str = "apps.grafana.app/v1alpha1";

/// The operations in the order in which they are printed.
const OPERATIONS: [&str; 3] = ["CREATE", "UPDATE", "DELETE"];

/// The manifests by group. `definitions` are those of the kinds of the manifest.
///
/// # Errors
/// The name of the operator cannot be the name of an app.
pub(crate) fn grafana(
    app: &AppManifest,
    definitions: &[CustomResourceDefinition],
) -> Result<Vec<DynamicObject>, String> {
    let mut groups: BTreeMap<&str, Vec<Kind<'_>>> = BTreeMap::new();
    for kind in &app.kinds {
        let is_of =
            |one: &&CustomResourceDefinition| (&one.spec.group, &one.spec.names.kind) == (&kind.group, &kind.kind);
        let Some(definition) = definitions.iter().find(is_of) else { continue };
        groups.entry(&kind.group).or_default().push(Kind { kind, definition });
    }
    let is_only = groups.len() == 1;
    groups.into_iter().map(|(group, kinds)| manifest(app, group, is_only, &kinds)).collect()
}

struct Kind<'a> {
    kind: &'a KindManifest,
    definition: &'a CustomResourceDefinition,
}

fn manifest(app: &AppManifest, group: &str, is_only: bool, kinds: &[Kind<'_>]) -> Result<DynamicObject, String> {
    // Two apps cannot have one name.
    let name = if is_only { app.name.clone() } else { format!("{}-{}", app.name, group.replace('.', "-")) };
    if !is_app_name(&name) {
        return Err(name);
    }
    let mut names: Vec<&str> = kinds.iter().flat_map(|kind| &kind.kind.versions).map(|one| &*one.name).collect();
    names.sort_by_key(|name| Version::parse(name).priority());
    names.dedup();
    let versions: Vec<Value> = names.into_iter().map(|name| version(name, kinds)).collect();
    let mut spec = Map::from_iter([
        ("appName".to_owned(), json!(name)),
        ("appDisplayName".to_owned(), json!(app.name)),
        ("group".to_owned(), json!(group)),
        ("versions".to_owned(), json!(versions)),
    ]);
    if let Some(preferred) = preferred(kinds) {
        spec.insert("preferredVersion".to_owned(), json!(preferred));
    }
    let access: Vec<Value> = app
        .permissions
        .iter()
        .map(|one| json!({ "group": one.group, "resource": one.resource, "actions": one.verbs }))
        .collect();
    if !access.is_empty() {
        spec.insert("extraPermissions".to_owned(), json!({ "accessKinds": access }));
    }
    Ok(DynamicObject {
        types: Some(TypeMeta { api_version: API_VERSION.to_owned(), kind: "AppManifest".to_owned() }),
        metadata: ObjectMeta { name: Some(name), ..ObjectMeta::default() },
        data: json!({ "spec": spec }),
    })
}

/// Whether the text is the name of an app: a lower-case letter, then letters, digits and `-`, with no `-` at the end.
fn is_app_name(name: &str) -> bool {
    let inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    name.len() > 1
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(inner)
        && !name.ends_with('-')
}

/// The version in which all kinds are stored. Kinds that differ have none in common: the last version then counts.
fn preferred<'a>(kinds: &'a [Kind<'a>]) -> Option<&'a str> {
    let mut stored = kinds.iter().map(|kind| kind.kind.versions.iter().find(|one| one.storage).map(|one| &*one.name));
    let first = stored.next()??;
    stored.all(|other| other == Some(first)).then_some(first)
}

/// A version, with the kinds that have it.
fn version(name: &str, kinds: &[Kind<'_>]) -> Value {
    let of = |kind: &Kind<'_>| {
        let definition = kind.definition.spec.versions.iter().find(|version| version.name == name)?;
        Some((version_kind(kind.kind, definition), definition.served))
    };
    let of: Vec<(Value, bool)> = kinds.iter().filter_map(of).collect();
    let served = of.iter().any(|(_, served)| *served);
    let kinds: Vec<Value> = of.into_iter().map(|(kind, _)| kind).collect();
    json!({ "name": name, "served": served, "kinds": kinds })
}

fn version_kind(kind: &KindManifest, version: &CustomResourceDefinitionVersion) -> Value {
    let mut entry = Map::from_iter([
        ("kind".to_owned(), json!(kind.kind)),
        ("plural".to_owned(), json!(kind.plural)),
        ("scope".to_owned(), json!(kind.scope)),
        ("schema".to_owned(), schema(version)),
        ("conversion".to_owned(), json!(kind.conversion.as_deref() == Some("Webhook"))),
    ]);
    let admission: Map<String, Value> = [("validation", &kind.validation), ("mutation", &kind.mutation)]
        .into_iter()
        .filter_map(|(sort, functions)| Some((sort.to_owned(), operations(functions)?)))
        .collect();
    if !admission.is_empty() {
        entry.insert("admission".to_owned(), Value::Object(admission));
    }
    if let Some(columns) = &version.additional_printer_columns {
        entry.insert("additionalPrinterColumns".to_owned(), json!(columns));
    }
    if let Some(fields) = &version.selectable_fields {
        let paths: Vec<&str> = fields.iter().map(|field| &*field.json_path).collect();
        entry.insert("selectableFields".to_owned(), json!(paths));
    }
    let routes = routes(kind, &version.name);
    if !routes.is_empty() {
        entry.insert("routes".to_owned(), Value::Object(routes));
    }
    Value::Object(entry)
}

/// The schemas of the parts of the object, without those that all objects have.
fn schema(version: &CustomResourceDefinitionVersion) -> Value {
    let schema = version.schema.as_ref().and_then(|schema| schema.open_api_v3_schema.as_ref());
    let parts = schema.and_then(|schema| schema.properties.as_ref()).into_iter().flatten();
    let own = parts.filter(|(part, _)| !["apiVersion", "kind", "metadata"].contains(&&***part));
    Value::Object(own.map(|(part, schema)| (part.clone(), json!(schema))).collect())
}

/// The operations that the functions review together. The manifest has no place for reviews of subresources.
fn operations(functions: &[ReviewManifest]) -> Option<Value> {
    let of_object = || functions.iter().filter(|function| function.subresource.is_none());
    let reviewed =
        |operation: &&str| of_object().any(|function| function.operations.iter().any(|one| one == operation));
    let operations: Vec<&str> = OPERATIONS.into_iter().filter(reviewed).collect();
    (!operations.is_empty()).then(|| json!({ "operations": operations }))
}

/// The routes of this version by their paths below the object, each with its methods as in OpenAPI.
fn routes(kind: &KindManifest, version: &str) -> Map<String, Value> {
    let mut routes = Map::new();
    for route in &kind.routes {
        let Some(path) = below_object(route, version) else { continue };
        let operation = json!({
            "operationId": route.function,
            "responses": { "default": { "description": "The answer of the operator" } },
        });
        if let Value::Object(methods) = routes.entry(path).or_insert_with(|| json!({})) {
            methods.insert(route.method.to_ascii_lowercase(), operation);
        }
    }
    routes
}

/// The part of the path after the name of the object; `None`: it is one of another version.
fn below_object(route: &RouteManifest, version: &str) -> Option<String> {
    let (before, after) = route.path.split_once("/{name}")?;
    before.split('/').any(|part| part == version).then(|| after.to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::app_manifest::AppParts;
    use super::*;

    /// A CRD whose versions are served; the second of the two texts is the stored one.
    fn definition(kind: &str, versions: [&str; 2]) -> CustomResourceDefinition {
        let version = |name: &str| {
            json!({ "name": name, "served": true, "storage": name == versions[1],
                "schema": { "openAPIV3Schema": { "type": "object", "properties": {
                    "metadata": { "type": "object" }, "spec": { "type": "object" } } } } })
        };
        let plural = format!("{}s", kind.to_lowercase());
        let definition = json!({ "metadata": { "name": format!("{plural}.example.com") }, "spec": {
            "group": "example.com", "scope": "Cluster", "names": { "kind": kind, "plural": plural },
            "conversion": { "strategy": "Webhook" }, "versions": versions.map(version) } });
        serde_json::from_value(definition).expect("it is a CRD")
    }

    fn app(definitions: &[CustomResourceDefinition]) -> AppManifest {
        AppManifest::new(&AppParts {
            name: "shop",
            version: None,
            definitions,
            reconcilers: &[],
            rules: &[],
            reviews: &[],
            routes: &[],
            rbac: &[],
        })
    }

    fn spec(definitions: &[CustomResourceDefinition]) -> Value {
        let manifests = grafana(&app(definitions), definitions).expect("the name is valid");
        assert_eq!(manifests.len(), 1);
        manifests[0].data["spec"].clone()
    }

    #[test]
    fn versions_are_listed_from_old_to_new() {
        let spec = spec(&[definition("Shop", ["v1", "v1beta1"]), definition("Stall", ["v2alpha1", "v1beta1"])]);
        let names: Vec<&Value> = spec["versions"].as_array().into_iter().flatten().map(|one| &one["name"]).collect();
        assert_eq!(names, ["v2alpha1", "v1beta1", "v1"]);
        assert_eq!(spec["preferredVersion"], "v1beta1");
        let kinds = |at: usize| spec["versions"][at]["kinds"].as_array().map_or(0, Vec::len);
        assert_eq!([kinds(0), kinds(1), kinds(2)], [1, 2, 1]);
        let kind = &spec["versions"][2]["kinds"][0];
        assert_eq!((&kind["conversion"], &kind["scope"]), (&json!(true), &json!("Cluster")));
        assert_eq!(kind["schema"], json!({ "spec": { "type": "object" } }));
    }

    #[test]
    fn kinds_that_are_stored_in_different_versions_prefer_none() {
        let spec = spec(&[definition("Shop", ["v1", "v1beta1"]), definition("Stall", ["v1beta1", "v1"])]);
        assert_eq!(spec.get("preferredVersion"), None);
        let app = app(&[definition("Shop", ["v1", "v1beta1"])]);
        let stored: Vec<bool> = app.kinds[0].versions.iter().map(|version| version.storage).collect();
        assert_eq!((stored, app.kinds[0].conversion.as_deref()), (vec![false, true], Some("Webhook")));
    }
}
