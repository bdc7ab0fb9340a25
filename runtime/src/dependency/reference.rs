//! References to other objects as text: `[namespace/]name[@expression]`.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::outcome::reporting::Actions;
use crate::outcome::{Class, PassError};

/// A reference to an object whose kind is given by the context. The default namespace is that of the referring object.
///
/// ```
/// use evenkeel::dependency::Reference;
/// let reference: Reference = "infra/ingress@status.ready == true".parse()?;
/// assert_eq!((reference.namespace.as_deref(), &*reference.name), (Some("infra"), "ingress"));
/// # Ok::<(), evenkeel::dependency::InvalidReference>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reference {
    /// The namespace of the object; default: the namespace of the referring object.
    pub namespace: Option<String>,
    /// The name of the object.
    pub name: String,
    /// An additional condition for readiness. It is not evaluated yet: an object that sets it is stalled.
    pub expression: Option<String>,
}

impl Reference {
    /// Creates a reference to the object with this name.
    #[must_use]
    pub fn new(namespace: Option<&str>, name: &str) -> Self {
        Self { namespace: namespace.map(ToOwned::to_owned), name: name.to_owned(), expression: None }
    }

    /// Resolves the reference from a namespace: adds that namespace if the reference has none, and drops the expression.
    #[must_use]
    pub fn within(&self, namespace: Option<&str>) -> Self {
        Self::new(self.namespace.as_deref().or(namespace), &self.name)
    }

    /// The error for a reference with an expression or without a valid name. Expressions are not evaluated yet, and must not be ignored. A
    /// slash in a name is a namespace that was not parsed; it is not parsed here, since users may have chosen the name.
    pub(crate) fn refusal(&self) -> Option<PassError> {
        if let Some((namespace, name)) = self.name.split_once('/') {
            let message = format!(
                "`{}` is not the name of an object: write `Reference::new(Some({namespace:?}), {name:?})` for an object in another namespace",
                self.name
            );
            return Some(PassError::new(Class::Stalled, "InvalidReference", &message, Actions::STALLED));
        }
        let expression = self.expression.as_ref()?;
        let message = format!(
            "the expression `{expression}` of a reference cannot be evaluated yet: leave out `@` and what follows"
        );
        Some(PassError::new(Class::Stalled, "ExpressionNotSupported", &message, Actions::STALLED))
    }
}

/// The object of this name in the namespace of the referring object. A name with a slash is refused when it is read; parse a text that may
/// contain a namespace.
impl From<&str> for Reference {
    fn from(name: &str) -> Self {
        Self::new(None, name)
    }
}

/// The object of this name in the namespace of the referring object.
impl From<&String> for Reference {
    fn from(name: &String) -> Self {
        Self::new(None, name)
    }
}

/// The object of this name in the namespace of the referring object.
impl From<String> for Reference {
    fn from(name: String) -> Self {
        Self { namespace: None, name, expression: None }
    }
}

impl From<&Self> for Reference {
    fn from(reference: &Self) -> Self {
        reference.clone()
    }
}

/// The error for a text that is not a reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidReference(String);

impl fmt::Display for InvalidReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a reference: write name, namespace/name or namespace/name@expression", self.0)
    }
}

impl std::error::Error for InvalidReference {}

/// Whether the text is a DNS label, or a list of labels separated by dots if `dots` is set.
fn is_name(text: &str, max: usize, dots: bool) -> bool {
    let alphanumeric = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let label = |label: &str| {
        label.starts_with(alphanumeric)
            && label.ends_with(alphanumeric)
            && label.chars().all(|c| alphanumeric(c) || c == '-')
    };
    text.len() <= max && if dots { text.split('.').all(label) } else { label(text) }
}

impl FromStr for Reference {
    type Err = InvalidReference;

    fn from_str(text: &str) -> Result<Self, InvalidReference> {
        let (object, expression) = match text.split_once('@') {
            Some((object, expression)) => (object, Some(expression)),
            None => (text, None),
        };
        let (namespace, name) = match object.split_once('/') {
            Some((namespace, name)) => (Some(namespace), name),
            None => (None, object),
        };
        let sound = is_name(name, 253, true)
            && namespace.is_none_or(|namespace| is_name(namespace, 63, false))
            && expression.is_none_or(|expression| !expression.is_empty());
        if !sound {
            return Err(InvalidReference(text.to_owned()));
        }
        Ok(Self { expression: expression.map(ToOwned::to_owned), ..Self::new(namespace, name) })
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(namespace) = &self.namespace {
            write!(f, "{namespace}/")?;
        }
        f.write_str(&self.name)?;
        self.expression.iter().try_for_each(|expression| write!(f, "@{expression}"))
    }
}

impl Serialize for Reference {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Reference {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<'de, str>::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Reference {
    fn schema_name() -> Cow<'static, str> {
        "Reference".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        // The API server rejects texts that would not parse, so that every stored object can be decoded.
        const LABEL: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
        let pattern = format!("^({LABEL}/)?{LABEL}(\\.{LABEL})*(@.+)?$");
        // For a field without a doc comment of its own.
        let description = "The name of an object, or namespace/name; without a namespace, that of this object";
        json_schema!({ "type": "string", "description": description, "pattern": pattern, "maxLength": 1024 })
    }
}

/// The type of a field in `depends_on = spec.field`, or the return type of a function in `depends_on = function`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not hold references",
    label = "not a list of references",
    note = "make it a `Vec<evenkeel::dependency::Reference>`, or an `Option` of it"
)]
pub trait References: Sized {
    /// The references, in the order of the list.
    fn references(&self) -> &[Reference];
    /// The references of an owned list, without a copy.
    fn into_references(self) -> Vec<Reference>;
}

#[diagnostic::do_not_recommend]
impl References for Vec<Reference> {
    fn references(&self) -> &[Reference] {
        self
    }

    fn into_references(self) -> Vec<Reference> {
        self
    }
}

#[diagnostic::do_not_recommend]
impl References for Option<Vec<Reference>> {
    fn references(&self) -> &[Reference] {
        self.as_deref().unwrap_or_default()
    }

    fn into_references(self) -> Vec<Reference> {
        self.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_a_slash_is_refused_with_the_cure() {
        let refusal = Reference::from("infra/zones").refusal().unwrap();
        assert_eq!(refusal.reason, "InvalidReference");
        assert!(refusal.message.contains(r#"write `Reference::new(Some("infra"), "zones")`"#), "{}", refusal.message);
        let parsed: Reference = "infra/zones".parse().unwrap();
        assert!(parsed.refusal().is_none() && Reference::from("zones").refusal().is_none());
    }

    #[test]
    fn an_invalid_object_name_is_no_reference() {
        for text in ["", "/a", "a/", "a/b/c", "A", "-a", "a@", "a.b/c", &"x".repeat(254)] {
            assert!(text.parse::<Reference>().is_err(), "{text}");
        }
        for text in ["a", "a.b-c", "n/a", "n/a@x/y@z"] {
            assert_eq!(text.parse::<Reference>().unwrap().to_string(), text);
        }
    }
}
