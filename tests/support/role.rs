//! The ClusterRole of an operator under test. A test can remove single RBAC rules from it.

use std::collections::BTreeSet;

use evenkeel::Operator;
use k8s_openapi::api::rbac::v1::{ClusterRole, ClusterRoleBinding};
use kube::Client;
use kube::api::{Api, DeleteParams, Patch, PatchParams};
use serde_json::{Value, json};

/// A removed rule: resource, verb.
pub type Missing = (&'static str, &'static str);

/// A role, and the user of the same name to which it is bound.
#[derive(Clone)]
pub struct Role {
    /// A client that may write roles.
    pub admin: Client,
    /// The name.
    pub name: String,
}

impl Role {
    /// Allows everything that the operator needs except these rules.
    ///
    /// # Panics
    /// The server rejects the role.
    pub async fn allow(&self, operator: &Operator, missing: &BTreeSet<(&str, &str)>) {
        let rights = operator.rbac_rules();
        let rules = rights.iter().flat_map(|right| right.verbs.iter().map(move |verb| (right, verb.as_str())));
        let rules = rules.filter(|(right, verb)| !missing.contains(&(&*right.resource, *verb)));
        let rules: Vec<Value> = rules
            .map(|(right, verb)| {
                json!({ "apiGroups": [right.group], "resources": [right.resource], "verbs": [verb],
                    "resourceNames": right.name.map(|name| vec![name]) })
            })
            .collect();
        let group = "rbac.authorization.k8s.io";
        let version = format!("{group}/v1");
        let role =
            json!({ "apiVersion": version, "kind": "ClusterRole", "metadata": { "name": self.name }, "rules": rules });
        let bound = json!({ "apiVersion": version, "kind": "ClusterRoleBinding", "metadata": { "name": self.name },
            "roleRef": { "apiGroup": group, "kind": "ClusterRole", "name": self.name },
            "subjects": [{ "kind": "User", "name": self.name, "apiGroup": group }] });
        let params = PatchParams::apply("tests").force();
        let (roles, bindings) = (Api::<ClusterRole>::all(self.admin.clone()), self.bindings());
        roles.patch(&self.name, &params, &Patch::Apply(role)).await.expect("the role is accepted");
        bindings.patch(&self.name, &params, &Patch::Apply(bound)).await.expect("the binding is accepted");
    }

    /// Removes the role.
    ///
    /// # Panics
    /// The role does not exist.
    pub async fn remove(&self) {
        let params = DeleteParams::default();
        self.bindings().delete(&self.name, &params).await.expect("the binding is there");
        Api::<ClusterRole>::all(self.admin.clone()).delete(&self.name, &params).await.expect("the role is there");
    }

    fn bindings(&self) -> Api<ClusterRoleBinding> {
        Api::all(self.admin.clone())
    }
}
