//! Replays writes that were recorded on an API server, using only the pure functions.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Map, Value, json};

use super::actor::{Actor, Force, Lists, Rules};
use super::{ApplyError, apply, is_unchanged, track_update};
use crate::patch::{json_patch, merge_patch};
use crate::schema::{Cause, Structural, default, fill, prune, prune_metadata, validate};

/// The smallest server that can answer the recorded writes: a store and the pure functions.
#[derive(Default)]
struct Replay {
    schemas: BTreeMap<String, (Structural, HasStatus)>,
    objects: BTreeMap<String, Value>,
    seconds: u32,
}

#[derive(Clone, Copy, PartialEq)]
enum HasStatus {
    No,
    Yes,
}

/// The result of a step: a stored object, an error, or a step that these functions do not decide.
enum Answer {
    Stored(Value),
    Refused(String),
    Invalid(Vec<Cause>),
    Elsewhere,
}

impl Replay {
    fn step(&mut self, step: &Value) -> Answer {
        let path = step["path"].as_str().unwrap();
        let parts: Vec<_> = path.split("/namespaces/").last().unwrap().split('/').skip(1).collect();
        let (Some(kind), method) = (parts.first(), step["method"].as_str().unwrap()) else { return Answer::Elsewhere };
        let name = parts.get(1).copied().or_else(|| step.pointer("/body/metadata/name")?.as_str()).unwrap_or_default();
        let subresource = parts.get(2).copied();
        let key = format!("{kind}/{name}");
        let schema = self.schemas.get(*kind).map(|(schema, status)| (schema.clone(), *status));
        let mut live = self.objects.get(&key).cloned();
        if let (Some(live), Some((schema, _))) = (&mut live, &schema) {
            // A stored object is read with the current schema.
            prune(live, schema);
            default(live, schema);
        }
        if method == "GET" {
            return live.map_or(Answer::Elsewhere, Answer::Stored);
        }
        self.seconds += 1;
        let time = format!("2026-01-01T00:00:{:02}Z", self.seconds);
        let manager = manager(step);
        let version =
            path.trim_start_matches("/apis/").trim_start_matches("/api/").split("/namespaces/").next().unwrap();
        let actor = Actor { manager, api_version: version, subresource, time: &time, rules: Rules::default() };
        let write = Write { step, live: live.as_ref(), schema: schema.as_ref(), actor: &actor };
        let answer = write.answer();
        if let Answer::Stored(new) = &answer
            && step.pointer("/response/status").and_then(Value::as_u64) < Some(300)
        {
            self.objects.insert(key, new.clone());
        }
        answer
    }
}

/// The field manager of a request, or the one that a server derives from the user agent.
fn manager(step: &Value) -> &str {
    let agent = match step.pointer("/headers/User-Agent") {
        None => "conf",
        Some(agent) => agent.as_str().and_then(|agent| agent.split('/').next()).unwrap_or("unknown"),
    };
    step.pointer("/query/fieldManager").and_then(Value::as_str).unwrap_or(agent)
}

struct Write<'a> {
    step: &'a Value,
    live: Option<&'a Value>,
    schema: Option<&'a (Structural, HasStatus)>,
    actor: &'a Actor<'a>,
}

impl Write<'_> {
    fn answer(&self) -> Answer {
        let content_type = self.step["headers"]["Content-Type"].as_str().unwrap_or_default();
        match content_type.split(';').next().unwrap_or_default() {
            "application/apply-patch+yaml" => self.apply(),
            "application/merge-patch+json" => self.patch(|doc, patch| {
                merge_patch(doc, patch);
                true
            }),
            "application/json-patch+json" => self.patch(|doc, patch| json_patch(doc, patch).is_ok()),
            _ if self.step["method"] == "PATCH" => Answer::Elsewhere,
            _ => self.replace(),
        }
    }

    fn lists(&self) -> Lists<'_> {
        self.schema.map_or(Lists::Deduced, |(schema, _)| Lists::Structural(schema))
    }

    fn apply(&self) -> Answer {
        let mut config = match &self.step["body"] {
            Value::String(text) => match serde_saphyr::from_str::<Value>(text) {
                Ok(value) if value.is_object() => value,
                _ => return Answer::Elsewhere,
            },
            json => json.clone(),
        };
        if self.schema.is_some_and(|(_, status)| *status == HasStatus::Yes) && self.actor.subresource.is_none() {
            config.as_object_mut().unwrap().remove("status");
        }
        let force = if self.step["query"]["force"] == "true" { Force::Yes } else { Force::No };
        match apply(self.live, &config, self.lists(), self.actor, force) {
            Ok(mut new) => {
                if let Some((schema, _)) = self.schema {
                    fill(&mut new, schema);
                }
                self.stored(new)
            }
            Err(ApplyError::Conflicts(conflicts)) => {
                let causes: Vec<_> = conflicts.iter().map(super::error::Conflict::cause).collect();
                let expected = self.step.pointer("/response/body/details/causes");
                for (cause, expected) in causes.iter().zip(expected.and_then(Value::as_array).into_iter().flatten()) {
                    assert_eq!(
                        (cause.field.as_str(), cause.message.as_str()),
                        (expected["field"].as_str().unwrap(), expected["message"].as_str().unwrap())
                    );
                }
                Answer::Refused(ApplyError::Conflicts(conflicts).to_string())
            }
            Err(error) => Answer::Refused(error.to_string()),
        }
    }

    fn patch(&self, patched: impl Fn(&mut Value, &Value) -> bool) -> Answer {
        let (Some(live), false) = (self.live, self.step["body"].is_string()) else { return Answer::Elsewhere };
        let mut new = live.clone();
        if !patched(&mut new, &self.step["body"]) {
            assert!(self.step["response"]["status"].as_u64() >= Some(400), "{}", self.step);
            return Answer::Elsewhere;
        }
        self.update(new)
    }

    fn replace(&self) -> Answer {
        if self.step["body"].is_object() { self.update(self.step["body"].clone()) } else { Answer::Elsewhere }
    }

    fn update(&self, mut new: Value) -> Answer {
        if self.actor.subresource == Some("scale") {
            let replicas = new["spec"]["replicas"].clone();
            new = self.live.unwrap().clone();
            new["spec"]["replicas"] = replicas;
        }
        if let Some((schema, status)) = self.schema {
            prune(&mut new, schema);
            default(&mut new, schema);
            if *status == HasStatus::Yes && self.actor.subresource.is_none() {
                let kept = self.live.and_then(|live| live.get("status")).cloned();
                let map = new.as_object_mut().unwrap();
                map.remove("status");
                map.extend(kept.map(|status| ("status".to_owned(), status)));
            }
        }
        prune_metadata(&mut new["metadata"], "metadata");
        for name in ["finalizers", "labels", "annotations"] {
            if new["metadata"].get(name).is_some_and(is_hollow) {
                new["metadata"].as_object_mut().unwrap().remove(name);
            }
        }
        track_update(self.live, &mut new, self.lists(), self.actor);
        self.stored(new)
    }

    fn stored(&self, new: Value) -> Answer {
        let causes = self.schema.map(|(schema, _)| validate(&new, self.live, schema)).unwrap_or_default();
        if !causes.is_empty() {
            return Answer::Invalid(causes);
        }
        match self.live {
            Some(live) if is_unchanged(live, &new) => Answer::Stored(live.clone()),
            _ => Answer::Stored(new),
        }
    }
}

fn is_hollow(value: &Value) -> bool {
    value.is_null() || value == &json!([]) || value == &json!({})
}

/// The parts of an object that these functions decide; times are reduced to whether they are present.
fn decided(obj: &Value) -> Value {
    let mut obj = with_whole_numbers(obj);
    let map = obj.as_object_mut().unwrap();
    let metadata = map.remove("metadata").unwrap_or_default();
    let mut kept = Map::new();
    for name in ["labels", "annotations", "finalizers", "ownerReferences", "managedFields"] {
        if let Some(value) = metadata.get(name) {
            kept.insert(name.to_owned(), value.clone());
        }
    }
    for entry in kept.get_mut("managedFields").and_then(Value::as_array_mut).into_iter().flatten() {
        if entry.get("time").is_some() {
            entry["time"] = json!("some");
        }
    }
    // The recording has several writes within one second, so its entries are sorted by name.
    if let Some(Value::Array(entries)) = kept.get_mut("managedFields") {
        entries.sort_by_key(|entry| ["operation", "manager", "subresource"].map(|name| entry[name].to_string()));
    }
    map.insert("metadata".to_owned(), kept.into());
    obj
}

/// Go prints a float with an integral value without a fraction.
fn with_whole_numbers(value: &Value) -> Value {
    match value {
        Value::Object(map) => map.iter().map(|(name, value)| (name.clone(), with_whole_numbers(value))).collect(),
        Value::Array(list) => list.iter().map(with_whole_numbers).collect(),
        Value::Number(number) if number.as_f64().is_some_and(|float| float.fract() == 0.0) && number.is_f64() => {
            json!(number.as_f64().unwrap() as i64)
        }
        other => other.clone(),
    }
}

/// A file of recorded cases in the directory `shared` next to the repository; `None` if it does not exist.
fn recorded(name: &str) -> Option<Value> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/cases/apiserver").join(name);
    serde_json::from_str(&std::fs::read_to_string(file).ok()?).ok()
}

fn schema_of(crd: &Value) -> (String, (Structural, HasStatus)) {
    let version = &crd["spec"]["versions"][0];
    let has_status = if version["subresources"]["status"].is_object() { HasStatus::Yes } else { HasStatus::No };
    let schema = Structural::parse(&version["schema"]["openAPIV3Schema"]).unwrap();
    (crd["spec"]["names"]["plural"].as_str().unwrap().to_owned(), (schema, has_status))
}

/// Replays a case and returns the number of compared steps.
fn replay(case: &Value, schemas: &BTreeMap<String, (Structural, HasStatus)>) -> usize {
    let mut replay = Replay { schemas: schemas.clone(), ..Replay::default() };
    let mut compared = 0;
    for (index, step) in case["steps"].as_array().unwrap().iter().enumerate() {
        let Some(path) = step["path"].as_str() else { continue };
        if path.contains("customresourcedefinitions") && step["body"]["spec"].is_object() {
            replay.schemas.extend([schema_of(&step["body"])]);
        }
        if !path.contains("/namespaces/") {
            continue;
        }
        let context = format!("{} step {index} {}", case["id"], step["note"]);
        compared += usize::from(compare(&replay.step(step), &step["response"], &context));
    }
    compared
}

fn compare(answer: &Answer, response: &Value, context: &str) -> bool {
    let status = response["status"].as_u64().unwrap();
    match answer {
        Answer::Stored(new) if status < 300 => compare_stored(new, response, context),
        Answer::Refused(text) if status >= 400 => {
            let expected = response.pointer("/body/message");
            assert!(expected.is_none_or(|message| message == text), "{context}: {text}\nexpected {expected:?}");
            true
        }
        Answer::Invalid(causes) => {
            assert_eq!(status, 422, "{context}: {causes:?}");
            compare_causes(causes, response, context)
        }
        Answer::Refused(text) => panic!("{context}: refused: {text}"),
        _ => false,
    }
}

fn compare_causes(causes: &[Cause], response: &Value, context: &str) -> bool {
    let mut expected = response.pointer("/body/details/causes").unwrap().as_array().unwrap().clone();
    let mut got: Vec<_> = causes
        .iter()
        .map(|cause| json!({"reason": cause.reason, "message": cause.message, "field": cause.field}))
        .collect();
    // Causes about the paths of the scale subresource do not come from the schema.
    expected.retain(|cause| !cause["field"].as_str().unwrap().starts_with('.'));
    expected.sort_by_key(ToString::to_string);
    got.sort_by_key(ToString::to_string);
    assert_eq!(json!(got), json!(expected), "{context}");
    true
}

fn compare_stored(new: &Value, response: &Value, context: &str) -> bool {
    let new = decided(new);
    if let Some(body) = response.get("body").filter(|body| body["kind"] != "Scale") {
        assert_eq!(pretty(&new), pretty(&decided(body)), "{context}");
        return true;
    }
    let fields = response.pointer("/bodyAt").and_then(|at| at.get("/metadata/managedFields"));
    if let Some(expected) = fields.filter(|fields| fields.is_array()) {
        let expected = decided(&json!({"metadata": {"managedFields": expected}}));
        assert_eq!(
            pretty(&new["metadata"]["managedFields"]),
            pretty(&expected["metadata"]["managedFields"]),
            "{context}"
        );
        return true;
    }
    false
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap()
}

/// Cases that this replay does not cover: lists of built-in kinds, and strategic merge patches.
const LEFT_OUT: [&str; 3] = ["apply/builtin", "write/strategic", "write/update-builtin"];

#[test]
fn recorded_writes_match_a_real_server() {
    let Some(fixtures) = recorded("fixtures.json") else {
        eprintln!("skipped: no recorded cases beside the repository");
        return;
    };
    let schemas: BTreeMap<_, _> = fixtures.as_object().unwrap().values().map(schema_of).collect();
    let mut compared = 0;
    for topic in ["apply.json", "write.json"] {
        for case in recorded(topic).unwrap()["cases"].as_array().unwrap() {
            if case["server"] == "modern" && !LEFT_OUT.iter().any(|id| case["id"] == *id) {
                compared += replay(case, &schemas);
            }
        }
    }
    let definitions = recorded("crd.json").unwrap();
    for case in definitions["cases"].as_array().unwrap().iter().filter(|case| case["id"] == "crd/pruning-defaulting") {
        compared += replay(case, &schemas);
    }
    assert!(compared > 160, "only {compared} steps compared");
}
