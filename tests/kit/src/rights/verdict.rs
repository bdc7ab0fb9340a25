//! What a proof has found, as the message of a failed test.

use std::collections::BTreeSet;

use super::grant::Grant;
use super::trial::{Ending, Ran, Scenario};

/// A rule that no scenario needs, with the reason.
#[derive(Clone, Debug)]
pub(super) struct Exception {
    pub(super) rule: String,
    pub(super) reason: String,
}

/// Rules that this cluster does not check.
const ALWAYS: [(&str, &str); 2] = [
    ("patch events", "an event that is repeated is patched, and a scenario has few events"),
    ("update */finalizers", "an admission plugin checks it that the test kit and most clusters do not have"),
];

/// What a proof has found.
pub(super) struct Verdict {
    exceptions: Vec<Exception>,
    needless: BTreeSet<String>,
    defects: Vec<String>,
}

impl Verdict {
    pub(super) fn new(exceptions: &[Exception]) -> Self {
        let always = ALWAYS.map(|(rule, reason)| Exception { rule: rule.to_owned(), reason: reason.to_owned() });
        let needless = exceptions.iter().map(|exception| exception.rule.clone()).collect();
        Self { exceptions: exceptions.iter().cloned().chain(always).collect(), needless, defects: Vec::new() }
    }

    /// Adds the run of a scenario with all rules.
    pub(super) fn all_rules(&mut self, scenario: &Scenario, ran: &Ran) {
        let name = &scenario.name;
        if let Ending::Failed(why) = &ran.ending {
            self.defects.push(format!("the scenario {name:?} fails with all rules: {why}"));
        }
        let forbidden = ran.requests.iter().filter(|request| request.code == 403);
        let forbidden: BTreeSet<String> = forbidden
            .map(|request| {
                let sub = request.subresource.iter().map(|sub| format!("/{sub}")).collect::<String>();
                format!("{:?} {}{sub}", request.verb, request.resource).to_lowercase()
            })
            .collect();
        self.defects
            .extend(forbidden.into_iter().map(|request| format!("forbidden in the scenario {name:?}: {request}")));
    }

    /// Adds what was found about a rule.
    pub(super) fn rule(&mut self, grant: &Grant, is_used: bool, is_needed: bool) {
        let excepted = self.exceptions.iter().find(|exception| matches(&exception.rule, &grant.rule()));
        match (excepted, is_used && is_needed) {
            (Some(exception), false) => _ = self.needless.remove(&exception.rule),
            (_, true) => {}
            (None, false) if is_used => self.defects.push(format!("the scenarios end the same without: {grant}")),
            (None, false) => self.defects.push(format!("no request uses: {grant}")),
        }
    }

    /// Ends the test.
    pub(super) fn conclude(self) {
        let needless = self.needless.iter().map(|rule| {
            let reason =
                self.exceptions.iter().find(|exception| exception.rule == *rule).map(|exception| &*exception.reason);
            format!(
                "remove the exception {rule:?} ({}): the rule is needed, or there is none",
                reason.unwrap_or_default()
            )
        });
        let defects: Vec<String> = self.defects.iter().cloned().chain(needless).collect();
        assert!(defects.is_empty(), "the roles do not fit the operator:\n  {}", defects.join("\n  "));
    }
}

/// Whether a rule is the one of an exception, in which `*` stands for a kind.
fn matches(exception: &str, rule: &str) -> bool {
    match exception.split_once('*') {
        None => exception == rule,
        Some((begin, end)) => rule.len() >= begin.len() + end.len() && rule.starts_with(begin) && rule.ends_with(end),
    }
}
