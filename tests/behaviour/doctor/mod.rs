//! The commands that look at a cluster: `doctor`, `explain` and `status`.

mod checks;
mod explained;
mod installed;
mod leases;

use evenkeel::Operator;
use serde_json::Value;

/// The exit code of a command and what it printed.
async fn look(operator: Operator, line: &[&str]) -> (u8, String) {
    let mut out = Vec::new();
    let code = operator.cluster_command(line.iter().copied(), &mut out).await.unwrap();
    (code, String::from_utf8(out).unwrap())
}

/// The exit code of `doctor`, and its findings as `level: text`.
async fn examined(operator: Operator) -> (u8, Vec<String>) {
    let (code, text) = look(operator, &["doctor", "-o", "json"]).await;
    let all: Vec<Value> = serde_json::from_str(&text).unwrap();
    let line = |finding: &Value| {
        let is_bad = finding["level"] == "fail" || finding["level"] == "warn";
        assert_eq!(finding["help"].is_string(), is_bad, "what is bad has a fix: {finding}");
        format!("{}: {}", finding["level"].as_str().unwrap(), finding["text"].as_str().unwrap())
    };
    (code, all.iter().map(line).collect())
}
