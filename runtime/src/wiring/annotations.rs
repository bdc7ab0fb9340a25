//! The annotations that the framework reads: whose an object is, and when a pass was asked for.

/// The annotation that holds the namespace of the operator which an object belongs to, where operators say
/// [`operator_namespace`](crate::Operator::operator_namespace).
pub const OPERATOR_NAMESPACE: &str = "evenkeel.dev/operator-namespace";

/// The annotation that asks for a pass, unless `#[reconciler(requested = "..")]` names another one.
pub const REQUESTED_AT: &str = "evenkeel.dev/requestedAt";
