//! The ValidatingAdmissionPolicies of an operator on the server of a test.

use evenkeel::rules::AdmissionPolicy;
use k8s_openapi::api::admissionregistration::v1::{ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding};
use kube::Api;
use kube::api::{DeleteParams, Patch, PatchParams};
use serde_json::json;

use crate::test_env::World;

/// Applied policies. Those that are bound hold in the namespace of the test only.
pub struct AppliedPolicies {
    policies: Api<ValidatingAdmissionPolicy>,
    bindings: Api<ValidatingAdmissionPolicyBinding>,
    /// Their names, and whether they are bound.
    names: Vec<(String, bool)>,
}

impl AppliedPolicies {
    /// Applies all of them, with which the server must agree, and binds those that are wanted.
    ///
    /// # Panics
    /// The server refuses one of them.
    pub async fn new(world: &World, all: Vec<AdmissionPolicy>, is_bound: impl Fn(&str) -> bool) -> Self {
        let (policies, bindings) = (Api::all(world.client.clone()), Api::all(world.client.clone()));
        let mut applied = Self { policies, bindings, names: Vec::new() };
        for one in all {
            let name = one.policy.metadata.name.clone().expect("a printed policy has a name");
            let is_bound = is_bound(&name);
            applied.apply(world, &one, &name, is_bound).await;
            applied.names.push((name, is_bound));
        }
        applied
    }

    async fn apply(&self, world: &World, one: &AdmissionPolicy, name: &str, is_bound: bool) {
        let params = PatchParams::apply("evenkeel-tests").force();
        self.policies.patch(name, &params, &Patch::Apply(&one.policy)).await.expect("the policy is accepted");
        if is_bound {
            let mut binding = serde_json::to_value(&one.binding).expect("a binding is JSON");
            binding["spec"]["matchResources"] =
                json!({ "namespaceSelector": { "matchLabels": { "kubernetes.io/metadata.name": world.namespace } } });
            self.bindings.patch(name, &params, &Patch::Apply(&binding)).await.expect("the binding is accepted");
        }
    }

    /// Deletes the policies and their bindings.
    ///
    /// # Panics
    /// One of them cannot be deleted.
    pub async fn remove(self) {
        for (name, is_bound) in &self.names {
            if *is_bound {
                self.bindings.delete(name, &DeleteParams::default()).await.expect("it is deleted");
            }
            self.policies.delete(name, &DeleteParams::default()).await.expect("it is deleted");
        }
    }
}
