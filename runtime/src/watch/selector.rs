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

/// The labels that the selector names.
pub(super) fn keys(selector: &str) -> impl Iterator<Item = &str> {
    let requirements = requirements(selector_parts(selector).0.unwrap_or_default());
    requirements.map(|requirement| {
        let requirement = requirement.trim().trim_start_matches('!');
        requirement.split(['=', '!', ' ', '(']).next().unwrap_or_default()
    })
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

/// The first requirement that the API server would reject.
pub(crate) fn unreadable(selector: &str) -> Option<&str> {
    requirements(selector).map(str::trim).find(|requirement| !is_readable(requirement))
}

fn is_readable(requirement: &str) -> bool {
    if let Some((left, set)) = requirement.strip_suffix(')').and_then(|left| left.split_once('(')) {
        let key = left.trim().strip_suffix(" notin").or_else(|| left.trim().strip_suffix(" in"));
        return key.is_some_and(is_key) && set.split(',').all(is_value);
    }
    if let Some(key) = requirement.strip_prefix('!') {
        return is_key(key);
    }
    let (key, value) = requirement.split_once('=').unwrap_or((requirement, ""));
    is_key(key.strip_suffix('!').unwrap_or(key)) && is_value(value.strip_prefix('=').unwrap_or(value))
}

/// Whether the text is the key of a label, with or without a domain.
fn is_key(key: &str) -> bool {
    let (domain, name) = key.trim().rsplit_once('/').map_or((None, key.trim()), |(domain, name)| (Some(domain), name));
    let is_domain =
        |domain: &str| domain.len() <= 253 && domain.split('.').all(|label| !label.is_empty() && is_value(label));
    !name.is_empty() && is_value(name) && domain.is_none_or(is_domain)
}

/// Whether the text is the value of a label: at most 63 characters, with a letter or a digit at both ends.
fn is_value(value: &str) -> bool {
    let value = value.trim();
    let is_edge = |c: char| c.is_ascii_alphanumeric();
    value.is_empty()
        || value.len() <= 63
            && value.chars().all(|c| is_edge(c) || "-_.".contains(c))
            && value.starts_with(is_edge)
            && value.ends_with(is_edge)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_of_a_selector_are_found() {
        let all = "a, !b,c=d,e!=f,example.com/g==h,i in (x, y),j notin (z);type=Opaque";
        assert_eq!(keys(all).collect::<Vec<_>>(), ["a", "b", "c", "e", "example.com/g", "i", "j"]);
    }

    #[test]
    fn a_requirement_that_the_server_would_reject_is_found() {
        for selector in ["a", "!a", "a=b,c!=d", "example.com/a==b", "a in (x, y),b notin (z)", "a="] {
            assert_eq!(unreadable(selector), None, "{selector}");
        }
        for (selector, part) in [
            ("a=b,=c", "=c"),
            ("a==b==c", "a==b==c"),
            ("a b", "a b"),
            ("a in x", "a in x"),
            ("a near (x)", "a near (x)"),
            ("a=-x", "a=-x"),
            ("/a", "/a"),
            ("a,,b", ""),
        ] {
            assert_eq!(unreadable(selector), Some(part), "{selector}");
        }
        assert!(unreadable(&format!("a={}", "x".repeat(64))).is_some());
    }

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
