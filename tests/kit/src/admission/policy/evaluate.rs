//! Evaluates a policy over one write with one object of parameters.

use serde_json::{Value, json};

use super::super::condition;
use super::super::request::Request;
use super::super::review::described;
use super::super::select::Objects;
use super::super::version::Shown;
use super::definition::{Policy, Validation};
use crate::cel::{self, Declared, Returns};
use crate::registry::Storage;
use crate::state::Server;

/// Maximum length in bytes of a message from an expression.
const LONGEST: usize = 5 * 1024;

/// Why a policy refuses a write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) message: String,
    /// The reason of the Status.
    pub(super) reason: String,
}

impl Refusal {
    /// A failure of the policy itself.
    pub(super) fn failed(message: String) -> Self {
        Refusal { message, reason: "Invalid".to_owned() }
    }
}

/// Returns why a policy refuses a write. Failures are left out if the policy ignores them.
pub(super) fn refusals(
    server: &Server,
    policy: &Policy,
    request: &Request<'_>,
    (objects, shown): (Objects<'_>, &Shown),
    params: Option<&Value>,
) -> Vec<Refusal> {
    let (described, namespace, null) = (described(request, objects, shown), namespace(server, request), Value::Null);
    let values = [
        ("object", &described["object"]),
        ("oldObject", &described["oldObject"]),
        ("request", &described),
        ("namespaceObject", &namespace),
        ("params", params.unwrap_or(&null)),
    ];
    let mut expressions = cel::Policy::new(Declared::new(policy.spec.param_kind.is_some()), &values);
    for variable in &policy.spec.variables {
        expressions.add(&variable.name, &variable.expression);
    }
    let conditions = &policy.spec.match_conditions;
    let found = match condition::are_met(conditions, |text| expressions.decide(text)) {
        Ok(false) => Vec::new(),
        Ok(true) => validated(policy, &mut expressions),
        Err(error) => vec![Err(error)],
    };
    let ignores_failures = policy.ignores_failures();
    let kept = |found: Result<Refusal, String>| match found {
        Ok(refusal) => Some(refusal),
        Err(_) if ignores_failures => None,
        Err(error) => Some(Refusal::failed(error)),
    };
    found.into_iter().filter_map(kept).collect()
}

/// Returns the refusals and the failures of the validations and audit annotations.
fn validated(policy: &Policy, expressions: &mut cel::Policy) -> Vec<Result<Refusal, String>> {
    let mut found = Vec::new();
    for validation in &policy.spec.validations {
        match expressions.decide(&validation.expression) {
            Ok(true) => {}
            Ok(false) => found.push(Ok(refusal(validation, expressions))),
            Err(error) => found.push(Err(error)),
        }
        if expressions.is_exhausted() {
            let why = "validation failed due to running out of cost budget, no further validation rules will be run";
            return vec![Err(why.to_owned())];
        }
    }
    for annotation in &policy.spec.audit_annotations {
        found.extend(expressions.text(&annotation.value_expression, Returns::TextOrNull).err().map(Err));
    }
    found
}

fn refusal(validation: &Validation, expressions: &mut cel::Policy) -> Refusal {
    let message = computed(validation, expressions).unwrap_or_else(|| match validation.message.trim() {
        "" => format!("failed expression: {}", validation.expression.trim()),
        message => message.to_owned(),
    });
    let reason = if validation.reason.is_empty() { "Invalid" } else { &validation.reason };
    Refusal { message, reason: reason.to_owned() }
}

/// Returns the result of the message expression if it is a short line of text.
fn computed(validation: &Validation, expressions: &mut cel::Policy) -> Option<String> {
    if validation.message_expression.trim().is_empty() {
        return None;
    }
    let text = expressions.text(&validation.message_expression, Returns::Text).ok()??;
    let text = text.trim();
    (!text.is_empty() && text.len() <= LONGEST && !text.contains('\n')).then(|| text.to_owned())
}

/// The namespace of the object, with the fields that expressions can read; null for cluster-scoped objects.
fn namespace(server: &Server, request: &Request<'_>) -> Value {
    const METADATA: [&str; 12] = [
        "name",
        "generateName",
        "namespace",
        "labels",
        "annotations",
        "uid",
        "creationTimestamp",
        "deletionGracePeriodSeconds",
        "deletionTimestamp",
        "generation",
        "resourceVersion",
        "finalizers",
    ];
    if request.is_namespace() || request.namespace.is_empty() {
        return Value::Null;
    }
    let key = (String::new(), request.namespace.clone());
    let Some(namespace) = server.store.get(&Storage::new("", "namespaces"), &key) else { return Value::Null };
    let mut metadata = json!({});
    for field in METADATA {
        if let Some(value) = namespace["metadata"].get(field) {
            metadata[field] = value.clone();
        }
    }
    json!({"metadata": metadata, "spec": namespace["spec"], "status": namespace["status"]})
}
