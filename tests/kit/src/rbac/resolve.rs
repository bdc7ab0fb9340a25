//! Resolves the rules of a user from bindings and roles.

use std::sync::Arc;

use serde_json::Value;

use crate::registry::Storage;
use crate::state::{Server, User};
use crate::strategy::meta;

pub(super) const GROUP: &str = "rbac.authorization.k8s.io";

/// The rules that one binding grants.
#[derive(Debug)]
pub(super) struct Grant {
    /// The binding in messages, such as `ClusterRoleBinding "b" of ClusterRole "r" to User "u"`.
    pub(super) source: String,
    pub(super) rules: Vec<Value>,
}

/// The rules of the user in the cluster, and in the namespace if one is given.
pub(super) fn granted(server: &Server, user: &User, namespace: Option<&str>) -> Vec<Grant> {
    let cluster = server.store.list(&storage("clusterrolebindings"), None).items;
    let mut grants: Vec<Grant> = cluster.iter().filter_map(|binding| grant(server, user, binding, "")).collect();
    if let Some(namespace) = namespace {
        let inside = server.store.list(&storage("rolebindings"), Some(namespace)).items;
        grants.extend(inside.iter().filter_map(|binding| grant(server, user, binding, namespace)));
    }
    grants
}

pub(super) fn storage(plural: &str) -> Storage {
    Storage::new(GROUP, plural)
}

/// The rules that the binding grants to the user; `None` if it does not include the user, or its role does not exist.
fn grant(server: &Server, user: &User, binding: &Arc<Value>, namespace: &str) -> Option<Grant> {
    let mut subjects = binding["subjects"].as_array().into_iter().flatten();
    let subject = subjects.find(|subject| names(subject, user, namespace))?;
    let role = &binding["roleRef"];
    let (kind, name) = (role["kind"].as_str()?, role["name"].as_str()?);
    let (plural, space) = if kind == "Role" { ("roles", namespace) } else { ("clusterroles", "") };
    let role = server.store.get(&storage(plural), &(space.to_owned(), name.to_owned()))?;
    let (sort, own) = match namespace {
        "" => ("ClusterRoleBinding", meta(binding, "name").to_owned()),
        namespace => ("RoleBinding", format!("{}/{namespace}", meta(binding, "name"))),
    };
    let source = format!("{sort} {own:?} of {kind} {name:?} to {}", described(subject, namespace));
    Some(Grant { source, rules: role["rules"].as_array().cloned().unwrap_or_default() })
}

fn names(subject: &Value, user: &User, namespace: &str) -> bool {
    let text = |field: &str| subject[field].as_str().unwrap_or_default();
    match text("kind") {
        "User" => text("name") == user.name,
        "Group" => user.groups.iter().any(|group| group == text("name")),
        "ServiceAccount" => {
            let space = if text("namespace").is_empty() { namespace } else { text("namespace") };
            !space.is_empty() && user.name == format!("system:serviceaccount:{space}:{}", text("name"))
        }
        _ => false,
    }
}

fn described(subject: &Value, namespace: &str) -> String {
    let text = |field: &str| subject[field].as_str().unwrap_or_default();
    match (text("kind"), text("namespace")) {
        ("ServiceAccount", "") => format!("ServiceAccount {:?}", format!("{}/{namespace}", text("name"))),
        ("ServiceAccount", space) => format!("ServiceAccount {:?}", format!("{}/{space}", text("name"))),
        (kind, _) => format!("{kind} {:?}", text("name")),
    }
}
