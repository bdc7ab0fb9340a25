//! Managed types: what the CRDs and APIServices of a set define. Their instances are applied after them and deleted before them.

use serde_json::Value;

/// A type that an object of the set defines.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ManagedType {
    /// The API group.
    pub group: String,
    /// The version; `None`: every version.
    pub version: Option<String>,
    /// The kind; `None`: every kind of the group and version.
    pub kind: Option<String>,
}

impl ManagedType {
    /// Whether an object of this kind is an instance. `version` is `None` if it is not known, as for an object that is to be deleted.
    #[must_use]
    pub fn has_instance(&self, group: &str, version: Option<&str>, kind: &str) -> bool {
        let is_version = || self.version.as_deref().is_none_or(|own| version.is_none_or(|version| own == version));
        self.group == group && self.kind.as_deref().is_none_or(|own| own == kind) && is_version()
    }
}

/// The types that the object defines.
#[must_use]
pub fn managed_types(object: &Value) -> Vec<ManagedType> {
    let group = object["apiVersion"].as_str().unwrap_or_default().split('/').next();
    let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).map(ToOwned::to_owned);
    let (version, kind) = match (group, object["kind"].as_str()) {
        (Some("apiextensions.k8s.io"), Some("CustomResourceDefinition")) => (None, text("/spec/names/kind")),
        (Some("apiregistration.k8s.io"), Some("APIService")) => (text("/spec/version"), None),
        _ => return Vec::new(),
    };
    let is_complete = version.is_some() || kind.is_some();
    text("/spec/group").filter(|_| is_complete).map(|group| ManagedType { group, version, kind }).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn instances_are_found_by_group_and_kind() {
        let crd = json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "spec": { "group": "shop.example.com", "names": { "kind": "Shop" } },
        });
        let [shop] = managed_types(&crd).try_into().unwrap();
        assert!(
            shop.has_instance("shop.example.com", Some("v2"), "Shop")
                && !shop.has_instance("shop.example.com", None, "Cart")
        );
        let service = json!({
            "apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "spec": { "group": "metrics.k8s.io", "version": "v1" },
        });
        let [metrics] = managed_types(&service).try_into().unwrap();
        assert!(
            metrics.has_instance("metrics.k8s.io", Some("v1"), "Pod")
                && metrics.has_instance("metrics.k8s.io", None, "Pod")
        );
        assert!(!metrics.has_instance("metrics.k8s.io", Some("v2"), "Pod"));
    }

    #[test]
    fn an_incomplete_definition_defines_nothing() {
        let crd = |spec: Value| {
            managed_types(
                &json!({ "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "spec": spec }),
            )
        };
        assert!(crd(json!({})).is_empty() && crd(json!({ "group": "a" })).is_empty());
        assert!(managed_types(&json!({ "apiVersion": "v1", "kind": "CustomResourceDefinition" })).is_empty());
    }
}
