//! The recorder: sends the requests of the cases in this repository to the real servers, and records the responses.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value, json};

use crate::case::{self, Case, Fixtures};
use crate::compare::Answer;
use crate::ensure;
use crate::replay;
use crate::server::{Clients, Pace};

static TIME: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?Z$").unwrap());

/// Records the cases whose label contains `filter` on their servers, and writes each to its file.
pub(crate) async fn record(servers: &Path, filter: &str, fixtures: &Fixtures) -> Result<(), String> {
    for path in case::own() {
        let mut topic: Value = serde_json::from_slice(&fs::read(&path).unwrap()).map_err(|error| error.to_string())?;
        for case in topic["cases"].as_array_mut().into_iter().flatten() {
            let (label, parsed) = parsed(case)?;
            if label.contains(filter) {
                println!("recording {label}");
                let answers =
                    answered(&parsed, servers, fixtures).await.map_err(|error| format!("{label}: {error}"))?;
                write_down(case, &answers);
            }
        }
        fs::write(&path, format!("{topic:#}\n")).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// The case for a replay; missing responses get status 0.
fn parsed(case: &Value) -> Result<(String, Case), String> {
    let mut open = case.clone();
    for step in open["steps"].as_array_mut().into_iter().flatten() {
        if step["method"].is_string() && step["response"].is_null() {
            step["response"] = json!({"status": 0});
        }
    }
    let case: Case = serde_json::from_value(open).map_err(|error| error.to_string())?;
    Ok((case.label(), case))
}

async fn answered(case: &Case, servers: &Path, fixtures: &Fixtures) -> Result<BTreeMap<usize, Answer>, String> {
    let file = if case.server == "modern" { "kubeconfig-modern" } else { "kubeconfig" };
    let clients = Clients::connect(&servers.join(file)).await?;
    ensure::clean(&clients.admin, &[case]).await?;
    replay::answers(case, &clients, Pace::REAL, fixtures).await
}

fn write_down(case: &mut Value, answers: &BTreeMap<usize, Answer>) {
    for (step, answer) in answers {
        case["steps"][*step]["response"] = response(answer);
    }
    let names = Names::of(&case["steps"]);
    for step in case["steps"].as_array_mut().into_iter().flatten() {
        if let Some(body) = step.get_mut("response").and_then(|response| response.get_mut("body")) {
            *body = names.placed("", body);
        }
    }
}

fn response(answer: &Answer) -> Value {
    let mut headers = Map::new();
    let header = |name: &str| answer.headers.get(name).and_then(|value| value.to_str().ok());
    for name in ["Content-Type", "Allow", "Retry-After"] {
        if let Some(value) = header(name).filter(|value| *value != "application/json") {
            headers.insert(name.to_owned(), json!(value));
        }
    }
    let warnings: Vec<&str> =
        answer.headers.get_all("Warning").iter().filter_map(|value| value.to_str().ok()).collect();
    if !warnings.is_empty() {
        headers.insert("Warning".to_owned(), json!(warnings));
    }
    let mut response = json!({"status": answer.status, "body": answer.body});
    if !headers.is_empty() {
        response["headers"] = headers.into();
    }
    response
}

/// The placeholders of a case: versions are numbered by value, uids and continue tokens by first occurrence.
#[derive(Default)]
struct Names {
    versions: BTreeSet<u64>,
    uids: Vec<String>,
    tokens: Vec<String>,
}

impl Names {
    fn of(steps: &Value) -> Self {
        let mut names = Self::default();
        for step in steps.as_array().into_iter().flatten() {
            names.see("", &step["response"]["body"]);
        }
        names
    }

    fn see(&mut self, key: &str, value: &Value) {
        match value {
            Value::Object(members) => members.iter().for_each(|(key, value)| self.see(key, value)),
            Value::Array(items) => items.iter().for_each(|item| self.see("", item)),
            Value::String(text) => match key {
                "resourceVersion" => self.versions.extend(text.parse::<u64>().ok()),
                "uid" if !self.uids.contains(text) => self.uids.push(text.clone()),
                "continue" if !self.tokens.contains(text) => self.tokens.push(text.clone()),
                _ => {}
            },
            _ => {}
        }
    }

    fn placed(&self, key: &str, value: &Value) -> Value {
        match value {
            Value::Object(members) => {
                members.iter().map(|(key, value)| (key.clone(), self.placed(key, value))).collect::<Map<_, _>>().into()
            }
            Value::Array(items) => items.iter().map(|item| self.placed("", item)).collect(),
            Value::String(text) => Value::String(self.name(key, text).unwrap_or_else(|| text.clone())),
            other => other.clone(),
        }
    }

    fn name(&self, key: &str, text: &str) -> Option<String> {
        let at = |all: &[String]| all.iter().position(|one| one == text).map(|at| at + 1);
        if let Some(found) = TIME.captures(text) {
            return Some(if found.get(1).is_some() { "<microtime>" } else { "<time>" }.to_owned());
        }
        match key {
            "resourceVersion" => {
                let version = text.parse::<u64>().ok()?;
                Some(format!("<rv:{}>", self.versions.iter().position(|one| *one == version)? + 1))
            }
            "continue" => at(&self.tokens).map(|number| format!("<continue:{number}>")),
            _ => at(&self.uids).map(|number| format!("<uid:{number}>")),
        }
    }
}
