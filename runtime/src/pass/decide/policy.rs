//! The policy of an object in its pass: the changes that are allowed while it exists and when it is deleted.

use k8s_openapi::api::core::v1::Namespace;
use kube::runtime::events::EventType;

use crate::api::Target;
use crate::pass::context::PassContext;
use crate::pass::report::event;
use crate::pipeline::object::Object;
use crate::pipeline::state::DesiredStatus;
use crate::queue::Key;
use crate::wiring::policy::{Policies, Policy, ResolvedPolicy, UNKNOWN_WORD};
use crate::wiring::{KindInfo, Wiring};

/// The policy of the object: its own annotation, then that of its namespace, then the default.
pub(in crate::pass) fn policy(context: &PassContext, object: &Object) -> ResolvedPolicy {
    let Some(policies) = context.wiring.policies else { return ResolvedPolicy::Known(Policy::Manage) };
    let own =
        policies.parse(object.annotations(), format_args!("{} {}", context.kind.resource.kind, Key::of(object.meta())));
    let policy = own.or_else(|| policy_of_namespace(context, policies, object));
    policy.unwrap_or(ResolvedPolicy::Known(context.env.policy))
}

/// The policy of the namespace from the cache, if it applies.
fn policy_of_namespace(context: &PassContext, policies: Policies, object: &Object) -> Option<ResolvedPolicy> {
    let target = namespace(context.wiring, object)?;
    let Some(namespace) = context.env.relations.named_now(&target) else {
        let why = "cannot be read; does the role allow list and watch on namespaces?";
        return Some(ResolvedPolicy::Unknown(format!("the namespace {} {why}", target.name)));
    };
    let annotations = namespace.meta()?.annotations.as_ref()?;
    policies.parse(annotations, format_args!("the namespace {}", target.name))
}

/// Reads and watches the object's namespace if its policy applies. From then on, a change to it triggers a reconcile.
pub(in crate::pass) async fn ask_namespace(context: &PassContext, key: &Key, object: &Object) {
    if let Some(target) = namespace(context.wiring, object)
        && let Err(error) = context.env.relations.named(key, &target).await
    {
        tracing::warn!(%error, namespace = target.name, "the policy of the namespace cannot be read");
    }
}

/// Whether the policy forbids any change for the object.
pub(in crate::pass) fn is_skipped(context: &PassContext, object: &Object) -> bool {
    policy(context, object) == ResolvedPolicy::Known(Policy::Skip)
}

/// The object's namespace, if its policy applies.
pub(in crate::pass) fn namespace(wiring: &Wiring, object: &Object) -> Option<Target> {
    wiring.policies.filter(|policies| policies.namespace)?;
    let name = object.meta().namespace.clone()?;
    Some(Target { kind: KindInfo::of::<Namespace>(), namespace: None, name })
}

/// The event for a policy that changed since the last pass. An unknown policy has none: it is the reason why the object is not ready.
pub(in crate::pass) fn change(before: &DesiredStatus, after: &DesiredStatus) -> Option<kube::runtime::events::Event> {
    let of = |intent: &DesiredStatus| intent.observed_inputs.clone().unwrap_or_default().policy;
    let (was, is) = (of(before), of(after));
    if was == is || is == UNKNOWN_WORD {
        return None;
    }
    let note = match is.as_str() {
        "skip" => "the policy is skip: the operator changes nothing, not even on deletion",
        "detach-on-delete" => {
            "the policy is detach-on-delete: on deletion, the resources created for the object remain"
        }
        _ => "the policy is manage",
    };
    Some(event::event(EventType::Normal, "PolicyChanged", note))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::ObservedInputs;

    fn status(policy: &str) -> DesiredStatus {
        let inputs = ObservedInputs { policy: policy.into(), ..ObservedInputs::default() };
        DesiredStatus { observed_inputs: Some(inputs), ..DesiredStatus::empty() }
    }

    fn note(was: &str, is: &str) -> Option<String> {
        change(&status(was), &status(is)).and_then(|event| event.note)
    }

    #[test]
    fn a_known_policy_change_is_noted() {
        assert!(note("manage", "skip").unwrap().starts_with("the policy is skip: the operator changes nothing"));
        assert!(note("manage", "detach-on-delete").unwrap().contains("the resources created for the object remain"));
        assert_eq!(note("skip", "manage").unwrap(), "the policy is manage");
        assert_eq!(note("skip", "").unwrap(), "the policy is manage");
        for (was, is) in [("skip", "skip"), ("", ""), ("manage", UNKNOWN_WORD), (UNKNOWN_WORD, UNKNOWN_WORD)] {
            assert_eq!(note(was, is), None, "{was} {is}");
        }
    }
}
