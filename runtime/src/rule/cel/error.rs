//! A rule that cannot be printed.

use std::fmt;

use crate::rule::registered::Registered;

/// A rule that cannot be printed as CEL, or does not fit the schema of its kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleError {
    pub(crate) headline: String,
    pub(crate) help: String,
}

/// What cannot be printed, and what to do.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) what: String,
    pub(crate) help: String,
}

impl Problem {
    pub(crate) fn new(what: impl Into<String>, help: impl Into<String>) -> Self {
        Self { what: what.into(), help: help.into() }
    }

    /// A problem that only another form of the rule solves.
    pub(crate) fn no_form(what: impl Into<String>) -> Self {
        Self::new(what, "write it in another way, or use `#[validate]`, which runs Rust")
    }
}

impl RuleError {
    pub(crate) fn new(rule: &Registered, problem: Problem) -> Self {
        let (name, kind) = (rule.declared.name, &rule.kind.resource.kind);
        Self {
            headline: format!("the rule `{name}` of {kind} cannot be printed: {}", problem.what),
            help: problem.help,
        }
    }
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n  help: {}", self.headline, self.help)
    }
}

impl std::error::Error for RuleError {}
