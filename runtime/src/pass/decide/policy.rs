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
    let (meta, own) = (object.meta(), object.annotations().get(policies.key).map(String::as_str));
    let named = || Key::of(meta);
    resolved(context, policies, (meta.namespace.as_deref(), &named), own)
}

/// The policies of all objects in the cache; none if the reconciler has no policies.
#[cfg(feature = "metrics")]
pub(in crate::pass) fn policies(context: &PassContext) -> impl Iterator<Item = ResolvedPolicy> {
    let policies = context.wiring.policies;
    let all = policies.map(|policies| context.env.primary.policies(policies.key)).unwrap_or_default();
    all.into_iter().filter_map(move |(key, own)| {
        let named = || key.clone();
        Some(resolved(context, policies?, (key.namespace.as_deref(), &named), own.as_deref()))
    })
}

/// The policy of the object of this namespace and name, whose own annotation has this value.
fn resolved(
    context: &PassContext,
    policies: Policies,
    (namespace, named): (Option<&str>, &dyn Fn() -> Key),
    own: Option<&str>,
) -> ResolvedPolicy {
    let kind = &context.kind.resource.kind;
    let own = own.and_then(|own| policies.parse(own, &|| format!("{kind} {}", named())));
    let policy = own.or_else(|| policy_of_namespace(context, policies, namespace));
    policy.unwrap_or(ResolvedPolicy::Known(context.env.policy))
}

/// The policy of the namespace from the cache, if it applies.
fn policy_of_namespace(context: &PassContext, policies: Policies, name: Option<&str>) -> Option<ResolvedPolicy> {
    let target = target(context.wiring, name?)?;
    let Some(namespace) = context.env.relations.named_now(&target) else {
        let why = "cannot be read; does the role allow list and watch on namespaces?";
        return Some(ResolvedPolicy::Unknown(format!("the namespace {} {why}", target.name)));
    };
    let value = namespace.meta()?.annotations.as_ref()?.get(policies.key)?;
    policies.parse(value, &|| format!("the namespace {}", target.name))
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
    target(wiring, object.meta().namespace.as_deref()?)
}

fn target(wiring: &Wiring, namespace: &str) -> Option<Target> {
    wiring.policies.filter(|policies| policies.namespace)?;
    Some(Target { kind: KindInfo::of::<Namespace>(), namespace: None, name: namespace.to_owned() })
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
