//! The default roles of a cluster; only those that clients need at start.

use serde_json::{Value, json};

use super::resolve::{GROUP, storage};
use crate::state::Server;
use crate::store::Write;
use crate::strategy;

/// Stores the default roles and their bindings.
pub(crate) fn plant(server: &Server) {
    let authenticated = ["system:authenticated"];
    let public = ["system:authenticated", "system:unauthenticated"];
    let reviews = ["selfsubjectaccessreviews", "selfsubjectrulesreviews"];
    let discovery = [
        "/api",
        "/api/*",
        "/apis",
        "/apis/*",
        "/healthz",
        "/livez",
        "/openapi",
        "/openapi/*",
        "/readyz",
        "/version",
        "/version/",
    ];
    let roles: [(&str, Vec<Value>, &[&str]); 4] = [
        (
            "cluster-admin",
            vec![
                json!({"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}),
                json!({"verbs": ["*"], "nonResourceURLs": ["*"]}),
            ],
            &["system:masters"],
        ),
        (
            "system:basic-user",
            vec![json!({"verbs": ["create"], "apiGroups": ["authorization.k8s.io"], "resources": reviews})],
            &authenticated,
        ),
        ("system:discovery", vec![json!({"verbs": ["get"], "nonResourceURLs": discovery})], &authenticated),
        (
            "system:public-info-viewer",
            vec![
                json!({"verbs": ["get"], "nonResourceURLs": ["/healthz", "/livez", "/readyz", "/version", "/version/"]}),
            ],
            &public,
        ),
    ];
    for (name, rules, groups) in roles {
        store(server, "ClusterRole", "clusterroles", name, json!({"rules": rules}));
        let subjects: Vec<Value> =
            groups.iter().map(|group| json!({"apiGroup": GROUP, "kind": "Group", "name": group})).collect();
        let role = json!({"apiGroup": GROUP, "kind": "ClusterRole", "name": name});
        store(
            server,
            "ClusterRoleBinding",
            "clusterrolebindings",
            name,
            json!({"roleRef": role, "subjects": subjects}),
        );
    }
}

fn store(server: &Server, kind: &str, plural: &str, name: &str, content: Value) {
    let Some(row) = server.catalog().registry.lookup(GROUP, "v1", plural) else { return };
    let mut object = content;
    object["apiVersion"] = json!(format!("{GROUP}/v1"));
    object["kind"] = json!(kind);
    object["metadata"] = json!({"name": name, "labels": {"kubernetes.io/bootstrapping": "rbac-defaults"}});
    if strategy::fresh(&row, None, &server.clock.stamp(), &mut object).is_ok() {
        let key = (String::new(), name.to_owned());
        // The store is empty, so the commit can't conflict.
        let _ = server.store.commit(Write { resource: storage(plural), key, old: None, new: Some(object) });
    }
}
