//! Runs this program under callgrind.

use std::collections::HashMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::thread;

use crate::program::sizes;

/// The variable with the command of the program under callgrind.
pub(crate) const WORDS: &str = "EVENKEEL_COUNTED";

pub(crate) fn is_there() -> bool {
    Command::new("valgrind").arg("--version").stdout(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// Counts of earlier runs.
#[derive(Default)]
pub(crate) struct Counts(Mutex<HashMap<String, f64>>);

impl Counts {
    /// Instructions per additional item of the second run, all in parallel.
    pub(crate) fn slopes<const N: usize, W: AsRef<str>>(&self, words: &[W; N]) -> [f64; N] {
        let words = words.each_ref().map(AsRef::as_ref);
        thread::scope(|scope| {
            let running = words.map(|words| scope.spawn(move || self.slope(words)));
            running.map(|slope| slope.join().expect("it is counted"))
        })
    }

    fn slope(&self, words: &str) -> f64 {
        if let Some(known) = self.0.lock().unwrap().get(words) {
            return *known;
        }
        eprintln!("{words} ..");
        let [few, many] = sizes(words).map(|size| (size, total(&format!("{words} {size}"))));
        let slope = (many.1 - few.1) / (many.0 - few.0) as f64;
        self.0.lock().unwrap().insert(words.to_owned(), slope);
        slope
    }
}

/// All instructions of a run.
fn total(words: &str) -> f64 {
    let report = callgrind(words, Path::new("/dev/null"));
    let collected = report.lines().find_map(|line| line.split("Collected :").nth(1));
    collected.expect("callgrind says what it collected").trim().parse().unwrap()
}

/// Runs the program and returns the output of callgrind.
fn callgrind(words: &str, file: &Path) -> String {
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", &format!("--callgrind-out-file={}", file.display())]);
    let output = command.arg(std::env::current_exe().unwrap()).env(WORDS, words).output().unwrap();
    let report = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{words}: {report}");
    report
}

/// Self instructions of each function, per additional item of the second run.
pub(crate) fn profile(words: &str) -> HashMap<String, f64> {
    let [few, many] = sizes(words);
    let mut slopes = HashMap::new();
    for (size, sign) in [(few, -1.0), (many, 1.0)] {
        for (name, own) in functions(&format!("{words} {size}")) {
            *slopes.entry(name).or_default() += sign * own / (many - few) as f64;
        }
    }
    slopes
}

fn functions(words: &str) -> HashMap<String, f64> {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("callgrind.out");
    callgrind(words, &file);
    own(&std::fs::read_to_string(file).unwrap())
}

/// The self instructions of each function. A line after `calls=` has those of the callee.
fn own(text: &str) -> HashMap<String, f64> {
    let (mut names, mut found) = (HashMap::new(), HashMap::<String, f64>::new());
    let (mut current, mut is_call) = ("", false);
    for line in text.lines() {
        if let Some(function) = line.strip_prefix("fn=") {
            let (id, name) = function.split_once(' ').unwrap_or((function, ""));
            current = if name.is_empty() { names[id] } else { name };
            names.insert(id, current);
        } else if let Some(called) = line.strip_prefix("cfn=") {
            called.split_once(' ').map(|(id, name)| names.insert(id, name));
        } else if line.starts_with("calls=") {
            is_call = true;
        } else if line.starts_with(['+', '-', '*']) || line.starts_with(|first: char| first.is_ascii_digit()) {
            let cost = line.split(' ').nth(1).and_then(|cost| cost.parse::<f64>().ok()).unwrap_or_default();
            *found.entry(current.to_owned()).or_default() += if is_call { 0.0 } else { cost };
            is_call = false;
        }
    }
    found
}
