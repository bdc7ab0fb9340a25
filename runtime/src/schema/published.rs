//! The schema of a kind in `/openapi`, for roles that may not read CRDs.

use serde_json::Value;

use crate::kind::KindInfo;

/// The schema of a kind in an `OpenAPI` document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Published<'a> {
    /// The schema.
    pub(crate) schema: &'a Value,
    /// Whether there is a status subresource.
    pub(crate) has_status: bool,
}

impl<'a> Published<'a> {
    /// Finds the kind in a document of version 3 or 2. `None`: the document does not contain it.
    pub(crate) fn find(document: &'a Value, kind: &KindInfo) -> Option<Self> {
        let schemas = match document.pointer("/components/schemas") {
            Some(schemas) => schemas,
            None => &document["definitions"],
        };
        let schema = schemas.as_object()?.values().find(|schema| is_of(schema, kind))?;
        let paths = document["paths"].as_object()?;
        let ending = format!("/{}/{{name}}/status", kind.resource.plural);
        let place = format!("/apis/{}/", kind.resource.api_version);
        let has_status = paths.keys().any(|path| path.starts_with(&place) && path.ends_with(&ending));
        Some(Self { schema, has_status })
    }
}

fn is_of(schema: &Value, kind: &KindInfo) -> bool {
    let resource = &kind.resource;
    let kinds = schema["x-kubernetes-group-version-kind"].as_array().into_iter().flatten();
    kinds.into_iter().any(|one| {
        one["group"] == *resource.group && one["version"] == *resource.version && one["kind"] == *resource.kind
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn kind() -> KindInfo {
        KindInfo::of::<k8s_openapi::api::apps::v1::Deployment>()
    }

    fn schema(version: &str) -> Value {
        json!({ "type": "object", "x-kubernetes-group-version-kind": [{ "group": "apps", "version": version, "kind": "Deployment" }] })
    }

    fn paths(status: &str) -> Value {
        let object = "/apis/apps/v1/namespaces/{namespace}/deployments/{name}";
        json!({ object: {}, format!("{object}{status}"): {} })
    }

    #[test]
    fn a_kind_is_found_in_openapi_v2_and_v3() {
        let schemas = json!({ "other": schema("v2"), "wanted": schema("v1") });
        let newer = json!({ "components": { "schemas": schemas }, "paths": paths("/status") });
        let older = json!({ "definitions": schemas, "paths": paths("/status") });
        for document in [newer, older] {
            let found = Published::find(&document, &kind()).unwrap();
            assert_eq!((found.schema, found.has_status), (&schema("v1"), true));
        }
    }

    #[test]
    fn a_missing_kind_or_status_subresource_is_detected() {
        let document = json!({ "definitions": { "wanted": schema("v1") }, "paths": paths("/scale") });
        assert!(!Published::find(&document, &kind()).unwrap().has_status);
        let other = json!({ "definitions": { "wanted": schema("v2") }, "paths": paths("/status") });
        assert!(Published::find(&other, &kind()).is_none());
        assert!(Published::find(&json!({ "paths": ["/apis"] }), &kind()).is_none());
    }
}
