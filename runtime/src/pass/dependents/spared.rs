//! Objects that are not missed when their namespace is deleted: others create them, and create them again.

use kube::core::ObjectMeta;

use crate::wiring::KindInfo;

/// Kinds without content of their own.
const KINDS: [(&str, &str); 8] = [
    ("", "Event"),
    ("events.k8s.io", "Event"),
    ("coordination.k8s.io", "Lease"),
    ("", "Endpoints"),
    ("discovery.k8s.io", "EndpointSlice"),
    ("apps", "ControllerRevision"),
    ("metrics.k8s.io", "PodMetrics"),
    ("authorization.k8s.io", "LocalSubjectAccessReview"),
];

/// Objects that every namespace has.
const OBJECTS: [(&str, &str); 3] =
    [("ConfigMap", "kube-root-ca.crt"), ("ConfigMap", "openshift-service-ca.crt"), ("ServiceAccount", "default")];

/// The annotation of the token Secret of a ServiceAccount.
const TOKEN: &str = "kubernetes.io/service-account.name";

/// Whether no object of the kind is missed.
pub(super) fn is_spared_kind(kind: &KindInfo) -> bool {
    KINDS.contains(&(&*kind.resource.group, &*kind.resource.kind))
}

/// Whether the object is not missed: it is being deleted, its controller creates it again, or every namespace has it.
pub(super) fn is_spared_object(kind: &KindInfo, meta: &ObjectMeta) -> bool {
    let has_controller = meta.owner_references.iter().flatten().any(|owner| owner.controller == Some(true));
    let name = meta.name.as_deref().unwrap_or_default();
    let is_core = kind.resource.group.is_empty();
    let is_token = kind.resource.kind == "Secret"
        && meta.annotations.as_ref().is_some_and(|annotations| annotations.contains_key(TOKEN));
    meta.deletion_timestamp.is_some()
        || has_controller
        || is_core && (is_token || OBJECTS.contains(&(&*kind.resource.kind, name)))
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::{ConfigMap, PersistentVolumeClaim, Secret};
    use serde_json::json;

    use super::*;

    fn meta(more: &serde_json::Value) -> ObjectMeta {
        serde_json::from_value(more.clone()).unwrap()
    }

    #[test]
    fn what_others_create_again_is_not_missed() {
        let (maps, secrets) = (KindInfo::of::<ConfigMap>(), KindInfo::of::<Secret>());
        let owner = |controller: bool| {
            json!({ "name": "x", "ownerReferences": [{ "apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "r", "uid": "u",
                "controller": controller }] })
        };
        for (kind, spared, is_spared) in [
            (&maps, json!({ "name": "kube-root-ca.crt" }), true),
            (&maps, json!({ "name": "settings" }), false),
            (&secrets, json!({ "name": "kube-root-ca.crt" }), false),
            (&secrets, json!({ "name": "token", "annotations": { TOKEN: "default" } }), true),
            (&maps, json!({ "name": "x", "annotations": { TOKEN: "default" } }), false),
            (&maps, owner(true), true),
            (&maps, owner(false), false),
            (&maps, json!({ "name": "x", "deletionTimestamp": "2026-01-01T00:00:00Z" }), true),
        ] {
            assert_eq!(is_spared_object(kind, &meta(&spared)), is_spared, "{spared}");
        }
    }

    #[test]
    fn a_volume_claim_is_missed() {
        let claims = KindInfo::of::<PersistentVolumeClaim>();
        let of_stateful_set = json!({ "name": "data-db-0", "labels": { "app": "db" } });
        assert!(!is_spared_kind(&claims) && !is_spared_object(&claims, &meta(&of_stateful_set)));
    }
}
