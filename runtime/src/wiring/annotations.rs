//! The annotations that the framework reads: whose an object is, when a pass was asked for, what is suspended, what may be done.

/// The annotation that holds the namespace of the operator which an object belongs to, where operators say
/// [`operator_namespace`](crate::Operator::operator_namespace).
pub const OPERATOR_NAMESPACE: &str = "evenkeel.dev/operator-namespace";

/// The annotation that asks for a pass, unless `#[reconciler(request_annotation = "..")]` names another one.
pub const REQUESTED_AT: &str = "evenkeel.dev/requestedAt";

/// The annotation that suspends an object with the value `"true"`, where `#[reconciler(suspend(annotation))]` says so.
pub const SUSPEND: &str = "evenkeel.dev/suspend";

/// The annotation that holds the policy of an object, unless `#[reconciler(policies(key = ".."))]` names another.
pub const POLICY: &str = "evenkeel.dev/policy";
