//! Syntax checks of names. They return the messages of real servers, none for a valid name.

use std::sync::LazyLock;

use regex::Regex;

const LABEL: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const SUBDOMAIN: &str = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
const SERVICE: &str = "[a-z]([-a-z0-9]*[a-z0-9])?";
const QUALIFIED: &str = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const VALUE: &str = "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?";

#[expect(clippy::unwrap_used, reason = "the patterns are constants, compiled in a test")]
fn whole(pattern: &str) -> Regex {
    Regex::new(&format!("^(?:{pattern})$")).unwrap()
}

fn checked(text: &str, regex: &Regex, limit: usize, complaint: impl FnOnce() -> String) -> Vec<String> {
    let mut complaints = Vec::new();
    if text.len() > limit {
        complaints.push(format!("must be no more than {limit} bytes"));
    }
    if !regex.is_match(text) {
        complaints.push(complaint());
    }
    complaints
}

/// Checks an RFC 1123 subdomain, the name of most objects.
pub(crate) fn subdomain(name: &str) -> Vec<String> {
    static REGEX: LazyLock<Regex> = LazyLock::new(|| whole(SUBDOMAIN));
    checked(name, &REGEX, 253, || {
        format!(
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must \
             start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '{SUBDOMAIN}')"
        )
    })
}

/// Checks an RFC 1123 label, the name of a namespace.
pub(crate) fn label(name: &str) -> Vec<String> {
    static REGEX: LazyLock<Regex> = LazyLock::new(|| whole(LABEL));
    checked(name, &REGEX, 63, || {
        format!(
            "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and \
             end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '{LABEL}')"
        )
    })
}

/// Checks an RFC 1035 label, the name of a service.
pub(crate) fn service(name: &str) -> Vec<String> {
    static REGEX: LazyLock<Regex> = LazyLock::new(|| whole(SERVICE));
    checked(name, &REGEX, 63, || {
        format!(
            "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic \
             character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for \
             validation is '{SERVICE}')"
        )
    })
}

/// Checks the name of a port.
pub(crate) fn port(name: &str) -> Vec<String> {
    let is_letter = |letter: char| letter.is_ascii_lowercase();
    let fits = |letter: char| is_letter(letter) || letter.is_ascii_digit() || letter == '-';
    let rules = [
        (name.len() <= 15, "must be no more than 15 characters"),
        (name.chars().all(fits), "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"),
        (name.contains(is_letter), "must contain at least one letter (a-z)"),
        (!name.contains("--"), "must not contain consecutive hyphens"),
        (!name.starts_with('-') && !name.ends_with('-'), "must not begin or end with a hyphen"),
    ];
    rules.into_iter().filter(|(holds, _)| !holds).map(|(_, rule)| rule.to_owned()).collect()
}

/// Checks a path segment, the name of an RBAC object.
pub(crate) fn segment(name: &str) -> Vec<String> {
    if name == "." || name == ".." {
        return vec![format!("may not be '{name}'")];
    }
    let found = ["/", "%"].into_iter().filter(|bad| name.contains(bad));
    found.map(|bad| format!("may not contain '{bad}'")).collect()
}

/// Checks a label value.
pub(crate) fn label_value(value: &str) -> Vec<String> {
    static REGEX: LazyLock<Regex> = LazyLock::new(|| whole(VALUE));
    checked(value, &REGEX, 63, || {
        format!(
            "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must \
             start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for \
             validation is '{VALUE}')"
        )
    })
}

/// Checks a label key, annotation key or finalizer: a name with an optional `prefix/`.
pub(crate) fn qualified(key: &str) -> Vec<String> {
    let parts: Vec<&str> = key.split('/').collect();
    match parts.as_slice() {
        [name] => name_part(name),
        ["", name] => [vec!["prefix part must be non-empty".to_owned()], name_part(name)].concat(),
        [prefix, name] => {
            let prefixed = subdomain(prefix).into_iter().map(|complaint| format!("prefix part {complaint}"));
            prefixed.chain(name_part(name)).collect()
        }
        _ => vec![format!(
            "a valid label key must consist of {} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
            name_rule()
        )],
    }
}

fn name_part(name: &str) -> Vec<String> {
    static REGEX: LazyLock<Regex> = LazyLock::new(|| whole(QUALIFIED));
    let mut complaints = Vec::new();
    if name.is_empty() {
        complaints.push("name part must be non-empty".to_owned());
    } else if name.len() > 63 {
        complaints.push("name part must be no more than 63 bytes".to_owned());
    }
    if !REGEX.is_match(name) {
        complaints.push(format!("name part must consist of {}", name_rule()));
    }
    complaints
}

fn name_rule() -> String {
    format!(
        "alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. \
         'MyName',  or 'my.name',  or '123-abc', regex used for validation is '{QUALIFIED}')"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_invalid_names_are_rejected() {
        for check in [subdomain, label, service, label_value, qualified] {
            assert_eq!(check("abc-1"), Vec::<String>::new());
            assert_eq!(check("a b").len(), 1);
        }
        assert_eq!(qualified("example.com/x"), Vec::<String>::new());
        assert_eq!(qualified("a/b/c").len(), 1);
        assert_eq!(segment("system:node"), Vec::<String>::new());
        assert_eq!(segment("a/b").len(), 1);
    }
}
