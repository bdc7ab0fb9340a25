//! The programs of Prometheus: they check rules, and evaluate them on recorded scrapes.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use evenkeel::monitoring::AlertSet;

use crate::kinds::OPERATOR;
use crate::recording::{INTERVAL, Recording};

/// The job of the operator in Prometheus.
pub const JOB: &str = "task-operator-metrics";

/// Whether the program is there. Otherwise a line shows that the test is skipped.
pub fn is_installed(program: &str) -> bool {
    let is_there = Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success());
    if !is_there {
        // A captured line would not be seen.
        let line = format!("SKIPPED: {program} is not installed; install the package prometheus\n");
        std::io::stderr().write_all(line.as_bytes()).unwrap();
    }
    is_there
}

/// Runs promtool in a folder, which must succeed.
pub fn promtool(folder: &Path, args: &[&str]) -> String {
    let output = Command::new("promtool").args(args).current_dir(folder).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "promtool {args:?}: {text}");
    text
}

/// Checks which alerts fire at a minute of the recordings: these and no others.
pub fn fire(set: &AlertSet, recordings: &[&Recording], minute: u64, expected: &[&str]) {
    if !is_installed("promtool") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let rules = set.rule_file().unwrap();
    fs::write(folder.path().join("rules.yaml"), &rules).unwrap();
    let prefix = "TaskOperator";
    assert!(rules.contains(&format!("alert: {prefix}")), "{OPERATOR}: {rules}");
    let names: BTreeSet<String> = expected.iter().map(|name| format!("{prefix}{name}")).collect();
    let samples = names.iter().fold(String::new(), |mut text, name| {
        write!(text, "\n    - labels: '{{alertname=\"{name}\"}}'\n      value: 1").unwrap();
        text
    });
    let series: String = recordings
        .iter()
        .enumerate()
        .map(|(at, recording)| recording.series(JOB, &format!("10.0.0.{at}:8080"), &rules))
        .collect();
    let seconds = INTERVAL.as_secs();
    let firing = "group by (alertname) (ALERTS{alertstate=\"firing\"})";
    let test = format!(
        "rule_files: [rules.yaml]\nevaluation_interval: {seconds}s\ntests:\n- interval: {seconds}s\n  input_series:\n{series}  \
         promql_expr_test:\n  - expr: {firing}\n    eval_time: {minute}m\n    exp_samples:{}\n",
        if samples.is_empty() { " []" } else { &samples }
    );
    fs::write(folder.path().join("test.yaml"), test).unwrap();
    promtool(folder.path(), &["test", "rules", "test.yaml"]);
}
