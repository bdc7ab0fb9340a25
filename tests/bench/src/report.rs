//! The figures of one bench compared with the committed ones, which the guide shows: `runtime/src/guide/figures`.
#![allow(clippy::print_stdout, reason = "a table is what it is for")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::pending::Pending;
use crate::table::Table;

/// The allowed growth over the committed figure; repeated runs differ by some hundredths of a percent.
const MORE: f64 = 1.01;

/// The figures of memory.
pub const MEMORY: &str = "memory.md";

/// The figures of dependents.
pub const DEPENDENTS: &str = "dependents.md";

/// The folder of the figures of the guide.
#[must_use]
pub fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../runtime/src/guide/figures")
}

/// Whether to overwrite the committed figures.
#[must_use]
pub fn overwrites() -> bool {
    std::env::var_os("GENERATED").is_some_and(|value| value == "overwrite")
}

/// The figures of a bench.
pub struct Report {
    file: &'static str,
    text: String,
    found: BTreeMap<String, f64>,
    pending: Pending,
    missed: usize,
}

impl Report {
    /// A report for the bench with this file of figures.
    #[must_use]
    pub fn new(file: &'static str) -> Self {
        let text = format!("{}\n{}\n", compiler(), place());
        println!("{text}");
        Self { file, text, found: BTreeMap::new(), pending: Pending::read(), missed: 0 }
    }

    /// Prints a table and records it.
    pub fn add(&mut self, table: &Table) {
        let (text, missed) = table.render(&mut self.pending);
        print!("{text}");
        self.text += &text;
        self.missed += missed;
        self.found.extend(table.ours().map(|(what, figure)| (format!("{} / {what}", table.title()), figure)));
    }

    /// Prints a table of times, with their targets. They depend on the machine, so they never fail and are not compared.
    pub fn add_times(&mut self, table: &Table) {
        let (text, _) = table.render(&mut Pending::read());
        print!("{text}");
        self.text += &text;
    }

    /// Prints a sentence below the table; a missed target counts.
    pub fn note(&mut self, sentence: &str, missed: bool) {
        println!("\n{sentence}");
        self.text += &format!("\n{sentence}\n");
        self.missed += usize::from(missed);
    }

    /// The figures of one column by table and row; the first column is evenkeel.
    #[must_use]
    pub fn column(&self, at: usize) -> BTreeMap<String, f64> {
        column(&self.text, at)
    }

    /// Overwrites the committed figures if requested, or compares them; fails if a target is missed or a figure is worse.
    ///
    /// # Panics
    /// The file cannot be written.
    #[must_use]
    pub fn end(self) -> ExitCode {
        let missed = if overwrites() {
            std::fs::write(folder().join(self.file), &self.text).expect("the figures can be written");
            self.missed()
        } else {
            self.compared()
        };
        if missed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }

    /// The number of targets that are missed, and of figures that are worse than the committed ones.
    #[must_use]
    pub fn compared(self) -> usize {
        let committed = std::fs::read_to_string(folder().join(self.file)).unwrap_or_default();
        self.worse(&committed) + self.missed()
    }

    fn missed(mut self) -> usize {
        for what in self.pending.reached() {
            println!("NOT MISSED ANY MORE: {what}: take it out of tests/bench/pending.txt");
            self.missed += 1;
        }
        self.missed
    }

    /// Overwrites the figures if requested, and never fails: seconds depend on the machine.
    ///
    /// # Panics
    /// The file cannot be written.
    pub fn record(self) {
        if overwrites() {
            std::fs::write(folder().join(self.file), &self.text).expect("the figures can be written");
        }
    }

    /// The number of figures that are worse than the committed ones.
    fn worse(&self, committed: &str) -> usize {
        let (then, now) = (committed.lines().next().unwrap_or_default(), compiler());
        // Without optimisation, a program allocates the same, and runs more instructions.
        let same = |line: &str| {
            if [MEMORY, DEPENDENTS].contains(&self.file) {
                line.replace("not optimised", "optimised")
            } else {
                line.into()
            }
        };
        if same(then) != same(&now) {
            println!(
                "\nNOT COMPARED with the committed figures, which were counted otherwise.\nThere: {then}\nHere:  {now}"
            );
            return 0;
        }
        let held = column(committed, 0);
        let worse = self.found.iter().filter_map(|(what, found)| {
            let held = held.get(what)?;
            (*found > held * MORE).then(|| format!("{what}: {found:.3}, committed {held}"))
        });
        let worse: Vec<String> = worse.collect();
        for line in &worse {
            println!("WORSE by more than 1 %: {line}; GENERATED=overwrite takes it over");
        }
        worse.len()
    }
}

/// The figures of one column in the tables of a text, by table and row.
fn column(text: &str, at: usize) -> BTreeMap<String, f64> {
    let mut title = "";
    let mut figures = BTreeMap::new();
    for line in text.lines().filter(|line| line.starts_with("| ")) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        match cells[2 + at].parse() {
            Ok(figure) => drop(figures.insert(format!("{title} / {}", cells[1]), figure)),
            Err(_) if cells[1] != "---" => title = cells[1],
            Err(_) => {}
        }
    }
    figures
}

/// The compiler, which determines the code of a program.
fn compiler() -> String {
    let version = output("rustc", &["-V"]);
    let optimised = if cfg!(debug_assertions) { "not optimised" } else { "optimised" };
    format!("Counted with {version}, {}, {optimised}.", std::env::consts::ARCH)
}

/// The environment of the figures.
fn place() -> String {
    let commit = output("git", &["rev-parse", "--short", "HEAD"]);
    let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.lock");
    let lock = std::fs::read_to_string(lock).unwrap_or_default();
    let version = |name: &str| {
        let found = lock
            .split("[[package]]")
            .find_map(|each| each.trim().strip_prefix(&format!("name = \"{name}\"\nversion = \"")));
        format!("{name} {}", found.and_then(|rest| rest.split('"').next()).unwrap_or("unknown"))
    };
    let versions = ["kube", "k8s-openapi", "tokio"].map(version).join(", ");
    format!("With {versions}, on top of commit {commit}.")
}

fn output(program: &str, args: &[&str]) -> String {
    let output = Command::new(program).args(args).current_dir(env!("CARGO_MANIFEST_DIR")).output();
    output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows of all benches are compared here.
    #[test]
    fn a_figure_that_grows_by_more_than_the_margin_is_worse() {
        let committed =
            format!("{}\n\n| pods | ours | target |\n| --- | ---: | --- |\n| bytes | 1000 | |\n", compiler());
        let worse = |found: f64, committed: &str| {
            let (found, pending) = (BTreeMap::from([("pods / bytes".to_owned(), found)]), Pending::read());
            let report = Report { file: "instructions.md", text: String::new(), found, pending, missed: 0 };
            report.worse(committed)
        };
        assert_eq!((worse(1009.0, &committed), worse(900.0, &committed)), (0, 0));
        assert_eq!(worse(1011.0, &committed), 1);
        let of_another = committed.replace("rustc", "another compiler");
        assert_eq!(worse(1011.0, &of_another), 0, "figures of another compiler are not compared");
    }

    #[test]
    fn figures_are_found_by_table_and_row() {
        let text = "Counted.\n\n| pods | ours | B0 | / B0 | target |\n| --- | ---: | ---: | ---: | --- |\n| bytes | 12.5 | 50 | 0.250 | |\n";
        assert_eq!(column(text, 0), BTreeMap::from([("pods / bytes".to_owned(), 12.5)]));
        assert_eq!(column(text, 1)["pods / bytes"], 50.0);
    }
}
