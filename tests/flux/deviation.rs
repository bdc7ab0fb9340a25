//! Intended differences from the reference: rules on the content of a case, never on its name.
//!
//! A rule changes the answer of the reference to ours wherever it applies, and then the whole answer is compared. A case fails if it
//! differs without a rule, or if a rule applies and the answer is that of the reference or a third one.

use serde_json::Value;

use crate::rules::RULES;

/// An intended difference.
pub(crate) struct Rule {
    /// The number of the quirk of the reference (Q1 to Q21) or of its strict check (F1 to F11), or a word.
    pub(crate) name: &'static str,
    /// The suites in which it may apply.
    pub(crate) suites: &'static [&'static str],
    /// The cases to which it applies.
    pub(crate) holds: &'static str,
    /// The answer, and the answer that it replaces.
    pub(crate) answer: &'static str,
    /// The reason.
    pub(crate) reason: &'static str,
    /// Changes the answer to ours; leaves it unchanged if the rule does not apply.
    pub(crate) amend: fn(&Case<'_>, &mut Value),
}

/// The input of a rule.
pub(crate) struct Case<'a> {
    pub(crate) input: &'a Value,
    /// The answer of the reference.
    pub(crate) reference: &'a Value,
}

/// The case with our answer instead of that of the reference, and the rules that changed it.
pub(crate) fn amended(suite: &str, case: &Value) -> (Value, Vec<&'static Rule>) {
    // `expect` repeats a part of `golden`.
    let part = if case["golden"].is_null() { "expect" } else { "golden" };
    let (mut answer, mut used) = (case[part].clone(), Vec::new());
    let looked_at = Case { input: &case["input"], reference: &case[part] };
    for rule in RULES.iter().filter(|rule| rule.suites.contains(&suite)) {
        let before = answer.clone();
        (rule.amend)(&looked_at, &mut answer);
        if answer != before {
            used.push(rule);
        }
    }
    let mut ours = case.clone();
    for (key, value) in answer.as_object().into_iter().flatten().filter(|(key, value)| case[part][*key] != **value) {
        ours[part][key] = value.clone();
        repeat(&mut ours["expect"], key, value);
    }
    (ours, used)
}

/// Copies a changed answer to the expectation.
fn repeat(expect: &mut Value, key: &str, value: &Value) {
    let Some(expect) = expect.as_object_mut() else { return };
    if let Some(expected) = expect.get_mut(key) {
        *expected = value.clone();
    }
    if let Some(returned) = expect.get_mut("errorReturned").filter(|_| key == "error") {
        *returned = (!value.is_null()).into();
    }
}
