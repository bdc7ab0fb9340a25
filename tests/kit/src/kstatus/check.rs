//! Checks whether observers interpret the conditions of an object correctly.

use std::fmt;

use serde_json::Value;

use super::object::{Condition, Object};
use super::rule::Rule;

/// The moment at which the object was read, which selects the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mode {
    /// After a pass: F1 to F9 and W1 to W5.
    Final,
    /// In the middle of a pass: F2, F4, F5, F6, F11 and W3 to W5.
    InProgress,
}

/// A rule that an object violates.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Violation {
    /// The violated rule.
    pub rule: Rule,
    /// A description of the violation that contains the conditions.
    pub text: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.rule.id(), self.text)
    }
}

/// Returns all rules that an object violates.
///
/// `negatives` are the condition types with negative polarity, the most important first.
#[must_use]
pub fn check(obj: &Value, negatives: &[&str], mode: Mode) -> Vec<Violation> {
    let object = Object::read(obj);
    let rules: &[Rule] = match mode {
        Mode::Final => &Rule::FINAL,
        Mode::InProgress => &Rule::IN_PROGRESS,
    };
    let violation = |rule: &Rule| violation(*rule, &object, negatives).map(|text| Violation { rule: *rule, text });
    rules.iter().filter_map(violation).collect()
}

fn violation(rule: Rule, object: &Object<'_>, negatives: &[&str]) -> Option<String> {
    match rule {
        Rule::F1 => ready_despite(object, negatives, "is True", Condition::is_true),
        Rule::F2 => object.condition("Ready").is_none().then(|| "the condition Ready is missing".to_owned()),
        Rule::F3 => not_false_despite(object, "Reconciling"),
        Rule::F4 => not_false_despite(object, "Stalled"),
        Rule::F5 => both_present(object),
        Rule::F6 => observed_ahead(object),
        Rule::F7 => ready_but_behind(object),
        Rule::F8 => ready_with(object, "is older than the object", |one| one.observed < object.generation),
        Rule::F9 => ready_with(object, "has another generation than the status", |one| {
            one.observed != object.observed_or_zero()
        }),
        Rule::F11 => undecided(object),
        Rule::W1 => ready_despite(object, negatives, "is present", |_| true),
        Rule::W2 => ready_differs_from_worst(object, negatives),
        Rule::W3 => present_but_false(object, "Reconciling"),
        Rule::W4 => present_but_false(object, "Stalled"),
        Rule::W5 => listed(object.conditions.iter().filter(|one| one.observed == 0), "has no generation"),
    }
}

/// Returns a text such as `A, B is True`, or `None` if there is no condition.
fn listed<'c, 'o: 'c>(conditions: impl Iterator<Item = &'c Condition<'o>>, what: &str) -> Option<String> {
    let kinds: Vec<_> = conditions.map(|condition| condition.kind).collect();
    (!kinds.is_empty()).then(|| format!("{} {what}", kinds.join(", ")))
}

fn ready_despite<'o>(
    object: &Object<'o>,
    negatives: &[&str],
    what: &str,
    is_bad: impl Fn(&Condition<'o>) -> bool,
) -> Option<String> {
    let bad = negatives.iter().filter_map(|kind| object.condition(kind)).filter(|one| is_bad(one));
    listed(bad, what).filter(|_| object.is_true("Ready")).map(|text| format!("Ready is True although {text}"))
}

fn ready_with(object: &Object<'_>, what: &str, is_bad: impl Fn(&Condition<'_>) -> bool) -> Option<String> {
    let bad = object.conditions.iter().filter(|one| is_bad(one));
    listed(bad, what).filter(|_| object.is_true("Ready")).map(|text| format!("Ready is True although {text}"))
}

fn not_false_despite(object: &Object<'_>, kind: &str) -> Option<String> {
    let ready = object.condition("Ready").filter(|ready| ready.status != "False")?;
    object.is_true(kind).then(|| format!("Ready is {} although {kind} is True", ready.status))
}

fn both_present(object: &Object<'_>) -> Option<String> {
    let both = object.condition("Reconciling").is_some() && object.condition("Stalled").is_some();
    both.then(|| "Reconciling and Stalled are both present".to_owned())
}

fn observed_ahead(object: &Object<'_>) -> Option<String> {
    let observed = object.observed_or_zero();
    (observed > object.generation)
        .then(|| format!("the observed generation {observed} is newer than the object's {}", object.generation))
}

fn ready_but_behind(object: &Object<'_>) -> Option<String> {
    let observed = object.observed_or_zero();
    (observed < object.generation && object.is_true("Ready"))
        .then(|| format!("Ready is True although generation {} is not observed, only {observed}", object.generation))
}

fn undecided(object: &Object<'_>) -> Option<String> {
    let status = object.condition("Ready").map_or("missing", |ready| ready.status);
    let is_undecided = matches!(status, "missing" | "Unknown");
    (is_undecided && !object.is_true("Reconciling"))
        .then(|| format!("Ready is {status} although Reconciling is not True"))
}

/// Finds a Ready condition without the reason and message of the most important negative condition.
///
/// Reconciling and Stalled are exempt, since they describe progress and not a cause.
fn ready_differs_from_worst(object: &Object<'_>, negatives: &[&str]) -> Option<String> {
    let ready = object.condition("Ready").filter(|ready| !ready.is_true())?;
    let worst = negatives.iter().find_map(|kind| object.condition(kind))?;
    if matches!(worst.kind, "Reconciling" | "Stalled") {
        return None;
    }
    (ready.reason != worst.reason || ready.message != worst.message).then(|| {
        format!(
            "Ready says {}: {}, but {} says {}: {}",
            ready.reason, ready.message, worst.kind, worst.reason, worst.message
        )
    })
}

fn present_but_false(object: &Object<'_>, kind: &str) -> Option<String> {
    let condition = object.condition(kind).filter(|one| one.status == "False")?;
    Some(format!("{kind} is {} and should be absent", condition.status))
}
