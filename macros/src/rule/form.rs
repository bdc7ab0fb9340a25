//! The two forms of a rule.

use syn::Type;

/// What the function takes.
pub(super) enum Form {
    /// The value of a field, and its old one.
    Part { ty: Box<Type>, old: bool },
    /// The whole object, the old one, and the request.
    Policy,
}
