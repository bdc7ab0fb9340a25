//! The annotations of dependents, as the runtime reads them.

use crate::syntax::suggest;

/// The prefix of the annotations.
pub(super) const PREFIX: &str = "evenkeel.dev";

/// What the value of an annotation is.
enum Value {
    /// One of these words, or the same in camel case.
    Word(&'static [&'static str]),
    Order,
    Duration,
    Hints,
}

const ANNOTATIONS: [(&str, Value); 9] = [
    ("adoption-policy", Value::Word(&["if-unowned", "never", "always"])),
    ("reconcile-policy", Value::Word(&["on-object-change", "on-object-or-component-change", "once"])),
    (
        "update-policy",
        Value::Word(&[
            "apply",
            "apply-or-recreate",
            "override",
            "replace",
            "recreate",
            "ssa-merge",
            "ssa-override",
            "default",
        ]),
    ),
    (
        "delete-policy",
        Value::Word(&["delete", "orphan", "orphan-on-apply", "orphan-on-delete", "delete-with-content", "default"]),
    ),
    ("apply-order", Value::Order),
    ("delete-order", Value::Order),
    ("purge-order", Value::Order),
    ("reapply-interval", Value::Duration),
    ("status-hint", Value::Hints),
];

/// Other annotations of evenkeel, which a dependent may have.
const OTHERS: [&str; 10] = [
    "operator-namespace",
    "requestedAt",
    "suspend",
    "policy",
    "operator",
    "dependent-of",
    "owner",
    "applied",
    "orphaned-from",
    "namespace-for",
];

const HINTS: [&str; 3] = ["has-observed-generation", "has-ready-condition", "conditions"];

/// What is wrong with an annotation: the headline after its name, and the help.
pub(super) fn check(name: &str, value: Option<&str>, quoted: bool) -> Result<(), (String, String)> {
    let Some(short) = name.strip_prefix(PREFIX).and_then(|rest| rest.strip_prefix('/')) else { return Ok(()) };
    let Some((_, kind)) = ANNOTATIONS.iter().find(|(known, _)| *known == short) else {
        return if OTHERS.contains(&short) { Ok(()) } else { Err(("is unknown".into(), similar(short))) };
    };
    let Some(value) = value else { return Ok(()) };
    let wrong = |help: String| Err((format!("cannot be `{value}`"), help));
    match kind {
        Value::Word(words) if !words.iter().any(|word| *word == value || camel(word) == value) => {
            wrong(suggest::help(value, words))
        }
        Value::Order if value.parse::<i16>().is_err() => wrong(format!("write a number, such as `{name}: \"1\"`")),
        Value::Order if !quoted => Err((format!("is the number {value}"), format!("write `{name}: \"{value}\"`"))),
        Value::Duration if !is_duration(value) => wrong(format!("write for example `{name}: 10m`")),
        Value::Hints => match value.split(',').map(str::trim).find(|hint| !is_hint(hint)) {
            Some(hint) => wrong(suggest::help(hint.split('=').next().unwrap_or(hint), &HINTS)),
            None => Ok(()),
        },
        _ => Ok(()),
    }
}

fn similar(short: &str) -> String {
    let names: Vec<&str> = ANNOTATIONS.iter().map(|(name, _)| *name).collect();
    match suggest::nearest(short, &names) {
        Some(near) => format!("did you mean `{PREFIX}/{near}`?"),
        None => format!("the annotations of dependents are {}", suggest::list(&names)),
    }
}

/// `if-unowned` as `IfUnowned`.
fn camel(word: &str) -> String {
    let upper = |part: &str| part[..1].to_ascii_uppercase() + &part[1..];
    word.split('-').filter(|part| !part.is_empty()).map(upper).collect()
}

/// Whether the text is like a duration. The runtime reads several forms, and checks the range.
fn is_duration(text: &str) -> bool {
    let has = |wanted: fn(&char) -> bool| text.chars().any(|letter| wanted(&letter));
    has(char::is_ascii_digit) && has(char::is_ascii_alphabetic) && !text.starts_with('-')
}

fn is_hint(hint: &str) -> bool {
    match hint.split_once('=') {
        None => hint.is_empty() || HINTS[..2].contains(&hint),
        Some((name, types)) => name == HINTS[2] && types.split(';').all(|one| !one.trim().is_empty()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The files of the runtime with the same names and words.
    const RUNTIME: [&str; 3] = [
        include_str!("../../../runtime/src/dependent_rules/policy/annotation.rs"),
        include_str!("../../../runtime/src/dependent_rules/policy/words.rs"),
        include_str!("../../../runtime/src/dependency/object_status/hints.rs"),
    ];

    fn error(name: &str, value: &str) -> (String, String) {
        check(&format!("evenkeel.dev/{name}"), Some(value), true).unwrap_err()
    }

    #[test]
    fn a_misspelt_name_or_word_gets_the_similar_one() {
        assert_eq!(error("aply-order", "1"), ("is unknown".into(), "did you mean `evenkeel.dev/apply-order`?".into()));
        assert_eq!(error("delete-policy", "orphn"), ("cannot be `orphn`".into(), "did you mean `orphan`?".into()));
        assert_eq!(error("apply-order", "40000").0, "cannot be `40000`");
        assert_eq!(error("reapply-interval", "soon").0, "cannot be `soon`");
        assert_eq!(error("status-hint", "has-redy-condition").1, "did you mean `has-ready-condition`?");
        let unquoted = check("evenkeel.dev/apply-order", Some("1"), false).unwrap_err();
        assert_eq!(unquoted, ("is the number 1".into(), "write `evenkeel.dev/apply-order: \"1\"`".into()));
    }

    #[test]
    fn what_the_runtime_reads_is_right() {
        for (name, value) in [
            ("adoption-policy", "IfUnowned"),
            ("update-policy", "ssa-merge"),
            ("purge-order", "-5"),
            ("reapply-interval", "1h30m"),
            ("status-hint", "has-ready-condition, conditions=A;B"),
            ("suspend", "true"),
        ] {
            assert_eq!(check(&format!("evenkeel.dev/{name}"), Some(value), true), Ok(()), "{name}");
        }
        assert_eq!(check("evenkeel.dev/apply-order", None, false), Ok(()));
        assert_eq!(check("evenkeel.device/x", Some("y"), true), Ok(()));
    }

    #[test]
    fn names_and_words_are_those_of_the_runtime() {
        let [annotations, words, hints] = RUNTIME;
        for (name, value) in &ANNOTATIONS {
            assert!(annotations.contains(&format!("\"{name}\"")), "{name}");
            if let Value::Word(all) = value {
                for word in all.iter().filter(|word| **word != "default") {
                    assert!(
                        words.contains(&format!("\"{word}\"")) && words.contains(&format!("\"{}\"", camel(word))),
                        "{word}"
                    );
                }
            }
        }
        for name in OTHERS {
            assert!(annotations.contains(&format!("\"{name}\"")), "{name}");
        }
        for hint in HINTS {
            assert!(hints.contains(hint), "{hint}");
        }
        // Each word of a policy that an object may have is known here, too.
        let known: Vec<&str> = ANNOTATIONS
            .iter()
            .filter_map(|(_, value)| match value {
                Value::Word(all) => Some(*all),
                _ => None,
            })
            .flatten()
            .copied()
            .collect();
        let lines = words
            .lines()
            .skip_while(|line| !line.starts_with("words! {"))
            .take_while(|line| !line.contains("MissingNamespacesPolicy"));
        for word in lines.filter_map(|line| line.split_once(" = \"")?.1.split('"').next()) {
            assert!(known.contains(&word), "{word}");
        }
    }
}
