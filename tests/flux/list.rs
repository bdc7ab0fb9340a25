//! The suites about reading and setting the conditions of one object.

use std::cmp::Ordering;

use evenkeel::condition::{
    self, Condition, Drift, Merge, READY, Ranking, Source, compare, delete, find, has, has_any, has_any_reason,
    is_false, is_ready, is_reconciling, is_stalled, is_true, is_unknown, mark_false, mark_progress, mark_reconciling,
    mark_stalled, mark_true, mark_unknown, recovered, set,
};
use serde_json::{Value, json};

use crate::message;
use crate::value::{condition, conditions, ordered, output, stamp, text, time, words};

pub(crate) fn getter(input: &Value) -> Value {
    let listed = conditions(&input["conditions"]);
    let args = words(&input["args"]);
    let type_ = args.first().copied().unwrap_or_default();
    let found = find(&listed, type_);
    let value = match text(&input["fn"]) {
        "has" => has(&listed, type_).into(),
        "get" => found.map(output).into(),
        "hasAny" => has_any(&listed, &args).into(),
        "hasAnyReason" => has_any_reason(&listed, type_, &args[1..]).into(),
        "isTrue" => is_true(&listed, type_).into(),
        "isFalse" => is_false(&listed, type_).into(),
        "isUnknown" => is_unknown(&listed, type_).into(),
        "getReason" => found.map_or("", |c| &c.reason).into(),
        "getMessage" => found.map_or("", |c| &c.message).into(),
        // The reference reads a zero time from an existing condition.
        "hasTransitionTime" => found.is_some().into(),
        "getObservedGeneration" => found.and_then(|c| c.observed_generation).unwrap_or_default().into(),
        "isReady" => is_ready(&listed).into(),
        "isStalled" => is_stalled(&listed).into(),
        "isReconciling" => is_reconciling(&listed).into(),
        "derivedState" => json!({
            "ready": is_ready(&listed), "stalled": is_stalled(&listed), "reconciling": is_reconciling(&listed),
        }),
        other => panic!("no function {other}"),
    };
    json!({ "value": value })
}

pub(crate) fn setter(input: &Value) -> Value {
    let stamp = stamp(&input["generation"]);
    let mut listed = conditions(&input["conditions"]);
    let target = text(&input["target"]);
    let made = match text(&input["fn"]) {
        "sameState" => return json!({ "value": condition(&input["a"]).same_state(&condition(&input["b"])) }),
        "less" => {
            let order = compare(&condition(&input["a"]), &condition(&input["b"]));
            return json!({ "value": order == Ordering::Less });
        }
        "trim" => return message::cut(input),
        "marks" => return marks(input),
        "set" => Some(condition(&input["condition"])),
        "setSummary" => Merge::new(Ranking::Flux).summary(&listed, target),
        "setMirror" => condition::mirror(&conditions(&input["from"]), target, None),
        "setAggregate" => aggregate(&input["from"], target),
        other => panic!("no function {other}"),
    };
    let made = made.unwrap();
    set(&mut listed, made.clone(), &stamp);
    let stored = find(&listed, &made.type_).unwrap();
    json!({
        "ordered": ordered(&listed), "transitionTime": time(stored), "observedGeneration": stored.observed_generation,
    })
}

fn aggregate(from: &Value, target: &str) -> Option<Condition> {
    let lists: Vec<Vec<Condition>> = from.as_array().unwrap().iter().map(conditions).collect();
    let sources: Vec<_> = lists.iter().map(|conditions| Source { conditions, ..Source::default() }).collect();
    Merge::new(Ranking::Flux).aggregate(&sources, target)
}

fn marks(input: &Value) -> Value {
    let stamp = stamp(&input["generation"]);
    let mut listed = Vec::new();
    for mark in input["marks"].as_array().unwrap() {
        let [how, type_, reason, message] = words(mark)[..] else { panic!("not a mark: {mark}") };
        match how {
            "true" => mark_true(&mut listed, type_, reason, message, &stamp),
            "false" => mark_false(&mut listed, type_, reason, message, &stamp),
            "unknown" => mark_unknown(&mut listed, type_, reason, message, &stamp),
            "reconciling" => mark_reconciling(&mut listed, reason, message, &stamp),
            "stalled" => mark_stalled(&mut listed, reason, message, &stamp),
            "delete" => delete(&mut listed, type_),
            other => panic!("no mark {other}"),
        }
    }
    json!({ "ordered": ordered(&listed) })
}

pub(crate) fn recovery(input: &Value) -> Value {
    let failures = words(&input["failConditions"]);
    json!({ "recovered": recovered(&conditions(&input["old"]), &conditions(&input["new"]), &failures) })
}

pub(crate) fn highest_negative(input: &Value) -> Value {
    let listed = conditions(&input["conditions"]);
    let highest = condition::highest_negative(&listed, &words(&input["negativePolarity"]));
    json!({ "type": highest.map(|c| &c.type_), "error": false })
}

pub(crate) fn progress(input: &Value) -> Value {
    let mut listed = conditions(&input["conditions"]);
    let drift = if input["drift"] == true { Drift::Found } else { Drift::Unseen };
    let (reason, message) = (text(&input["reason"]), text(&input["message"]));
    if let Some(format) = input["messageFormat"].as_str() {
        let fill = |message: String, word: &str| message.replacen("%s", word, 1);
        assert_eq!(words(&input["messageArgs"]).into_iter().fold(format.to_owned(), fill), message);
    }
    mark_progress(&mut listed, drift, reason, message, &stamp(&Value::Null));
    assert!(has(&listed, READY));
    json!({ "conditions": listed.iter().map(output).collect::<Value>() })
}
