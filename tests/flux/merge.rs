//! The suites about one condition that is merged from several.

use evenkeel::condition::{
    self, Condition, ConditionStatus, Fallback, Group, Merge, Polarity, Ranking, Source, completed, localize,
};
use serde_json::{Value, json};

use crate::value::{self, conditions, merge as options, output, text, words};

fn produced(condition: Option<&Condition>) -> Value {
    json!({ "condition": condition.map(output) })
}

pub(crate) fn summary(input: &Value) -> Value {
    produced(options(&input["options"]).summary(&conditions(&input["conditions"]), text(&input["target"])).as_ref())
}

pub(crate) fn merge(input: &Value) -> Value {
    let listed = conditions(&input["conditions"]);
    let source = Source { conditions: &listed, ..Source::default() };
    produced(options(&input["options"]).merge(&source, text(&input["target"])).as_ref())
}

pub(crate) fn aggregate(input: &Value) -> Value {
    let objects = input["objects"].as_array().unwrap();
    let lists: Vec<Vec<Condition>> = objects.iter().map(|object| conditions(&object["conditions"])).collect();
    let sources: Vec<Source<'_>> = objects
        .iter()
        .zip(&lists)
        .map(|(object, conditions)| Source { kind: text(&object["kind"]), name: text(&object["name"]), conditions })
        .collect();
    produced(options(&input["options"]).aggregate(&sources, text(&input["target"])).as_ref())
}

pub(crate) fn mirror(input: &Value) -> Value {
    let fallback = &input["fallback"];
    let fallback = (!fallback.is_null()).then(|| value::condition(fallback));
    let fallback = fallback.as_ref().map(|f| Fallback { status: f.status, reason: &f.reason, message: &f.message });
    produced(condition::mirror(&conditions(&input["conditions"]), text(&input["target"]), fallback).as_ref())
}

pub(crate) fn groups(input: &Value) -> Value {
    let listed = conditions(&input["conditions"]);
    let source = Source { kind: text(&input["kind"]), name: text(&input["name"]), conditions: &listed };
    match text(&input["fn"]) {
        "groups" => {
            let groups = options(&input["options"]).groups(&source);
            json!({ "groups": groups.iter().map(group).collect::<Value>() })
        }
        "stepCounterMessage" => {
            let groups = Merge::new(Ranking::Flux).groups(&source);
            json!({ "message": completed(&groups, usize::try_from(input["to"].as_u64().unwrap()).unwrap()) })
        }
        "localizeReason" => json!({ "reason": localize(text(&input["reason"]), &source) }),
        "first" => first(input, &source),
        other => panic!("no function {other}"),
    }
}

fn first(input: &Value, source: &Source<'_>) -> Value {
    let mut merge = Merge::new(Ranking::Flux).types(words(&input["order"]));
    if input["sourceRef"] == true {
        merge = merge.sourced();
    }
    let merged = merge.merge(source, "target").unwrap();
    json!({ "reason": merged.reason, "message": merged.message })
}

fn group(group: &Group<'_>) -> Value {
    let first = &group.members[0];
    let status: ConditionStatus = first.condition.status;
    json!({ "count": group.members.len(), "negative": first.polarity == Polarity::Negative, "status": status })
}
