//! Ownership: which of several operators of one cluster an object belongs to.

/// The annotation that holds the namespace of the operator which an object belongs to, where operators say
/// [`operator_namespace`](crate::Operator::operator_namespace).
pub const OPERATOR_NAMESPACE: &str = "evenkeel.dev/operator-namespace";
