//! The stored admission policies with their bindings.

use serde::Deserialize;
use serde_json::Value;

use super::super::condition::Condition;
use super::super::select::Selection;
use crate::registry::Storage;
use crate::state::Server;

/// A ValidatingAdmissionPolicy, with the defaults of the server.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Policy {
    metadata: Metadata,
    pub(super) spec: PolicySpec,
}

#[derive(Clone, Debug, Deserialize)]
struct Metadata {
    name: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PolicySpec {
    pub(super) param_kind: Option<ParamKind>,
    pub(super) match_constraints: Option<Selection>,
    #[serde(default)]
    pub(super) match_conditions: Vec<Condition>,
    #[serde(default)]
    pub(super) variables: Vec<Variable>,
    #[serde(default)]
    pub(super) validations: Vec<Validation>,
    #[serde(default)]
    pub(super) audit_annotations: Vec<AuditAnnotation>,
    #[serde(default)]
    failure_policy: String,
}

/// The kind of the parameters of a policy.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ParamKind {
    #[serde(default)]
    pub(super) api_version: String,
    #[serde(default)]
    pub(super) kind: String,
}

/// An expression that other expressions read under its name.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) expression: String,
}

/// An expression that must be true.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Validation {
    pub(super) expression: String,
    #[serde(default)]
    pub(super) message: String,
    #[serde(default)]
    pub(super) message_expression: String,
    #[serde(default)]
    pub(super) reason: String,
}

/// An expression for the audit log. The log is not kept, but an expression that fails refuses the write.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AuditAnnotation {
    pub(super) value_expression: String,
}

/// A ValidatingAdmissionPolicyBinding.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Binding {
    metadata: Metadata,
    pub(super) spec: BindingSpec,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BindingSpec {
    #[serde(default)]
    policy_name: String,
    pub(super) param_ref: Option<ParamRef>,
    pub(super) match_resources: Option<Selection>,
    #[serde(default)]
    validation_actions: Vec<String>,
}

/// The parameters of a binding: one object by its name, or several by their labels.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ParamRef {
    #[serde(default)]
    pub(super) name: String,
    #[serde(default)]
    pub(super) namespace: String,
    pub(super) selector: Option<Value>,
    #[serde(default)]
    pub(super) parameter_not_found_action: String,
}

impl Policy {
    pub(super) fn name(&self) -> &str {
        &self.metadata.name
    }

    /// Whether the write continues if an expression fails.
    pub(super) fn ignores_failures(&self) -> bool {
        self.spec.failure_policy == "Ignore"
    }
}

impl Binding {
    pub(super) fn name(&self) -> &str {
        &self.metadata.name
    }

    pub(super) fn has_action(&self, action: &str) -> bool {
        self.spec.validation_actions.iter().any(|known| known == action)
    }
}

/// Returns all policies that have bindings, by name.
pub(super) fn all(server: &Server) -> Vec<(Policy, Vec<Binding>)> {
    let bindings: Vec<Binding> = stored(server, "validatingadmissionpolicybindings");
    if bindings.is_empty() {
        return Vec::new();
    }
    let policies: Vec<Policy> = stored(server, "validatingadmissionpolicies");
    let bound = |policy: Policy| {
        let of = |binding: &&Binding| binding.spec.policy_name == policy.name();
        let bindings: Vec<Binding> = bindings.iter().filter(of).cloned().collect();
        (policy, bindings)
    };
    policies.into_iter().map(bound).filter(|(_, bindings)| !bindings.is_empty()).collect()
}

fn stored<T: for<'de> Deserialize<'de>>(server: &Server, plural: &str) -> Vec<T> {
    let storage = Storage::new("admissionregistration.k8s.io", plural);
    if server.store.is_empty(&storage) {
        return Vec::new();
    }
    server.store.list(&storage, None).items.iter().filter_map(|object| T::deserialize(object.as_ref()).ok()).collect()
}
