//! The build cost (D1): `cargo bench -p evenkeel-bench --bench build`.
//!
//! The example `hello` and its hand-written counterpart `plain` as two programs of a separate project, with the features that each needs.
//! The processor time of a rebuild is a ratio of alternating builds; it is reported and fails no run.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a table is what it is for")]
#![allow(clippy::unwrap_used, reason = "a bench ends at the first surprise")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use evenkeel_bench::report::Report;
use evenkeel_bench::table::{Aim, Table};

const ROUNDS: usize = 5;
/// Evenkeel and hand-written.
const NAMES: [&str; 2] = ["ours", "hand"];

fn main() {
    let project = Project::make();
    let mut report = Report::new("build.md");
    let mut table = Table::new("a build of `hello`", "", &["evenkeel", "hand-written"]);
    table.row("lines of code", &NAMES.map(|name| project.lines(name)), Aim::Shares(&[(1, 0.40)]));
    table.row("crates", &NAMES.map(|name| project.crates(name)), Aim::Shares(&[]));
    table.row(
        "bytes of the optimised program, stripped",
        &NAMES.map(|name| project.bytes(name)),
        Aim::Shares(&[(1, 1.02)]),
    );
    let seconds = project.rebuilds();
    let [few, median, most] = [0, ROUNDS / 2, ROUNDS - 1].map(|nth| seconds.each_ref().map(|rounds| rounds[nth]));
    table.row("processor time of a rebuild in s, best round", &few, Aim::Shares(&[]));
    table.row("processor time of a rebuild in s, median round", &median, Aim::Shares(&[(1, 1.10)]));
    table.row("processor time of a rebuild in s, worst round", &most, Aim::Shares(&[]));
    report.add(&table);
    report.record();
}

/// A folder with one package for each.
struct Project(PathBuf);

impl Project {
    fn make() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("build");
        let example = |name: &str| fs::read_to_string(root.join("examples/src/bin").join(name)).unwrap();
        // Without the command line, which `plain` does not have.
        let started = "tracing_subscriber::fmt().with_writer(std::io::stderr).init();\n    Operator::new";
        let hello = example("hello.rs").replace("Operator::new", started).replace(".run_cli()", ".run()");
        assert!(hello.contains(".run()"), "hello.rs is another one");
        let runtime = root.join("runtime");
        let ours = format!(
            "evenkeel = {{ path = {runtime:?}, default-features = false, features = [\"operator\", \"rustls-tls\"] }}"
        );
        let hand = "futures = \"0.3\"\ntracing = \"0.1\"";
        for (name, code, needs) in [("ours", hello, &*ours), ("hand", example("plain.rs"), hand)] {
            fs::create_dir_all(folder.join(name).join("src")).unwrap();
            fs::write(folder.join(name).join("src/main.rs"), code).unwrap();
            fs::write(folder.join(name).join("Cargo.toml"), manifest(name, needs)).unwrap();
        }
        fs::write(folder.join("Cargo.toml"), "[workspace]\nmembers = [\"ours\", \"hand\"]\nresolver = \"3\"\n")
            .unwrap();
        fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
        Self(folder)
    }

    fn main(&self, name: &str) -> PathBuf {
        self.0.join(name).join("src/main.rs")
    }

    fn lines(&self, name: &str) -> f64 {
        let code = fs::read_to_string(self.main(name)).unwrap();
        let is_code = |line: &&str| !line.trim().is_empty() && !line.trim().starts_with("//");
        code.lines().filter(is_code).count() as f64
    }

    fn cargo(&self, args: &[&str]) -> String {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("CARGO") && name != "CARGO_HOME" {
                command.env_remove(name);
            }
        }
        let output =
            command.args(args).current_dir(&self.0).env("CARGO_TARGET_DIR", self.0.join("target")).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// The number of crates that it needs at run time, without itself.
    fn crates(&self, name: &str) -> f64 {
        let tree = self.cargo(&["tree", "-p", name, "-e", "normal", "--prefix", "none", "--format", "{p}"]);
        let all: std::collections::BTreeSet<&str> = tree.lines().map(|line| line.trim_end_matches(" (*)")).collect();
        all.len() as f64 - 1.0
    }

    fn bytes(&self, name: &str) -> f64 {
        eprintln!("{name}, optimised ..");
        self.cargo(&["build", "--release", "-p", name]);
        let (built, stripped) = (self.0.join("target/release").join(name), self.0.join(name).join("stripped"));
        let status = Command::new("strip").arg("-o").args([&stripped, &built]).status().unwrap();
        assert!(status.success(), "strip is one of the binutils");
        fs::metadata(stripped).unwrap().len() as f64
    }

    /// The user time in seconds of each rebuild after a change, sorted.
    fn rebuilds(&self) -> [Vec<f64>; 2] {
        NAMES.iter().for_each(|name| drop(self.cargo(&["build", "-p", name])));
        let mut seconds = [const { Vec::new() }; 2];
        for round in 1..=ROUNDS {
            eprintln!("rebuild, round {round} ..");
            for (name, seconds) in NAMES.iter().zip(&mut seconds) {
                fs::File::options()
                    .append(true)
                    .open(self.main(name))
                    .unwrap()
                    .set_modified(SystemTime::now())
                    .unwrap();
                let before = of_children();
                self.cargo(&["build", "-p", name]);
                seconds.push(of_children() - before);
            }
        }
        seconds.iter_mut().for_each(|rounds| rounds.sort_by(f64::total_cmp));
        seconds
    }
}

fn manifest(name: &str, needs: &str) -> String {
    format!(
        "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\n{needs}\n\
        k8s-openapi = {{ version = \"0.29\", features = [\"latest\"] }}\n\
        kube = {{ version = \"5\", default-features = false, features = [\"client\", \"derive\", \"runtime\", \"ring\", \"rustls-tls\"] }}\n\
        schemars = \"1\"\nserde = {{ version = \"1\", features = [\"derive\"] }}\nserde_json = \"1\"\n\
        tokio = {{ version = \"1\", features = [\"macros\", \"rt-multi-thread\"] }}\ntracing-subscriber = \"0.3\"\n"
    )
}

/// The user time of ended child processes in seconds; Linux counts it in hundredths.
fn of_children() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    let after_name = stat.rsplit(") ").next().unwrap();
    after_name.split(' ').nth(13).unwrap().parse::<f64>().unwrap() / 100.0
}
