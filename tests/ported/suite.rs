//! A group of cases: its file, its adapter, and the comparison of both.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use evenkeel_tests::broken;
use evenkeel_tests::deviations::{self, Difference, Found, listed};
use futures::future::LocalBoxFuture;
use serde_json::{Value, json};

use crate::stage::CALLS;
use evenkeel_tests::given::{Known, unknown};

/// Converts the input of a case to the expected keys.
pub(crate) type Adapter = fn(Value) -> LocalBoxFuture<'static, Value>;

/// The intended differences; the head of the file describes its lines.
pub(crate) const DEVIATIONS: &str = include_str!("deviations.txt");

/// One test for each group of a system, and the list of them.
macro_rules! groups {
    ($system:literal, $known:path, $($name:ident = $group:literal: $adapter:path,)*) => {
        pub(crate) const GROUPS: &[&str] = &[$($group),*];
        $(#[test]
        fn $name() {
            $crate::suite::run($system, $group, $known($group), |given| ::std::boxed::Box::pin($adapter(given)));
        })*
    };
}
pub(crate) use groups;

/// The file of a system: next to the repository, or next to the folder with its worktrees.
fn file(system: &str) -> Option<PathBuf> {
    let name = format!("shared/cases/systems/{system}.json");
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|folder| folder.join(&name));
    above.into_iter().find(|file| file.is_file())
}

/// The groups of a system; `None`, with a visible line, if they are not next to the repository.
#[allow(clippy::explicit_write, reason = "the test harness hides what the macros print")]
pub(crate) fn groups_of(system: &str) -> Option<Vec<Value>> {
    let Some(file) = file(system) else {
        writeln!(std::io::stderr(), "SKIPPED {system}: no shared/cases/systems beside the repository").unwrap();
        return None;
    };
    let text: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    Some(text["groups"].as_array().unwrap().clone())
}

/// Runs every case of the group, and fails with all unlisted differences and all stale lines.
pub(crate) fn run(system: &str, group: &str, known: Known, adapter: Adapter) {
    let Some(groups) = groups_of(system) else { return };
    let cases = groups.iter().find(|one| one["id"] == group).unwrap()["cases"].as_array().unwrap().clone();
    let mut complaints: Vec<String> = cases.iter().flat_map(|case| strange(case, known)).collect();
    assert!(complaints.is_empty(), "{group}:\n{}", complaints.join("\n"));
    let mut found = Vec::new();
    for case in &cases {
        let (differences, unnoticed) = judge(case, adapter);
        complaints.extend(unnoticed);
        found.push(differences);
    }
    let agree = found.iter().filter(|found| found.differences.is_empty()).count();
    eprintln!("{group}: {} cases, {agree} agree", found.len());
    complaints.extend(deviations::complaints(DEVIATIONS, group, &found));
    assert!(complaints.is_empty(), "{group}:\n{}", complaints.join("\n"));
}

/// The keys of the case that no adapter reads.
fn strange(case: &Value, known: Known) -> Vec<String> {
    unknown(&case["given"], known).into_iter().map(|what| format!("  {}: {what}", case["id"])).collect()
}

/// Each case has its own runtime, in virtual time. The second value lists expectations that cannot fail.
fn judge(case: &Value, adapter: Adapter) -> (Found, Vec<String>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
    let name = case["id"].as_str().unwrap().to_owned();
    let output = runtime.block_on(adapter(case["given"].clone()));
    let (mut differences, mut unnoticed) = (Vec::new(), Vec::new());
    for (key, wanted) in case["expect"].as_object().unwrap() {
        let agrees = |wanted: &Value| fits(key, wanted, &output);
        if agrees(wanted) {
            unnoticed.extend(broken::unnoticed(wanted, agrees).into_iter().map(|leaf| format!("  {name} {key}{leaf}")));
        } else {
            differences.push(Difference {
                key: key.clone(),
                wanted: wanted.clone(),
                found: shown(key, wanted, &output),
            });
        }
    }
    (Found { name, differences }, unnoticed)
}

/// The actual value.
fn shown(key: &str, wanted: &Value, output: &Value) -> Value {
    match key {
        "never_called" => {
            let called = wanted.as_array().into_iter().flatten().filter(|call| is_within(&json!([call]), output));
            called.cloned().collect()
        }
        "requeue_after_s" if output[key].is_array() => nominal(&output[key]),
        _ => output[key].clone(),
    }
}

/// The steps of the curve of fast errors.
const CURVE: [f64; 6] = [1.0, 2.0, 4.0, 8.0, 16.0, 30.0];

/// Times without jitter; a time that no jitter explains stays.
fn nominal(found: &Value) -> Value {
    let step = |one: &Value| {
        let is_of = |step: &&f64| is_jittered(&[json!(step)], &json!([one]));
        CURVE.iter().find(is_of).map_or(one.clone(), |step| json!(step))
    };
    found.as_array().into_iter().flatten().map(step).collect()
}

/// The words for an error that is retried soon; the groups of the intervals show how fast.
const RETRIES: [&str; 2] = ["retry with backoff", "retry slow"];

fn fits(key: &str, wanted: &Value, output: &Value) -> bool {
    let found = &output[key];
    match key {
        "calls_in_order" => is_within(wanted, output),
        "never_called" => is_never(wanted, output),
        "error_to_runtime" if *found == "retry" => wanted.as_str().is_some_and(|text| RETRIES.contains(&text)),
        "requeue_after_s" | "delays_s" => wanted.as_array().map_or(wanted == found, |all| is_jittered(all, found)),
        "requeue_after_s_between" => {
            let (least, most) = (wanted[0].as_f64().unwrap(), wanted[1].as_f64().unwrap());
            found.as_f64().is_some_and(|seconds| (least..=most).contains(&seconds))
        }
        _ => is_part(wanted, found),
    }
}

/// Whether the output contains everything that is expected.
fn is_part(wanted: &Value, found: &Value) -> bool {
    match wanted {
        Value::Object(fields) => fields.iter().all(|(key, wanted)| is_part(wanted, &found[key])),
        _ => wanted == found,
    }
}

fn calls(output: &Value) -> impl Iterator<Item = &str> {
    output["calls_in_order"].as_array().into_iter().flatten().filter_map(Value::as_str)
}

/// Whether the expected calls are among the actual ones, in this order; an empty list allows none. An actual call may have several names.
fn is_within(wanted: &Value, output: &Value) -> bool {
    let (wanted, mut found) = (wanted.as_array().map_or(&[][..], Vec::as_slice), calls(output));
    wanted.iter().all(|call| found.any(|one| has(one, call))) && (!wanted.is_empty() || found.next().is_none())
}

/// Whether none of them is among the actual calls. An unknown name would never be.
fn is_never(wanted: &Value, output: &Value) -> bool {
    let is_free = |call: &Value| {
        call.as_str().is_some_and(|name| CALLS.contains(&name)) && !calls(output).any(|one| has(one, call))
    };
    wanted.as_array().into_iter().flatten().all(is_free)
}

fn has(names: &str, name: &Value) -> bool {
    names.split('|').any(|one| name == one)
}

/// Each time is at most the expected one and at least three quarters of it: jitter only shortens.
fn is_jittered(wanted: &[Value], found: &Value) -> bool {
    let found = found.as_array().map_or(&[][..], Vec::as_slice);
    wanted.len() == found.len()
        && wanted.iter().zip(found).all(|(wanted, found)| match (wanted.as_f64(), found.as_f64()) {
            (Some(most), Some(seconds)) => seconds <= most + 0.05 && seconds >= 0.75 * most - 0.05,
            _ => wanted == found,
        })
}

/// Every group of the system has an adapter, except for `not_yet`, and every deviation names one of them and a reason.
pub(crate) fn check_whole(system: &str, adapted: &[&str], not_yet: &[&str]) {
    let Some(groups) = groups_of(system) else { return };
    let all: Vec<&str> = groups.iter().filter_map(|group| group["id"].as_str()).collect();
    assert!(not_yet.iter().all(|group| all.contains(group)), "{not_yet:?}");
    let groups: Vec<&str> = all.into_iter().filter(|group| !not_yet.contains(group)).collect();
    assert_eq!(groups, adapted);
    for line in listed(DEVIATIONS) {
        assert!(groups.contains(&line.suite) || !line.suite.starts_with(system), "no group {}", line.suite);
        assert!(!line.rule.is_empty() && !line.reason.is_empty(), "{} / {} has no reason", line.suite, line.case);
        assert!(
            line.accepts.is_some(),
            "{} / {} does not say what there is instead: ` => {{..}}`",
            line.suite,
            line.case
        );
    }
}
