//! Fills in the fields of an owned object that the author leaves to evenkeel.

use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use serde_json::{Map, Value, json};

use crate::api::{ApiError, Owner, Target};

/// Labels that each object of a relation gets.
type Labels = &'static [(&'static str, &'static str)];

/// The object of this JSON, with kind, namespace, the labels of its relation and owner reference, or with the mark of an owner in another
/// namespace.
///
/// # Errors
/// The JSON is not an object, names another namespace or another value of such a label, or is the owner itself.
pub(crate) fn owned(target: &Target, json: &str, owner: &Owner, labels: Labels) -> Result<Value, ApiError> {
    if owner.is(target) {
        return Err(ApiError::Invalid(format!("{target} is the reconciled object, which cannot own itself").into()));
    }
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
                format!(
                    "{target} cannot be in namespace {asked}; for another namespace, declare `namespaces = any` and use `cx.apply_in`"
                )
                .into(),
            ));
        }
        (Some(namespace), _) => meta["namespace"] = json!(namespace),
        (None, _) => {}
    }
    for (key, value) in labels {
        let label = &mut meta["labels"][key];
        if let Some(other) = label.as_str().filter(|other| other != value) {
            let kind = &resource.kind;
            let text = format!(
                "{target} has the label {key}={other}, but the step declares `owns({kind}, labels = \"{key}={value}\")`; leave the label out"
            );
            return Err(ApiError::Invalid(text.into()));
        }
        *label = json!(value);
    }
    match owner.can_be_referred_to_by(target) {
        true => meta["ownerReferences"] = json!([owner.reference]),
        false => owner.marks(target).into_iter().for_each(|(field, key, value)| meta[field][key] = json!(value)),
    }
    Ok(object)
}

/// The object as the owner of others.
pub(crate) fn owner(target: &Target, uid: &str, domain: &Arc<str>) -> Owner {
    let (kind, name) = (&target.kind, &target.name);
    let reference = OwnerReference {
        api_version: kind.resource.api_version.clone(),
        kind: kind.resource.kind.clone(),
        name: name.to_owned(),
        uid: uid.to_owned(),
        block_owner_deletion: Some(true),
        controller: Some(true),
    };
    Owner { reference, namespace: target.namespace.clone(), set: None, domain: domain.clone() }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;

    use super::*;
    use crate::wiring::KindInfo;
    use crate::wiring::annotations::{DEPENDENT_OF, DOMAIN, OWNER};

    #[test]
    fn an_object_cannot_own_itself() {
        let target = Target { kind: KindInfo::of::<ConfigMap>(), namespace: Some("team-a".into()), name: "map".into() };
        let itself = owner(&target, "1", &DOMAIN.into());
        let refused = owned(&target, r#"{"metadata": {"name": "map"}}"#, &itself, &[]).expect_err("itself");
        assert!(refused.to_string().contains("is the reconciled object, which cannot own itself"), "{refused}");
        for other in [
            Target { name: "copy".into(), ..target.clone() },
            Target { namespace: Some("team-b".into()), ..target.clone() },
        ] {
            assert!(owned(&other, r#"{"metadata": {}}"#, &itself, &[]).is_ok(), "{other}");
        }
    }

    #[test]
    fn a_child_gets_the_labels_of_its_relation() {
        let target = Target { kind: KindInfo::of::<ConfigMap>(), namespace: Some("a".into()), name: "child".into() };
        let parent = owner(&Target { name: "parent".into(), ..target.clone() }, "1", &DOMAIN.into());
        let child = |labels: Value| {
            let json = json!({"metadata": {"name": "child", "labels": labels}}).to_string();
            owned(&target, &json, &parent, &[("app", "web"), ("tier", "db")])
        };
        let labels = |sent: Result<Value, ApiError>| sent.expect("it may be sent")["metadata"]["labels"].clone();
        assert_eq!(labels(child(Value::Null)), json!({"app": "web", "tier": "db"}));
        assert_eq!(labels(child(json!({"a": "b", "app": "web"}))), json!({"a": "b", "app": "web", "tier": "db"}));
        let refused = child(json!({"tier": "web"})).expect_err("another value");
        assert!(refused.to_string().contains("has the label tier=web"), "{refused}");
        assert!(refused.to_string().contains("leave the label out"), "{refused}");
    }

    #[test]
    fn a_child_is_in_the_namespace_of_its_owner() {
        let kind = KindInfo::of::<ConfigMap>();
        let target = Target { kind, namespace: Some("team-a".into()), name: "child".into() };
        let child = |namespace: &str| json!({"metadata": {"name": "child", "namespace": namespace}}).to_string();
        let reference = OwnerReference { uid: "1".into(), ..OwnerReference::default() };
        let owner =
            Owner { reference: reference.clone(), namespace: Some("team-a".into()), set: None, domain: DOMAIN.into() };
        let sent = owned(&target, r#"{"metadata": {"name": "child"}}"#, &owner, &[]).expect("it may be sent");
        let meta = json!({"name": "child", "namespace": "team-a", "ownerReferences": [reference]});
        assert_eq!(sent, json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta}));
        assert_eq!(owned(&target, &child("team-a"), &owner, &[]).expect("it may be sent"), sent);
        let refused = owned(&target, &child("team-b"), &owner, &[]).expect_err("another namespace");
        assert!(refused.to_string().contains("cannot be in namespace team-b"), "{refused}");
        let elsewhere = Owner { namespace: Some("team-b".into()), ..owner };
        let marked = owned(&target, &child("team-a"), &elsewhere, &[]).expect("it may be sent");
        let meta = &marked["metadata"];
        assert!(meta["ownerReferences"].is_null() && meta["labels"][DEPENDENT_OF].is_string(), "{marked}");
        assert_eq!(meta["annotations"][OWNER], "/team-b//1 for ConfigMap/team-a/child");
    }
}
