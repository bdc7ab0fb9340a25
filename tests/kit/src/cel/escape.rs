//! Escaped property names, as rules write them.

use std::borrow::Cow;

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

/// The identifier for the property `name`; `None` if rules can't access the property.
pub(super) fn escaped(name: &str) -> Option<Cow<'_, str>> {
    if RESERVED.contains(&name) {
        return Some(format!("__{name}__").into());
    }
    let first = name.chars().next()?;
    let is_known = |c: char| c.is_ascii_alphanumeric() || "_.-/".contains(c);
    if first.is_ascii_digit() || !name.chars().all(is_known) {
        return None;
    }
    if !name.contains(['.', '-', '/']) && !name.contains("__") {
        return Some(name.into());
    }
    let escaped = name.replace("__", "__underscores__");
    Some(escaped.replace('.', "__dot__").replace('-', "__dash__").replace('/', "__slash__").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_not_identifiers_are_escaped() {
        let cases = [
            ("a", "a"),
            ("a_b", "a_b"),
            ("a__b", "a__underscores__b"),
            ("x-y", "x__dash__y"),
            ("ex.dev/a", "ex__dot__dev__slash__a"),
            ("namespace", "__namespace__"),
            ("int", "int"),
        ];
        for (name, expected) in cases {
            assert_eq!(escaped(name).as_deref(), Some(expected));
        }
        assert_eq!((escaped("1a"), escaped(""), escaped("a b")), (None, None, None));
    }
}
