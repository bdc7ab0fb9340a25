//! Validating admission policies: CEL expressions that refuse writes, before the validating webhooks are called.

mod definition;
mod evaluate;
mod params;

use serde_json::{Value, json};

use super::request::Request;
use super::select::Objects;
use super::version::{self, Shown};
use crate::api_error::Failure;
use crate::state::Server;

use definition::{Binding, Policy};
use evaluate::Refusal;

/// The result of all policies.
#[derive(Default)]
struct Outcome {
    warnings: Vec<String>,
    /// The first refusal, with the policy and the binding in words.
    refused: Option<Refusal>,
}

/// Evaluates all policies over a write, and returns their warnings.
///
/// # Errors
/// If a policy denies the write, or fails with the failure policy `Fail`. Of several refusals, that of the first policy by name is returned.
pub(super) async fn review(
    server: &Server,
    request: &Request<'_>,
    objects: Objects<'_>,
) -> Result<Vec<String>, Failure> {
    let mut outcome = Outcome::default();
    for (policy, bindings) in definition::all(server) {
        outcome.ask(server, request, objects, &policy, &bindings).await?;
    }
    match outcome.refused {
        None => Ok(outcome.warnings),
        Some(refusal) => Err(denied(request, objects, &refusal).warning(outcome.warnings)),
    }
}

impl Outcome {
    async fn ask(
        &mut self,
        server: &Server,
        request: &Request<'_>,
        objects: Objects<'_>,
        policy: &Policy,
        bindings: &[Binding],
    ) -> Result<(), Failure> {
        let constraints = policy.spec.match_constraints.as_ref();
        let Some(kind) = constraints.and_then(|of| of.version_or_own(server, request, objects)) else {
            return Ok(());
        };
        let param_kind = match policy.spec.param_kind.as_ref().map(|wanted| params::kind(server, wanted)).transpose() {
            Ok(kind) => kind,
            Err(why) => {
                self.broken(policy, None, &format!("failed to configure policy: {why}"));
                return Ok(());
            }
        };
        let shown = version::shown(server, request, kind, objects).await?;
        for binding in bindings {
            let resources = binding.spec.match_resources.as_ref();
            if resources.is_some_and(|of| of.version_or_own(server, request, objects).is_none()) {
                continue;
            }
            let params = match param_kind.as_ref().zip(binding.spec.param_ref.as_ref()) {
                None => Ok(vec![None]),
                Some((kind, wanted)) => params::all(server, request, kind, wanted)
                    .await
                    .map(|found| found.into_iter().map(Some).collect::<Vec<Option<Value>>>()),
            };
            match params {
                Ok(params) => {
                    for params in params {
                        self.evaluate(server, request, (objects, &shown), (policy, binding), params.as_ref());
                    }
                }
                Err(why) => self.broken(policy, Some(binding), &format!("failed to configure binding: {why}")),
            }
        }
        Ok(())
    }

    fn evaluate(
        &mut self,
        server: &Server,
        request: &Request<'_>,
        objects: (Objects<'_>, &Shown),
        (policy, binding): (&Policy, &Binding),
        params: Option<&Value>,
    ) {
        for refusal in evaluate::refusals(server, policy, request, objects, params) {
            if binding.has_action("Warn") {
                let (policy, binding, why) = (policy.name(), binding.name(), &refusal.message);
                self.warn(format!(
                    "Validation failed for ValidatingAdmissionPolicy '{policy}' with binding '{binding}': {why}"
                ));
            }
            if binding.has_action("Deny") {
                self.refuse(policy, Some(binding), refusal);
            }
        }
    }

    /// A warning header has one line: an API server leaves out warnings with other characters.
    fn warn(&mut self, warning: String) {
        if !warning.contains(char::is_control) {
            self.warnings.push(warning);
        }
    }

    /// Records a failure of the policy itself, which denies the write whatever the actions of the binding are.
    fn broken(&mut self, policy: &Policy, binding: Option<&Binding>, why: &str) {
        if !policy.ignores_failures() {
            self.refuse(policy, binding, Refusal::failed(why.to_owned()));
        }
    }

    fn refuse(&mut self, policy: &Policy, binding: Option<&Binding>, refusal: Refusal) {
        let (name, why) = (policy.name(), &refusal.message);
        let message = match binding.map(Binding::name) {
            Some(binding) => {
                format!("ValidatingAdmissionPolicy '{name}' with binding '{binding}' denied request: {why}")
            }
            None => format!("ValidatingAdmissionPolicy '{name}' denied request: {why}"),
        };
        self.refused.get_or_insert(Refusal { message, ..refusal });
    }
}

/// The error for a refusal.
fn denied(request: &Request<'_>, objects: Objects<'_>, refusal: &Refusal) -> Failure {
    let mut failure = Failure::forbidden(request.about(objects.new), &refusal.message);
    failure.code = match refusal.reason.as_str() {
        "Unauthorized" => 401,
        "Forbidden" => 403,
        "RequestEntityTooLarge" => 413,
        _ => 422,
    };
    failure.reason = refusal.reason.as_str().into();
    if let Some(details) = &mut failure.details {
        details["causes"] = json!([{"message": refusal.message}]);
    }
    failure
}
