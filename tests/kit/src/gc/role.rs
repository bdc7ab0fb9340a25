//! Aggregated ClusterRoles, which contain the rules of the roles that they select.

use serde_json::{Value, json};

use super::amend::amend;
use super::task::Node;
use crate::registry::Storage;
use crate::selector::Labels;
use crate::selector::printed;
use crate::state::Server;
use crate::strategy::meta;

/// Updates the rules of each aggregated role.
pub(super) fn aggregate(server: &Server) {
    let storage = Storage::new("rbac.authorization.k8s.io", "clusterroles");
    let roles = server.store.list(&storage, None).items;
    for role in roles.iter().filter(|role| role["aggregationRule"].is_object()) {
        let rules = selected(role, roles.iter().map(AsRef::as_ref));
        if role["rules"].as_array().map(Vec::as_slice).unwrap_or_default() != rules.as_slice() {
            let node = Node { storage: storage.clone(), key: (String::new(), meta(role, "name").to_owned()) };
            amend(server, &node, meta(role, "uid"), |role| role["rules"] = json!(rules));
        }
    }
}

/// Returns the distinct rules of the roles that match one of the selectors.
fn selected<'a>(role: &Value, roles: impl Iterator<Item = &'a Value>) -> Vec<Value> {
    let selectors = role["aggregationRule"]["clusterRoleSelectors"].as_array().into_iter().flatten();
    let selectors: Vec<Labels> = selectors.filter_map(|one| Labels::parse(&printed(one)).ok()).collect();
    let mut rules: Vec<Value> = Vec::new();
    for other in roles.filter(|other| meta(other, "name") != meta(role, "name")) {
        if selectors.iter().any(|selector| selector.matches(other)) {
            let new = other["rules"].as_array().into_iter().flatten();
            let new: Vec<Value> = new.filter(|rule| !rules.contains(rule)).cloned().collect();
            rules.extend(new);
        }
    }
    rules
}
