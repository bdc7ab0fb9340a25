//! The list of cases and steps that are expected to differ, each with its reason.

use std::collections::{BTreeMap, BTreeSet};

use crate::replay::Differences;

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Somewhere {
    #[default]
    No,
    Yes,
}

/// The steps of a case that may differ.
#[derive(Clone, Default)]
pub(crate) struct Excused {
    steps: BTreeSet<usize>,
    /// The steps of `steps` that differ only in some runs.
    sometimes: BTreeSet<usize>,
    /// Any step may differ, since a feature is missing.
    somewhere: Somewhere,
    reasons: Vec<String>,
}

/// The key is the server of the replay and the label of the case.
pub(crate) struct Pending(BTreeMap<(String, String), Excused>);

impl Pending {
    /// Parses lines of `server case@recorded steps reason`. Steps are numbers joined by commas. A `~` before a number marks a step that
    /// differs only in some runs (a race on a real server), and `*` a case in which any step may differ. `#` starts a comment.
    pub(crate) fn parse(text: &str) -> Self {
        let mut all: BTreeMap<_, Excused> = BTreeMap::new();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let mut words = line.splitn(4, char::is_whitespace);
            let mut word = || words.next().unwrap_or_else(|| panic!("pending.txt: incomplete line: {line}")).to_owned();
            let entry = all.entry((word(), word())).or_default();
            let steps = word();
            let number = |step: &str| step.parse::<usize>().unwrap_or_else(|_| panic!("pending.txt: bad step: {line}"));
            for step in steps.split(',') {
                if step == "*" {
                    entry.somewhere = Somewhere::Yes;
                    continue;
                }
                if let Some(step) = step.strip_prefix('~') {
                    entry.sometimes.insert(number(step));
                }
                entry.steps.insert(number(step.trim_start_matches('~')));
            }
            entry.reasons.push(word().trim().to_owned());
        }
        Self(all)
    }

    pub(crate) fn of(&self, server: &str, label: &str) -> Excused {
        self.0.get(&(server.to_owned(), label.to_owned())).cloned().unwrap_or_default()
    }

    /// Entries whose case does not exist; they would have no effect.
    pub(crate) fn strangers<'a>(
        &'a self,
        server: &'a str,
        labels: &'a BTreeSet<String>,
    ) -> impl Iterator<Item = &'a str> {
        let mine = self.0.keys().filter(move |(target, _)| target == server);
        mine.map(|(_, label)| label.as_str()).filter(|label| !labels.contains(*label))
    }
}

impl Excused {
    pub(crate) fn covers(&self, step: usize) -> bool {
        self.somewhere == Somewhere::Yes || self.steps.contains(&step)
    }

    /// The text to print for a case: equal, equal except for the listed steps, or the failure.
    pub(crate) fn verdict(&self, differences: &Differences) -> Result<String, String> {
        if self.somewhere == Somewhere::Yes {
            let agrees = || Err("every step agrees: remove it from the list in pending.txt".to_owned());
            return if differences.is_empty() { agrees() } else { Ok(format!("pending: {}", self.reasons.join("; "))) };
        }
        if let Some((step, difference)) = differences.iter().find(|(step, _)| !self.steps.contains(step)) {
            let steps: Vec<String> = differences.keys().map(ToString::to_string).collect();
            return Err(format!("step {step}: {difference}\n    all differing steps: {}", steps.join(",")));
        }
        let mut always = self.steps.difference(&self.sometimes);
        if let Some(step) = always.find(|step| !differences.contains_key(step)) {
            return Err(format!("step {step} agrees: remove it from the list in pending.txt"));
        }
        if self.steps.is_empty() {
            Ok("ok".to_owned())
        } else {
            Ok(format!("ok but for {} steps: {}", self.steps.len(), self.reasons.join("; ")))
        }
    }
}
