//! The names that dashboards, alerts and programs use: metrics with labels, spans with fields, the keys of the debug page.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use evenkeel_testkit::assert_generated;
use evenkeel_tests::listener::{get, listening, objects};
use evenkeel_tests::spans::Spans;
use evenkeel_tests::test_env::Running;
use serde_json::Value;
use tokio::time::sleep;

use crate::objects::file;
use crate::operators;
use crate::scenes::scenes;

fn keep(name: &str, lines: &BTreeSet<String>) {
    println!(
        "if it differs, dashboards, alerts or scripts of users break: see CONTRIBUTING.md, \"Change what is stored\""
    );
    assert_generated(file("names", name), &lines.iter().map(|line| format!("{line}\n")).collect::<String>());
}

/// The name of a sample and of its labels, without values.
fn named(sample: &str) -> String {
    let sample = sample.rsplit_once(' ').map_or(sample, |(sample, _)| sample);
    let Some((name, labels)) = sample.split_once('{') else { return sample.to_owned() };
    let keys = labels.trim_end_matches('}').split("\",").filter_map(|label| Some(label.split_once('=')?.0));
    format!("{name}{{{}}}", keys.collect::<Vec<_>>().join(","))
}

#[test]
fn a_normalized_sample_has_names_without_values() {
    assert_eq!(named("up 1"), "up");
    assert_eq!(named("calls_total{verb=\"get\",kind=\"A,b=c\"} 3"), "calls_total{verb,kind}");
}

/// The paths of all keys of a value.
fn keys(value: &Value, path: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(key, value)| keys(value, &format!("{path}.{key}"), found)),
        Value::Array(items) => items.iter().for_each(|item| keys(item, &format!("{path}[]"), found)),
        _ => {
            found.insert(path.to_owned());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn metric_and_debug_page_names_are_unchanged() {
    let scene = scenes().into_iter().find(|scene| scene.name == "widget").unwrap();
    let stage = scene.played().await;
    let (operator, address) = listening(operators::plain(&stage.world, &stage.lab));
    let operator = Running::start(operator);
    sleep(Duration::from_secs(20)).await;
    let metrics = get(address, "/metrics").await.body;
    let types = metrics.lines().filter(|line| line.starts_with("# TYPE") || line.starts_with("# UNIT"));
    let samples = metrics.lines().filter(|line| !line.starts_with('#')).map(named);
    keep("metrics.txt", &samples.chain(types.map(ToOwned::to_owned)).collect());
    let mut found = BTreeSet::new();
    objects(address, "").await.iter().for_each(|object| keys(object, "", &mut found));
    keep("debug_objects.txt", &found);
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn span_and_field_names_are_unchanged() {
    let (spans, _guard) = Spans::capture();
    for scene in scenes() {
        drop(scene.played().await);
    }
    let mut fields: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for span in spans.all() {
        fields.entry(span.path).or_default().extend(span.fields.into_keys());
    }
    let line = |(path, fields): (String, BTreeSet<String>)| {
        format!("{path}: {}", fields.into_iter().collect::<Vec<_>>().join(" "))
    };
    keep("spans.txt", &fields.into_iter().map(line).collect());
}
