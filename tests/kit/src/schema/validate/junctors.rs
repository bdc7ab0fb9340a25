//! Validation of `allOf`, `anyOf`, `oneOf` and `not`.

use serde_json::Value;

use super::super::cause::{Cause, Causes};
use super::super::structural::{Logic, Rules};
use super::{check_own, check_type, check_whole, object};

pub(super) fn check(value: &Value, rules: &Rules, at: &str, causes: &mut Causes) {
    check_any(value, &rules.any, at, causes);
    check_one(value, &rules.one, at, causes);
    check_all(value, &rules.all, at, causes);
    if let Some(not) = &rules.not
        && failures(value, not, at).is_empty()
    {
        causes.push(Cause::nowhere(format_args!("\"{at}\" must not validate the schema (not)")));
    }
}

/// Validates a value against one branch.
pub(super) fn check_branch(value: &Value, branch: &Logic, at: &str, causes: &mut Causes) {
    check_type(value, branch.kind, branch.rules.format.as_deref(), at, causes);
    check_own(value, branch.kind, &branch.rules, at, causes);
    if let (Value::Array(items), Some(inner)) = (value, &branch.items) {
        for (index, item) in items.iter().enumerate() {
            check_branch(item, inner, &format!("{at}[{index}]"), causes);
        }
    }
    check_whole(value, &branch.rules, at, causes);
    if let Value::Object(map) = value {
        object::check_logic_members(map, branch, at, causes);
    }
}

fn failures(value: &Value, branch: &Logic, at: &str) -> Causes {
    let mut causes = Vec::new();
    check_branch(value, branch, at, &mut causes);
    causes
}

fn check_any(value: &Value, branches: &[Logic], at: &str, causes: &mut Causes) {
    let Some((first, rest)) = branches.split_first() else { return };
    let mut failed = failures(value, first, at);
    if !failed.is_empty() && rest.iter().all(|branch| !failures(value, branch, at).is_empty()) {
        causes.push(Cause::nowhere(format_args!("\"{at}\" must validate at least one schema (anyOf)")));
        causes.append(&mut failed);
    }
}

fn check_one(value: &Value, branches: &[Logic], at: &str, causes: &mut Causes) {
    if branches.is_empty() {
        return;
    }
    let mut results: Vec<_> = branches.iter().map(|branch| failures(value, branch, at)).collect();
    let head = format!("\"{at}\" must validate one and only one schema (oneOf)");
    match results.iter().filter(|failed| failed.is_empty()).count() {
        1 => {}
        0 => {
            causes.push(Cause::nowhere(format_args!("{head}. Found none valid")));
            causes.append(&mut results[0]);
        }
        valid => causes.push(Cause::nowhere(format_args!("{head}. Found {valid} valid alternatives"))),
    }
}

fn check_all(value: &Value, branches: &[Logic], at: &str, causes: &mut Causes) {
    let mut valid = 0;
    for branch in branches {
        let mut failed = failures(value, branch, at);
        valid += usize::from(failed.is_empty());
        causes.append(&mut failed);
    }
    if valid < branches.len() {
        let none = if valid == 0 { ". None validated" } else { "" };
        causes.push(Cause::nowhere(format_args!("\"{at}\" must validate all the schemas (allOf){none}")));
    }
}
