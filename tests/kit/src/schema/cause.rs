//! One entry of `details.causes` in a Kubernetes `Status`.

use std::fmt;

/// The reason for rejecting a field, as in `details.causes` of a Kubernetes `Status`.
pub(crate) type Causes = Vec<Cause>;

/// The reason for rejecting one field, as in `details.causes` of a Kubernetes `Status`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cause {
    /// The reason code, such as `FieldValueInvalid` or `FieldValueRequired`.
    pub reason: String,
    /// The message, which begins with the reason in words: `Invalid value: 1000: ...`.
    pub message: String,
    /// The path of the field without a leading dot, such as `spec.list[0].name`.
    pub field: String,
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.message)
    }
}

impl Cause {
    fn new(reason: &str, field: &str, message: String) -> Self {
        Self { reason: reason.to_owned(), message, field: field.to_owned() }
    }

    /// A field with an invalid value; `value` is printed as JSON.
    pub(crate) fn invalid(field: &str, value: impl fmt::Display, text: impl fmt::Display) -> Self {
        Self::new("FieldValueInvalid", field, format!("Invalid value: {value}: {text}"))
    }

    /// A value of the wrong JSON type or format; `value` is printed in quotes.
    pub(crate) fn mistyped(field: &str, value: &str, text: impl fmt::Display) -> Self {
        Self::new("FieldValueTypeInvalid", field, format!("Invalid value: {value:?}: {text}"))
    }

    /// A cause without a field, as API servers report combined schemas.
    pub(crate) fn nowhere(text: impl fmt::Display) -> Self {
        Self::new("FieldValueInvalid", "<nil>", format!("Invalid value: \"\": {text}"))
    }

    /// A string longer than `max` characters.
    pub(crate) fn too_long(field: &str, max: u64) -> Self {
        Self::new("FieldValueTooLong", field, format!("Too long: may not be more than {max} bytes"))
    }

    /// More than `max` items or properties.
    pub(crate) fn too_many(field: &str, count: u64, max: u64) -> Self {
        let items = if max == 1 { "item" } else { "items" };
        Self::new("FieldValueTooMany", field, format!("Too many: {count}: must have at most {max} {items}"))
    }

    /// A duplicate list item; `key` is printed as JSON.
    pub(crate) fn duplicate(field: &str, key: impl fmt::Display) -> Self {
        Self::new("FieldValueDuplicate", field, format!("Duplicate value: {key}"))
    }

    /// A required field that is missing.
    pub(crate) fn required(field: &str, text: &str) -> Self {
        Self::new("FieldValueRequired", field, with_detail("Required value", text))
    }

    /// A field that must not be set.
    pub(crate) fn forbidden(field: &str, text: &str) -> Self {
        Self::new("FieldValueForbidden", field, with_detail("Forbidden", text))
    }

    /// A value that is not in a fixed set of values; `supported` lists the set, already printed.
    pub(crate) fn unsupported(field: &str, value: impl fmt::Display, supported: &[String]) -> Self {
        let choice = supported.iter().map(|one| format!("\"{one}\"")).collect::<Vec<_>>().join(", ");
        Self::new("FieldValueNotSupported", field, format!("Unsupported value: {value}: supported values: {choice}"))
    }
}

fn with_detail(head: &str, text: &str) -> String {
    if text.is_empty() { head.to_owned() } else { format!("{head}: {text}") }
}
