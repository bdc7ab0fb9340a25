//! Admission policies of a rule: their creation, and the wait until they are in effect.

use serde_json::{Value, json};
use uuid::Uuid;

use crate::check::{Broken, Verdict, eventually};
use crate::env::{Answer, Env, text};
use crate::webhook_server::widget;

pub(crate) const POLICIES: &str = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
pub(crate) const BINDINGS: &str = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings";

/// A policy with one binding of the same name.
pub(crate) struct Policy {
    name: String,
    spec: Value,
    binding: Value,
}

/// A policy for all writes of widgets in the namespace of the rule, with these fields of its spec.
#[expect(clippy::needless_pass_by_value, reason = "reads as a sentence with json!")]
pub(crate) fn policy(name: &str, spec: Value) -> Policy {
    let mut all = json!({"matchConstraints": {}});
    merge(&mut all, &spec);
    let constraints = &mut all["matchConstraints"];
    if constraints["resourceRules"].is_null() {
        constraints["resourceRules"] = json!([rule("widgets")]);
    }
    Policy { name: name.to_owned(), spec: all, binding: json!({"validationActions": ["Deny"]}) }
}

/// A policy with one validation.
pub(crate) fn validating(name: &str, expression: &str) -> Policy {
    policy(name, json!({"validations": [{"expression": expression}]}))
}

/// A rule for all writes of a resource of the rules.
pub(crate) fn rule(resource: &str) -> Value {
    json!({"apiGroups": ["conform.evenkeel.dev"], "apiVersions": ["*"], "operations": ["*"], "resources": [resource]})
}

fn merge(into: &mut Value, fields: &Value) {
    for (field, value) in fields.as_object().into_iter().flatten() {
        into[field] = value.clone();
    }
}

impl Policy {
    /// Sets fields of the spec of the binding.
    #[expect(clippy::needless_pass_by_value, reason = "reads as a sentence with json!")]
    pub(crate) fn bound(mut self, spec: Value) -> Self {
        merge(&mut self.binding, &spec);
        self
    }

    /// Returns the policy and its binding, restricted to the namespace of the rule.
    pub(crate) fn objects(&self, env: &Env) -> (Value, Value) {
        let name = full(env, &self.name);
        let object = |kind: &str, spec: &Value| json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": {"name": name}, "spec": spec});
        let mut policy = object("ValidatingAdmissionPolicy", &self.spec);
        let constraints = &mut policy["spec"]["matchConstraints"];
        if constraints["namespaceSelector"].is_null() {
            constraints["namespaceSelector"] = json!({"matchLabels": {"rule": env.namespace}});
        }
        let mut binding = object("ValidatingAdmissionPolicyBinding", &self.binding);
        binding["spec"]["policyName"] = json!(name);
        (policy, binding)
    }
}

fn full(env: &Env, name: &str) -> String {
    format!("{name}.{}", env.namespace)
}

/// Creates policies, and waits until they are in effect, since API servers read them asynchronously.
pub(crate) async fn enforce<const N: usize>(env: &Env, policies: [Policy; N]) -> Verdict {
    let label = json!({"metadata": {"labels": {"rule": env.namespace}}});
    env.merge(&format!("/api/v1/namespaces/{}", env.namespace), &label).await?.is(200)?;
    let last = format!("last-{}", &Uuid::new_v4().simple().to_string()[..6]);
    let probe = validating(&last, "object.metadata.name != 'probe'").bound(json!({"validationActions": ["Warn"]}));
    for policy in policies.iter().chain([&probe]) {
        let (policy, binding) = policy.objects(env);
        env.post(POLICIES, &policy).await?.is(201)?;
        env.post(BINDINGS, &binding).await?.is(201)?;
    }
    let warned = || async {
        let answer = env.post(&env.path("?dryRun=All"), &widget("probe", json!({}))).await?;
        Ok(warnings(&answer).iter().any(|warning| warning.contains(&last)).then_some(()))
    };
    eventually("the policies are in effect", warned).await
}

/// The warnings of a response, without their codes.
pub(crate) fn warnings(answer: &Answer) -> Vec<String> {
    let all = answer.headers.get_all("warning").iter().filter_map(|value| value.to_str().ok());
    all.map(|value| value.trim_start_matches("299 - \"").trim_end_matches('"').to_owned()).collect()
}

/// Why the policy with this name denied the request.
pub(crate) fn why<'a>(env: &Env, name: &str, answer: &'a Answer) -> Result<&'a str, Broken> {
    let name = full(env, name);
    let head = format!("ValidatingAdmissionPolicy '{name}' with binding '{name}' denied request: ");
    let message = text(&answer.body["message"]);
    let found = message.split_once(" is forbidden: ").and_then(|(_, rest)| rest.strip_prefix(head.as_str()));
    found.ok_or_else(|| format!("expected a denial of {name}, found {} {message}", answer.status).into())
}

/// Creates a widget in a dry run.
pub(crate) async fn create(env: &Env, spec: Value) -> Result<Answer, Broken> {
    create_object(env, &widget("w", spec)).await
}

/// Creates a widget with a label in a dry run, so that of several policies only one selects it.
pub(crate) async fn create_for(env: &Env, policy: &str) -> Result<Answer, Broken> {
    create_object(env, &selected(policy)).await
}

/// Creates this widget in a dry run.
pub(crate) async fn create_object(env: &Env, object: &Value) -> Result<Answer, Broken> {
    env.post(&env.path("?dryRun=All"), object).await
}

/// A widget that only the policy with this name selects.
pub(crate) fn selected(policy: &str) -> Value {
    let mut widget = widget("w", json!({"size": 7}));
    widget["metadata"]["labels"] = json!({"policy": policy});
    widget
}

/// A policy for the widget of [`selected`] alone.
pub(crate) fn own(name: &str, spec: Value) -> Policy {
    let mut policy = policy(name, spec);
    policy.spec["matchConstraints"]["objectSelector"] = json!({"matchLabels": {"policy": name}});
    policy
}
