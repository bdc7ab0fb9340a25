//! Validates the fields of a rule before its expression is compiled.

use super::field;
use crate::schema::Rule;
use crate::schema::{Cause, Structural};

/// Rejects missing or malformed fields of the rule at `at`.
pub(super) fn check(rule: &Rule, s: &Structural, at: &str, causes: &mut Vec<Cause>) {
    let is_blank = |text: &str| !text.is_empty() && text.trim().is_empty();
    let has_lines = |text: &str| text.contains(['\n', '\r']);
    let (text, message) = (rule.rule.trim(), rule.message.trim());
    if text.is_empty() {
        causes.push(Cause::required(&format!("{at}.rule"), "rule is not specified"));
    } else if is_blank(&rule.message) {
        causes.push(invalid(&format!("{at}.message"), &rule.message, "must be non-empty if specified"));
    } else if has_lines(message) {
        causes.push(invalid(&format!("{at}.message"), &rule.message, "must not contain line breaks"));
    } else if has_lines(text) && message.is_empty() {
        let why = "message must be specified if rule contains line breaks";
        causes.push(Cause::required(&format!("{at}.message"), why));
    }
    if is_blank(&rule.message_expression) {
        causes.push(Cause::required(&format!("{at}.messageExpression"), "must be non-empty if specified"));
    }
    reason(rule, at, causes);
    if is_blank(&rule.field_path) {
        causes.push(invalid(&format!("{at}.fieldPath"), &rule.field_path, "must be non-empty if specified"));
    }
    if has_lines(&rule.field_path) {
        causes.push(invalid(&format!("{at}.fieldPath"), &rule.field_path, "must not contain line breaks"));
    }
    if !rule.field_path.is_empty() && field::names(&rule.field_path, s).is_none() {
        causes.push(invalid(&format!("{at}.fieldPath"), &rule.field_path, "must be a valid path"));
    }
}

const REASONS: [&str; 4] = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

fn reason(rule: &Rule, at: &str, causes: &mut Vec<Cause>) {
    if let Some(reason) = rule.reason.as_deref().filter(|reason| !REASONS.contains(reason)) {
        let choice = REASONS.map(str::to_owned);
        causes.push(Cause::unsupported(&format!("{at}.reason"), format!("{reason:?}"), &choice));
    }
}

fn invalid(field: &str, value: &str, why: &str) -> Cause {
    Cause::invalid(field, format!("{value:?}"), why)
}
