//! A group of cases: its file, its adapter, and how the two are held against each other.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use evenkeel_tests::deviation::{Difference, Found, complaints, listed};
use futures::future::LocalBoxFuture;
use serde_json::Value;

/// How what is given becomes what is to be expected, under the same names. The second value is the group, for its vocabulary.
pub(crate) type Adapter = fn(Value) -> LocalBoxFuture<'static, Value>;

/// Where we differ; its head says how a line is written.
pub(crate) const DEVIATIONS: &str = include_str!("deviations.txt");

/// One test for each group of a system, and the list of them.
macro_rules! groups {
    ($system:literal, $($name:ident = $group:literal: $adapter:path,)*) => {
        pub(crate) const GROUPS: &[&str] = &[$($group),*];
        $(#[test]
        fn $name() {
            $crate::suite::run($system, $group, |given| ::std::boxed::Box::pin($adapter(given)));
        })*
    };
}
pub(crate) use groups;

/// The file of a system: beside the repository, or beside the folder that holds its worktrees.
fn file(system: &str) -> Option<PathBuf> {
    let name = format!("shared/cases/systems/{system}.json");
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|folder| folder.join(&name));
    above.into_iter().find(|file| file.is_file())
}

/// The groups of a system; `None`, said aloud, where they are not beside the repository.
#[allow(clippy::explicit_write, reason = "the test harness hides what the macros print")]
pub(crate) fn groups_of(system: &str) -> Option<Vec<Value>> {
    let Some(file) = file(system) else {
        writeln!(std::io::stderr(), "SKIPPED {system}: no shared/cases/systems beside the repository").unwrap();
        return None;
    };
    let text: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    Some(text["groups"].as_array().unwrap().clone())
}

/// Runs every case of the group, and fails with all differences that are not listed, and all that are listed in vain.
pub(crate) fn run(system: &str, group: &str, adapter: Adapter) {
    let Some(groups) = groups_of(system) else { return };
    let cases = groups.iter().find(|one| one["id"] == group).unwrap()["cases"].as_array().unwrap().clone();
    let found: Vec<Found> = cases.iter().map(|case| judge(case, adapter)).collect();
    let agree = found.iter().filter(|found| found.differences.is_empty()).count();
    eprintln!("{group}: {} cases, {agree} agree", found.len());
    let complaints = complaints(DEVIATIONS, group, &found);
    assert!(complaints.is_empty(), "{group}:\n{}", complaints.join("\n"));
}

/// Each case has a runtime of its own, in virtual time.
fn judge(case: &Value, adapter: Adapter) -> Found {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
    let name = case["id"].as_str().unwrap().to_owned();
    let output = runtime.block_on(adapter(case["given"].clone()));
    let wanted = case["expect"].as_object().unwrap();
    let differs = |(key, wanted): (&String, &Value)| {
        let found = &output[key];
        let agrees =
            if key == "never_called" { is_never(wanted, &output["calls_in_order"]) } else { fits(key, wanted, found) };
        (!agrees).then(|| Difference { key: key.clone(), wanted: wanted.clone(), found: found.clone() })
    };
    Found { name, differences: wanted.iter().filter_map(differs).collect() }
}

fn fits(key: &str, wanted: &Value, found: &Value) -> bool {
    match key {
        "calls_in_order" => is_within(wanted, found),
        // How fast, the groups of the intervals show.
        "error_to_runtime" | "retry" if wanted.as_str().is_some_and(|text| text.starts_with("retry")) => {
            found.as_str().is_some_and(|text| text.starts_with("retry"))
        }
        "requeue_after_s" => wanted.as_array().map_or(wanted == found, |all| is_jittered(all, found)),
        "requeue_after_s_between" => {
            let (least, most) = (wanted[0].as_f64().unwrap(), wanted[1].as_f64().unwrap());
            found.as_f64().is_some_and(|seconds| (least..=most).contains(&seconds))
        }
        _ => is_part(wanted, found),
    }
}

/// Whether all that is wanted is there.
fn is_part(wanted: &Value, found: &Value) -> bool {
    match wanted {
        Value::Object(fields) => fields.iter().all(|(key, wanted)| is_part(wanted, &found[key])),
        _ => wanted == found,
    }
}

/// Whether the wanted calls are among those found, in this order. One found may have several names.
fn is_within(wanted: &Value, found: &Value) -> bool {
    let mut found = found.as_array().into_iter().flatten().filter_map(Value::as_str);
    wanted.as_array().into_iter().flatten().all(|call| found.any(|one| has(one, call)))
}

fn is_never(calls: &Value, found: &Value) -> bool {
    let found = || found.as_array().into_iter().flatten().filter_map(Value::as_str);
    calls.as_array().into_iter().flatten().all(|call| !found().any(|one| has(one, call)))
}

fn has(names: &str, name: &Value) -> bool {
    names.split('|').any(|one| name == one)
}

/// Each time is at most the wanted one, and at least three quarters of it: jitter only shortens.
fn is_jittered(wanted: &[Value], found: &Value) -> bool {
    let found = found.as_array().map_or(&[][..], Vec::as_slice);
    wanted.len() == found.len()
        && wanted.iter().zip(found).all(|(wanted, found)| match (wanted.as_f64(), found.as_f64()) {
            (Some(most), Some(seconds)) => seconds <= most + 0.05 && seconds >= 0.75 * most - 0.05,
            _ => wanted == found,
        })
}

/// Every group of the system has an adapter, and every deviation is of one of them and says why.
pub(crate) fn check_whole(system: &str, adapted: &[&str]) {
    let Some(groups) = groups_of(system) else { return };
    let groups: Vec<&str> = groups.iter().filter_map(|group| group["id"].as_str()).collect();
    assert_eq!(groups, adapted);
    for line in listed(DEVIATIONS) {
        assert!(groups.contains(&line.suite) || !line.suite.starts_with(system), "no group {}", line.suite);
        assert!(!line.rule.is_empty() && !line.reason.is_empty(), "{} / {} has no reason", line.suite, line.case);
    }
}
