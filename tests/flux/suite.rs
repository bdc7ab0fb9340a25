//! A suite: its file, its adapter, and the comparison of both.

use std::fs;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::compare::{differences, unnoticed};
use crate::deviation::amended;

/// Converts the input of a case to its output, with the names of `expect` and `golden`.
pub(crate) type Adapter = fn(&Value) -> Value;

/// Defines one test per suite, and `SUITES`, the list of them.
macro_rules! suites {
    ($($name:ident: $adapter:expr, $reads:expr;)*) => {
        pub(crate) const SUITES: &[&str] = &[$(stringify!($name)),*];
        $(#[test]
        fn $name() {
            $crate::suite::run(stringify!($name), $adapter, $reads);
        })*
    };
}
pub(crate) use suites;

/// The folder of the cases: next to the repository, or next to the folder with its worktrees.
pub(crate) fn folder() -> Option<PathBuf> {
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|folder| folder.join("shared/cases/flux"));
    above.into_iter().find(|folder| folder.is_dir())
}

/// Reports that a test did not run because the cases are missing. It bypasses the harness, which hides the output of passing tests.
#[allow(clippy::explicit_write, reason = "the test harness hides what the macros print")]
pub(crate) fn skipped(what: &str) {
    writeln!(std::io::stderr(), "SKIPPED {what}: no shared/cases/flux beside the repository").unwrap();
}

/// Our own cases, written from the rules of the reference: one for each rule that no recorded case needs.
const WRITTEN: &str = include_str!("written.json");

/// The cases of a suite with our own; `None`, with a visible line, if they are not next to the repository.
pub(crate) fn cases(suite: &str) -> Option<Vec<Value>> {
    let Some(folder) = folder() else {
        skipped(suite);
        return None;
    };
    let text = fs::read_to_string(folder.join(format!("{suite}.json"))).unwrap();
    let file: Value = serde_json::from_str(&text).unwrap();
    let mut cases = file["cases"].as_array().unwrap().clone();
    assert_eq!(Value::from(cases.len()), file["caseCount"], "{suite} is not whole");
    let written: Value = serde_json::from_str(WRITTEN).unwrap();
    cases.extend(written[suite].as_array().into_iter().flatten().cloned());
    Some(cases)
}

/// Runs every case, and fails with all differences from the answer of the reference with our rules.
pub(crate) fn run(suite: &str, adapter: Adapter, reads: &[&str]) {
    let Some(cases) = cases(suite) else { return };
    let mut complaints = Vec::new();
    let (mut agree, mut differ) = (0, 0);
    for case in &cases {
        let (ours, rules) = amended(suite, case);
        let found = strange(case, reads).into_iter().chain(judge(&ours, adapter));
        let rules: Vec<&str> = rules.iter().map(|rule| rule.name).collect();
        complaints.extend(found.map(|found| format!("  {} {rules:?} {found}", case["name"])));
        *(if rules.is_empty() { &mut agree } else { &mut differ }) += 1;
    }
    eprintln!("{suite}: {agree} cases as the reference, {differ} by our rules");
    assert!(complaints.is_empty(), "{suite}:\n{}", complaints.join("\n"));
}

/// The keys of the case that the adapter does not read.
fn strange(case: &Value, reads: &[&str]) -> Vec<String> {
    let given = case["input"].as_object().unwrap();
    given.keys().filter(|key| !reads.contains(&&***key)).map(|key| format!("no adapter reads `{key}`")).collect()
}

/// The differences; if there are none, the expectations that cannot fail.
fn judge(case: &Value, adapter: Adapter) -> Vec<String> {
    match catch_unwind(AssertUnwindSafe(|| adapter(&case["input"]))) {
        Ok(output) => match differences(case, &output) {
            none if none.is_empty() => unnoticed(case, &output),
            some => some
                .into_iter()
                .map(|one| format!("{}\n    wanted {}\n    found  {}", one.key, one.wanted, one.found))
                .collect(),
        },
        Err(_) => vec!["panics, see above".into()],
    }
}
