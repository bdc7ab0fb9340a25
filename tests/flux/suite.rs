//! A suite: its file, its adapter, and how the two are held against each other.

use std::fs;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::broken::unnoticed;
use crate::compare::differences;
use crate::deviation::{self, Difference, Found};

/// How the input of a case becomes its output: what `expect` and `golden` name, by the same names.
pub(crate) type Adapter = fn(&Value) -> Value;

/// One test per suite, and `SUITES`, the list of them.
macro_rules! suites {
    ($($name:ident: $adapter:expr,)*) => {
        pub(crate) const SUITES: &[&str] = &[$(stringify!($name)),*];
        $(#[test]
        fn $name() {
            $crate::suite::run(stringify!($name), $adapter);
        })*
    };
}
pub(crate) use suites;

/// The folder of the cases: beside the repository, or beside the folder that holds its worktrees.
pub(crate) fn folder() -> Option<PathBuf> {
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|folder| folder.join("shared/cases/flux"));
    above.into_iter().find(|folder| folder.is_dir())
}

/// Says that a test did not run for want of the cases. Past the harness, which hides what a test that passes prints.
#[allow(clippy::explicit_write, reason = "the test harness hides what the macros print")]
pub(crate) fn skipped(what: &str) {
    writeln!(std::io::stderr(), "SKIPPED {what}: no shared/cases/flux beside the repository").unwrap();
}

/// The cases of a suite; `None`, said aloud, where they are not beside the repository.
pub(crate) fn cases(suite: &str) -> Option<Vec<Value>> {
    let Some(folder) = folder() else {
        skipped(suite);
        return None;
    };
    let text = fs::read_to_string(folder.join(format!("{suite}.json"))).unwrap();
    let file: Value = serde_json::from_str(&text).unwrap();
    let cases = file["cases"].as_array().unwrap().clone();
    assert_eq!(Value::from(cases.len()), file["caseCount"], "{suite} is not whole");
    Some(cases)
}

/// Runs every case, and fails with all differences that `deviations.txt` does not list, and all that it lists in vain.
pub(crate) fn run(suite: &str, adapter: Adapter) {
    let Some(cases) = cases(suite) else { return };
    let mut complaints = Vec::new();
    let mut found = Vec::new();
    for case in &cases {
        let (differences, unnoticed) = judge(case, adapter);
        found.push(Found { name: name(case), differences });
        complaints.extend(unnoticed);
    }
    complaints.extend(deviation::complaints(suite, &found));
    eprintln!("{suite}: {} cases, {} agree", found.len(), found.iter().filter(|f| f.differences.is_empty()).count());
    assert!(complaints.is_empty(), "{suite}:\n{}", complaints.join("\n"));
}

fn name(case: &Value) -> String {
    case["name"].as_str().unwrap().to_owned()
}

/// The differences; where there are none, the expectations that could not fail.
fn judge(case: &Value, adapter: Adapter) -> (Vec<Difference>, Vec<String>) {
    match catch_unwind(AssertUnwindSafe(|| adapter(&case["input"]))) {
        Ok(output) => match differences(case, &output) {
            none if none.is_empty() => (none, unnoticed(case, &output)),
            some => (some, Vec::new()),
        },
        Err(_) => {
            (vec![Difference { key: "panic".into(), wanted: Value::Null, found: "see above".into() }], Vec::new())
        }
    }
}
