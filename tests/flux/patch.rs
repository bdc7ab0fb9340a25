//! The suite about the three-way merge.

use evenkeel::condition::patch::{ConditionPatch, Owned, apply, diff};
use serde_json::{Value, json};

use crate::value::{conditions, ordered, output, stamp, text, time, words};

pub(crate) fn patch(input: &Value) -> Value {
    let operations = diff(&conditions(&input["before"]), &conditions(&input["after"]));
    if text(&input["fn"]) == "diff" {
        return json!({ "operations": operations.iter().map(operation).collect::<Value>() });
    }
    let types = words(&input["owned"]);
    let owned = if input["force"] == true { Owned::All } else { Owned::Types(&types) };
    let stamp = stamp(&input["latestGeneration"]);
    match apply(&operations, &conditions(&input["latest"]), owned, &stamp) {
        Ok(merged) => {
            let time = merged.first().map(time);
            json!({ "conflict": false, "ordered": ordered(&merged), "transitionTime": time })
        }
        Err(conflict) => json!({ "conflict": true, "conflictKind": format!("{}Condition", kind(&conflict.operation)) }),
    }
}

fn operation(operation: &ConditionPatch) -> Value {
    let (before, after) = match operation {
        ConditionPatch::Add { after } => (None, Some(after)),
        ConditionPatch::Change { before, after } => (Some(before), Some(after)),
        ConditionPatch::Remove { before } => (Some(before), None),
    };
    json!({ "op": kind(operation), "before": before.map(output), "after": after.map(output) })
}

fn kind(operation: &ConditionPatch) -> &'static str {
    match operation {
        ConditionPatch::Add { .. } => "Add",
        ConditionPatch::Change { .. } => "Change",
        ConditionPatch::Remove { .. } => "Remove",
    }
}
