//! A condition of an object, with what the program knows of its reason.

use std::fmt::Write as _;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use super::age::age;
use crate::condition::{Polarity, READY, RECONCILING, STALLED};
use crate::introspection::{ReconcilerInfo, explain};

/// A condition of an object.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ExplainedCondition {
    #[serde(rename = "type")]
    pub(super) type_: String,
    pub(super) status: String,
    pub(super) reason: String,
    pub(super) message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) since: Option<Timestamp>,
    #[serde(skip)]
    pub(super) observed_generation: Option<i64>,
    pub(super) is_good: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) explanation: Option<Explained>,
}

/// What the program knows of a reason.
#[derive(Debug, Serialize)]
pub(super) struct Explained {
    steps: Vec<&'static str>,
    class: &'static str,
    meaning: &'static str,
    next: String,
    fix: &'static str,
}

/// The conditions of a status: those of the framework first, then the others as they stand.
pub(super) fn conditions(status: &Value, reconcilers: &[ReconcilerInfo]) -> Vec<ExplainedCondition> {
    let of = || status["conditions"].as_array().into_iter().flatten();
    let mut all: Vec<_> = of().map(|condition| explained(condition, of(), reconcilers)).collect();
    let place = |type_: &str| [READY, RECONCILING, STALLED].iter().position(|one| *one == type_).unwrap_or(usize::MAX);
    all.sort_by_key(|condition| place(&condition.type_));
    all
}

/// A summary has the reason of a declared condition, whose step explains it.
fn explained<'a>(
    condition: &'a Value,
    mut all: impl Iterator<Item = &'a Value>,
    reconcilers: &[ReconcilerInfo],
) -> ExplainedCondition {
    let text = |field: &str| condition[field].as_str().unwrap_or_default().to_owned();
    let (type_, status, reason) = (text("type"), text("status"), text("reason"));
    let is_good = is_good(&type_, &status, reconcilers);
    let is_declared =
        |type_: &str| reconcilers.iter().flat_map(|known| known.wiring.conditions).any(|info| info.type_ == type_);
    let has_reason = |one: &&Value| one["reason"] == *reason && one["type"].as_str().is_some_and(is_declared);
    let source = match is_declared(&type_) {
        true => &*type_,
        false => all.find(has_reason).and_then(|one| one["type"].as_str()).unwrap_or(&type_),
    };
    let explanation = reconcilers.iter().find_map(|known| explain(known, source, &reason)).map(|known| Explained {
        steps: known.steps,
        class: known.class,
        meaning: known.meaning,
        next: known.next,
        fix: known.fix,
    });
    ExplainedCondition {
        since: text("lastTransitionTime").parse().ok(),
        observed_generation: condition["observedGeneration"].as_i64(),
        message: text("message"),
        explanation: explanation.filter(|_| !is_good),
        is_good,
        type_,
        status,
        reason,
    }
}

/// A condition of another program is good, unless its status is unknown.
fn is_good(type_: &str, status: &str, reconcilers: &[ReconcilerInfo]) -> bool {
    let declared = reconcilers.iter().flat_map(|known| known.wiring.conditions).find(|info| info.type_ == type_);
    let summaries = reconcilers.iter().flat_map(|known| known.wiring.summaries);
    let polarity = match (type_, declared) {
        (READY, _) => Polarity::Positive,
        (RECONCILING | STALLED, _) => Polarity::Negative,
        (_, Some(info)) => info.polarity,
        (_, None) if summaries.clone().any(|summary| summary.type_ == type_) => Polarity::Positive,
        (_, None) => return status != "Unknown",
    };
    status == polarity.good().to_string()
}

impl ExplainedCondition {
    /// The lines of the condition.
    pub(super) fn text(&self, widths: (usize, usize), now: Timestamp) -> String {
        let since = self.since.map_or_else(String::new, |since| format!(", for {}", age(now, since)));
        let message = if self.message.is_empty() { String::new() } else { format!("  {}", self.message) };
        let (type_, reason) = (format!("{:1$}", self.type_, widths.0), format!("{:1$}", self.reason, widths.1));
        let mut text = format!("  {type_}  {:<7}  {reason}{message}{since}\n", self.status);
        if let Some(known) = &self.explanation {
            known.write(&mut text);
        }
        text
    }
}

impl Explained {
    fn write(&self, text: &mut String) {
        let by = match (self.steps.as_slice(), self.class) {
            ([], _) => String::new(),
            (steps, class) => format!(" (step {}, {class})", steps.join(" or ")),
        };
        let lines =
            [("meaning", format!("{}{by}", self.meaning)), ("next", self.next.clone()), ("fix", self.fix.to_owned())];
        for (name, line) in lines.iter().filter(|(_, line)| !line.is_empty()) {
            let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
            // Writing to a text cannot fail.
            let _ = writeln!(text, "      {name}: {line}");
        }
    }
}
