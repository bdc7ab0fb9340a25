//! Rejects schema keywords that must not be used under `allOf`, `anyOf`, `oneOf` and `not`.

use serde_json::Value;

use super::super::cause::{Cause, Causes};
use super::super::node::flag;
use super::super::node::{Node, member};
use super::pattern;

pub(super) fn check(node: &Node, at: &str, causes: &mut Causes) {
    for junctor in ["allOf", "anyOf", "oneOf"] {
        let branches = node.get(junctor).and_then(Value::as_array);
        for (index, branch) in branches.into_iter().flatten().enumerate() {
            if !is_int_or_string_branch(node, junctor, index, branch) {
                check_branch(branch, &format!("{at}.{junctor}[{index}]"), causes);
            }
        }
    }
    if let Some(not) = node.get("not") {
        check_branch(not, &format!("{at}.not"), causes);
    }
}

/// An int-or-string may list its two types, in this order, in `anyOf` or in the `anyOf` of its first `allOf`.
fn is_int_or_string_branch(node: &Node, junctor: &str, index: usize, branch: &Value) -> bool {
    let is_spelled = |branches: &Value| *branches == serde_json::json!([{"type": "integer"}, {"type": "string"}]);
    flag(node, "x-kubernetes-int-or-string")
        && match junctor {
            "anyOf" => is_spelled(&node["anyOf"]),
            "allOf" => index == 0 && branch.get("anyOf").is_some_and(is_spelled),
            _ => false,
        }
}

fn check_branch(branch: &Value, at: &str, causes: &mut Causes) {
    let Some(node) = branch.as_object() else { return };
    check_shaping(node, at, causes);
    pattern::check(node, at, causes);
    check(node, at, causes);
    for (name, schema) in member(node, "properties").into_iter().flatten() {
        check_branch(schema, &format!("{at}.properties[{name}]"), causes);
    }
    if let Some(items) = node.get("items") {
        check_branch(items, &format!("{at}.items"), causes);
    }
}

const MUST_BE_EMPTY: [&str; 3] = ["description", "title", "type"];
const MUST_BE_UNDEFINED: [&str; 2] = ["additionalProperties", "default"];
const MUST_BE_FALSE: [&str; 4] = [
    "nullable",
    "x-kubernetes-embedded-resource",
    "x-kubernetes-int-or-string",
    "x-kubernetes-preserve-unknown-fields",
];

fn check_shaping(node: &Node, at: &str, causes: &mut Causes) {
    let mut refuse = |keyword: &str, state: &str| {
        causes.push(Cause::forbidden(&format!("{at}.{keyword}"), &format!("must be {state} to be structural")));
    };
    for keyword in MUST_BE_EMPTY.into_iter().filter(|keyword| node.contains_key(*keyword)) {
        refuse(keyword, "empty");
    }
    for keyword in MUST_BE_UNDEFINED.into_iter().filter(|keyword| node.contains_key(*keyword)) {
        refuse(keyword, "undefined");
    }
    for keyword in MUST_BE_FALSE.into_iter().filter(|keyword| flag(node, keyword)) {
        refuse(keyword, "false");
    }
}
