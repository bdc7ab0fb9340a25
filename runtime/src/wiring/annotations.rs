//! The annotations that the framework reads: owning operator, reconcile request, suspension and policy.

/// The domain of all of them.
pub(crate) const DOMAIN: &str = "evenkeel.dev";

/// The key of a mark under another domain.
#[cfg(feature = "operator")]
pub(crate) fn key_under(domain: &str, key: &str) -> String {
    format!("{domain}{}", key.strip_prefix(DOMAIN).unwrap_or(key))
}

/// The annotation with the namespace of the operator to which an object belongs.
///
/// It is used by operators with [`operator_namespace`](crate::Operator::operator_namespace).
pub const OPERATOR_NAMESPACE: &str = "evenkeel.dev/operator-namespace";

/// The annotation that requests a reconcile, unless `#[reconciler(request_annotation = "..")]` names another one.
pub const REQUESTED_AT: &str = "evenkeel.dev/requestedAt";

/// The annotation of a dependent, and of an owned object in another namespace than its owner: the owner, and the object that the mark is for.
pub const OWNER: &str = "evenkeel.dev/owner";

/// The label of the same objects: a hash of the kind, the namespace and the name of the owner, and of the set of a dependent.
pub const DEPENDENT_OF: &str = "evenkeel.dev/dependent-of";

/// The label of a dependent with the name of its operator, by which dependents are watched; and the same annotation of a Lease.
#[cfg(any(feature = "dependents", feature = "lease"))]
pub(crate) const OPERATOR: &str = "evenkeel.dev/operator";

/// The annotation of a Lease with the identity of the replica that shall give it back.
#[cfg(feature = "lease")]
pub(crate) const STEP_DOWN: &str = "evenkeel.dev/step-down";

/// The annotation of a dependent with the digest of what was applied, and what holds when it is no longer wanted.
#[cfg(feature = "dependents")]
pub(crate) const APPLIED: &str = "evenkeel.dev/applied";

/// The annotation of a namespace that was created for the dependents of a component, with that component.
#[cfg(feature = "dependents")]
pub(crate) const NAMESPACE_FOR: &str = "evenkeel.dev/namespace-for";

/// The annotation of a former dependent that stayed when it was no longer wanted, with its former owner.
pub(crate) const ORPHANED_FROM: &str = "evenkeel.dev/orphaned-from";

/// The annotation that suspends an object with the value `"true"`.
///
/// It has this effect if the reconciler declares `#[reconciler(suspend(annotation))]`.
pub const SUSPEND: &str = "evenkeel.dev/suspend";

/// The annotation with the policy of an object, unless `#[reconciler(policies(key = ".."))]` names another one.
pub const POLICY: &str = "evenkeel.dev/policy";
