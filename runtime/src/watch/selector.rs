//! Evaluation of label selectors in their text form.

use std::collections::BTreeMap;

use crate::wiring::selector_parts;

type Labels = BTreeMap<String, String>;

/// Whether the labels match all requirements of the selector. Only the API server evaluates its fields.
pub(crate) fn matches(selector: &str, labels: Option<&Labels>) -> bool {
    let none = Labels::new();
    requirements(selector_parts(selector).0.unwrap_or_default())
        .all(|requirement| holds(requirement.trim(), labels.unwrap_or(&none)))
}

/// The requirements, which are separated by the commas outside parentheses.
fn requirements(selector: &str) -> impl Iterator<Item = &str> {
    let mut inside = false;
    selector.split(move |c| {
        inside = c == '(' || inside && c != ')';
        c == ',' && !inside
    })
}

fn holds(requirement: &str, labels: &Labels) -> bool {
    let value = |key: &str| labels.get(key.trim()).map(String::as_str);
    if let Some((left, set)) = requirement.strip_suffix(')').and_then(|left| left.split_once('(')) {
        let is_in = |key: &str| value(key).is_some_and(|value| set.split(',').any(|one| one.trim() == value));
        return match left.trim().strip_suffix(" notin") {
            Some(key) => !is_in(key),
            None => left.trim().strip_suffix(" in").is_some_and(is_in),
        };
    }
    if let Some(key) = requirement.strip_prefix('!') {
        return value(key).is_none();
    }
    match requirement.split_once("!=").map(|(key, other)| value(key) != Some(other.trim())) {
        Some(differs) => differs,
        None => match requirement.split_once('=') {
            Some((key, wanted)) => value(key) == Some(wanted.trim_start_matches('=').trim()),
            None => requirement.is_empty() || value(requirement).is_some(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_selector_requirement_is_parsed() {
        let labels = Labels::from([("a".into(), "x".into()), ("app.example.com/b".into(), "y".into())]);
        for (selector, matched) in [
            ("", true),
            ("a", true),
            ("a;type=Opaque", true),
            ("c;type=Opaque", false),
            ("c", false),
            ("a in (x, z),c", false),
            ("a in (x), a", true),
            ("!a", false),
            ("! c", true),
            ("a=x", true),
            ("a == x", true),
            ("a=y", false),
            ("a!=x", false),
            ("a!=y", true),
            ("c!=x", true),
            ("a in (y, x)", true),
            ("a in (y)", false),
            ("c in (x)", false),
            ("a notin (x,y)", false),
            ("c notin (x)", true),
            ("a=x,app.example.com/b=y", true),
            ("a in (x,z),!c,a", true),
            ("a in (x,z),c", false),
            ("a in (y),a", false),
            ("c,a in (x)", false),
            ("a in (x),a notin (y,z),c notin (x)", true),
            ("a in (x),a notin (y,x),a", false),
        ] {
            assert_eq!(matches(selector, Some(&labels)), matched, "{selector}");
        }
        assert!(!matches("a", None));
    }
}
