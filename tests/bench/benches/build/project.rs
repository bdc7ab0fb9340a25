//! The project with the packages to build: one for each program and number of kinds.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use super::programs::Programs;

/// The dependencies of each program besides those of both.
const HAND: &str = "futures = \"0.3\"\ntracing = \"0.1\"";

/// Cargo builds a crate in a folder for its next change: incrementally, in up to 256 parts. A crate of a registry it does not.
const AS_PUBLISHED: &str = "[profile.dev.package]\nevenkeel.incremental = false\nevenkeel-macros.incremental = false\n";

/// A folder with the packages `replicas-1`, `ours-1`, `hand-1`, `ours-11` ..
pub(crate) struct Project(PathBuf);

/// A build, in bytes and seconds.
pub(crate) struct Built {
    /// The size of the stripped program.
    pub(crate) bytes: f64,
    /// The processor time for the package itself.
    pub(crate) seconds: f64,
}

impl Project {
    pub(crate) fn make(kinds: &[usize]) -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("build");
        let example = |name: &str| fs::read_to_string(root.join("examples/src/bin").join(name)).unwrap();
        let programs = Programs::new(&example("hello.rs"), &example("plain.rs"));
        let runtime = root.join("runtime");
        let evenkeel = |features: &[&str]| {
            format!("evenkeel = {{ path = {runtime:?}, default-features = false, features = {features:?} }}")
        };
        let ours = evenkeel(&["operator", "rustls-tls"]);
        let mut all = vec![("replicas", 1, programs.replicas(), evenkeel(&["operator", "rustls-tls", "lease"]))];
        for &kinds in kinds {
            all.push(("ours", kinds, programs.ours(kinds), ours.clone()));
            all.push(("hand", kinds, programs.hand(kinds), HAND.to_owned()));
        }
        let mut members = Vec::new();
        for (name, kinds, code, needs) in all {
            let name = named(name, kinds);
            fs::create_dir_all(folder.join(&name).join("src")).unwrap();
            fs::write(folder.join(&name).join("src/main.rs"), code).unwrap();
            fs::write(folder.join(&name).join("Cargo.toml"), manifest(&name, &needs)).unwrap();
            members.push(name);
        }
        let workspace = format!("[workspace]\nmembers = {members:?}\nresolver = \"3\"\n{AS_PUBLISHED}");
        fs::write(folder.join("Cargo.toml"), workspace).unwrap();
        fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
        Self(folder)
    }

    fn main(&self, package: &str) -> PathBuf {
        self.0.join(package).join("src/main.rs")
    }

    pub(crate) fn lines(&self, name: &str) -> f64 {
        let code = fs::read_to_string(self.main(&named(name, 1))).unwrap();
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

    /// The names of the crates that it needs at run time, without itself.
    pub(crate) fn crates(&self, name: &str) -> BTreeSet<String> {
        let package = named(name, 1);
        let tree = self.cargo(&["tree", "-p", &package, "-e", "normal", "--prefix", "none", "--format", "{p}"]);
        let all = tree.lines().map(|line| line.split(" (").next().unwrap_or(line).to_owned());
        all.filter(|line| !line.starts_with(&package)).collect()
    }

    /// Builds an optimised program. What it needs is built before, so that its own time counts.
    pub(crate) fn optimised(&self, name: &str, kinds: usize) -> Built {
        let package = named(name, kinds);
        eprintln!("{package}, optimised ..");
        self.cargo(&["build", "--release", "-p", &named(name, 1)]);
        self.change(&package);
        let before = of_children();
        self.cargo(&["build", "--release", "-p", &package]);
        let seconds = of_children() - before;
        let (built, stripped) = (self.0.join("target/release").join(&package), self.0.join(&package).join("stripped"));
        let status = Command::new("strip").arg("-o").args([&stripped, &built]).status().unwrap();
        assert!(status.success(), "strip is one of the binutils");
        Built { bytes: fs::metadata(stripped).unwrap().len() as f64, seconds }
    }

    /// The user time in seconds of a rebuild after a change, without optimisation.
    pub(crate) fn rebuild(&self, name: &str) -> f64 {
        let package = named(name, 1);
        self.cargo(&["build", "-p", &package]);
        self.change(&package);
        let before = of_children();
        self.cargo(&["build", "-p", &package]);
        of_children() - before
    }

    fn change(&self, package: &str) {
        let file = fs::File::options().append(true).open(self.main(package)).unwrap();
        file.set_modified(SystemTime::now()).unwrap();
    }
}

fn named(name: &str, kinds: usize) -> String {
    format!("{name}-{kinds}")
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
