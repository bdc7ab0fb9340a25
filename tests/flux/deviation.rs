//! Where we differ from the reference on purpose: rules over what a case says, never names of cases.
//!
//! A rule turns the answer of the reference into ours wherever it holds, so the answer is compared whole: a case that differs without a rule
//! fails, and so does one where a rule holds and the answer is still that of the reference, or a third one.

use serde_json::Value;

use crate::rules::RULES;

/// A difference that we want.
pub(crate) struct Rule {
    /// The number of the quirk of the reference (Q1 to Q21) or of its strict check (F1 to F11), or a word.
    pub(crate) name: &'static str,
    /// The suites in which it may hold.
    pub(crate) suites: &'static [&'static str],
    /// In which cases it holds.
    pub(crate) holds: &'static str,
    /// What the answer is there, instead of what.
    pub(crate) answer: &'static str,
    /// Why.
    pub(crate) reason: &'static str,
    /// Turns the answer into ours; leaves it alone where the rule does not hold.
    pub(crate) amend: fn(&Case<'_>, &mut Value),
}

/// What a rule looks at.
pub(crate) struct Case<'a> {
    pub(crate) input: &'a Value,
    /// The answer of the reference.
    pub(crate) reference: &'a Value,
}

/// The case with our answer in the place of the reference's, and which rules changed it.
pub(crate) fn amended(suite: &str, case: &Value) -> (Value, Vec<&'static Rule>) {
    // `expect` repeats some of what `golden` says whole.
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

/// Says in what is expected what the answer says now.
fn repeat(expect: &mut Value, key: &str, value: &Value) {
    let Some(expect) = expect.as_object_mut() else { return };
    if let Some(expected) = expect.get_mut(key) {
        *expected = value.clone();
    }
    if let Some(returned) = expect.get_mut("errorReturned").filter(|_| key == "error") {
        *returned = (!value.is_null()).into();
    }
}
