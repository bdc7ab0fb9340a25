//! The two places of CEL: rules in a schema, whose values have types, and policies, whose values are plain JSON.

use super::code::Code;
use super::error::Problem;

/// Where an expression is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// A rule in a schema. Property names are escaped, and values have the types of the schema.
    Schema,
    /// A policy. Values have the types of JSON.
    Policy,
}

/// Words that CEL reserves.
const RESERVED: [&str; 21] = [
    "as",
    "break",
    "const",
    "continue",
    "else",
    "false",
    "for",
    "function",
    "if",
    "import",
    "in",
    "let",
    "loop",
    "namespace",
    "null",
    "package",
    "return",
    "true",
    "var",
    "void",
    "while",
];

/// Reserved words that are not even field names.
const KEYWORDS: [&str; 4] = ["false", "in", "null", "true"];

/// Whether the text can be an identifier of CEL.
pub(super) fn is_identifier(text: &str) -> bool {
    is_word(text) && !RESERVED.contains(&text)
}

fn is_word(text: &str) -> bool {
    let starts = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    starts && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

impl Dialect {
    /// The property `name` of `base`, and the test whether it is there.
    pub(super) fn property(self, base: &Code, name: &str) -> Result<(Code, Code), Problem> {
        let quoted = Code::text(name);
        match self {
            // The variable `request` of a policy has a type, whose fields cannot be indexed.
            Self::Policy if !is_word(name) || KEYWORDS.contains(&name) => {
                Ok((base.index(&quoted), quoted.relation("in", base)))
            }
            Self::Policy => Ok(member(base, name)),
            Self::Schema => match escaped(name) {
                Some(name) => Ok(member(base, &name)),
                None => Err(Problem::no_form(format!("CEL cannot name the property `{name}`"))),
            },
        }
    }

    /// Whether a value is not null. The checker of a schema compares null only with values without a type.
    pub(super) fn is_not_null(self, value: &Code) -> Code {
        let value = match self {
            Self::Schema => value.called("dyn"),
            Self::Policy => value.clone(),
        };
        value.relation("!=", &Code::primary("null"))
    }
}

/// The property of a part of an object in a policy, and the test whether it is there.
#[cfg(feature = "webhooks")]
pub(crate) fn policy_member(base: &str, name: &str) -> Result<(String, String), Problem> {
    let (code, test) = Dialect::Policy.property(&Code::primary(base), name)?;
    Ok((code.into_text(), test.into_text()))
}

fn member(base: &Code, name: &str) -> (Code, Code) {
    let code = base.member(name);
    let is_there = code.called("has");
    (code, is_there)
}

/// The identifier for a property of a schema; `None` if rules cannot name it.
///
/// Source: <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-expression>, "Accessible
/// property names".
fn escaped(name: &str) -> Option<String> {
    if RESERVED.contains(&name) {
        return Some(format!("__{name}__"));
    }
    let is_known = |c: char| c.is_ascii_alphanumeric() || "_.-/".contains(c);
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) || !name.chars().all(is_known) {
        return None;
    }
    let escaped = name.replace("__", "__underscores__");
    Some(escaped.replace('.', "__dot__").replace('-', "__dash__").replace('/', "__slash__"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn property_names_are_escaped_in_a_schema_and_quoted_in_a_policy() {
        let base = Code::primary("self");
        for (name, schema, policy) in [
            ("a", "self.a", "self.a"),
            ("x-y", "self.x__dash__y", "self['x-y']"),
            ("a__b", "self.a__underscores__b", "self.a__b"),
            ("ex.dev/a", "self.ex__dot__dev__slash__a", "self['ex.dev/a']"),
            ("namespace", "self.__namespace__", "self.namespace"),
            ("in", "self.__in__", "self['in']"),
        ] {
            let printed = |dialect: Dialect| dialect.property(&base, name).unwrap().0.into_text();
            assert_eq!((printed(Dialect::Schema), printed(Dialect::Policy)), (schema.to_owned(), policy.to_owned()));
        }
        assert!(Dialect::Schema.property(&base, "a b").is_err());
        assert_eq!(Dialect::Policy.property(&base, "a b").unwrap().1.into_text(), "'a b' in self");
    }
}
