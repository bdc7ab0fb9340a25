//! Fills in the fields of an owned object that the author leaves to evenkeel.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use serde_json::{Map, Value, json};

use crate::api::{ApiError, Target};
use crate::wiring::KindInfo;

/// The object of this JSON, with kind, namespace and owner reference.
///
/// # Errors
/// The JSON is not an object, or names another namespace.
pub(crate) fn owned(target: &Target, json: &str, owner: &OwnerReference) -> Result<Value, ApiError> {
    let object = serde_json::from_str::<Map<_, _>>(json);
    let mut object =
        object.map(Value::Object).map_err(|error| ApiError::Invalid(format!("{target}: {error}").into()))?;
    let resource = &target.kind.resource;
    object["apiVersion"] = json!(resource.api_version);
    object["kind"] = json!(resource.kind);
    let meta = &mut object["metadata"];
    match (&target.namespace, meta["namespace"].as_str()) {
        (Some(namespace), Some(asked)) if namespace != asked => {
            return Err(ApiError::Invalid(
                format!("{target} cannot be in namespace {asked}: owner references do not cross namespaces").into(),
            ));
        }
        (Some(namespace), _) => meta["namespace"] = json!(namespace),
        (None, _) => {}
    }
    meta["ownerReferences"] = json!([owner]);
    Ok(object)
}

/// The owner reference that an object adds to the objects that it owns.
pub(crate) fn owner(kind: &KindInfo, name: &str, uid: &str) -> OwnerReference {
    OwnerReference {
        api_version: kind.resource.api_version.clone(),
        kind: kind.resource.kind.clone(),
        name: name.to_owned(),
        uid: uid.to_owned(),
        block_owner_deletion: Some(true),
        controller: Some(true),
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;

    use super::*;
    use crate::wiring::KindInfo;

    #[test]
    fn a_child_is_in_the_namespace_of_its_owner() {
        let kind = KindInfo::of::<ConfigMap>();
        let target = Target { kind, namespace: Some("team-a".into()), name: "child".into() };
        let child = |namespace: &str| json!({"metadata": {"name": "child", "namespace": namespace}}).to_string();
        let owner = OwnerReference { uid: "1".into(), ..OwnerReference::default() };
        let sent = owned(&target, r#"{"metadata": {"name": "child"}}"#, &owner).expect("it may be sent");
        let meta = json!({"name": "child", "namespace": "team-a", "ownerReferences": [owner]});
        assert_eq!(sent, json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta}));
        assert_eq!(owned(&target, &child("team-a"), &owner).expect("it may be sent"), sent);
        let refused = owned(&target, &child("team-b"), &owner).expect_err("another namespace");
        assert!(refused.to_string().contains("cannot be in namespace team-b"), "{refused}");
    }
}
