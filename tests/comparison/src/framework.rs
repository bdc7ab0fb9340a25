//! The four frameworks: their files, and how each operator is built and started.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Result;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framework {
    Evenkeel,
    Kube,
    ControllerRuntime,
    Kopf,
}

impl Framework {
    pub const ALL: [Self; 4] = [Self::Evenkeel, Self::Kube, Self::ControllerRuntime, Self::Kopf];

    /// The name in the table and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Evenkeel => "evenkeel",
            Self::Kube => "kube-rs",
            Self::ControllerRuntime => "controller-runtime",
            Self::Kopf => "kopf",
        }
    }

    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|framework| framework.name() == name)
    }

    /// The files of its operator that count, in the folder of this crate.
    #[must_use]
    pub fn files(self) -> &'static [&'static str] {
        match self {
            Self::Evenkeel => &["evenkeel/main.rs"],
            Self::Kube => &["kube/main.rs"],
            Self::ControllerRuntime => &[
                "controller_runtime/main.go",
                "controller_runtime/bucket_types.go",
                "controller_runtime/bucket_controller.go",
            ],
            Self::Kopf => &["kopf/bucket.py"],
        }
    }

    /// Builds its operator, or installs its libraries. The error is the reason why the framework is left out.
    pub fn prepare(self) -> Result<()> {
        match self {
            Self::Evenkeel | Self::Kube => build_with_cargo(),
            Self::ControllerRuntime => build_with_go(),
            Self::Kopf => install_kopf(),
        }
    }

    /// The command that starts its operator.
    pub fn command(self) -> Result<Command> {
        Ok(match self {
            Self::Evenkeel => Command::new(beside_this_program("bucket-evenkeel")?),
            Self::Kube => Command::new(beside_this_program("bucket-kube")?),
            Self::ControllerRuntime => Command::new(cache()?.join("bucket-controller-runtime")),
            Self::Kopf => {
                let mut command = Command::new(cache()?.join("kopf/bin/kopf"));
                let folder = folder().join("kopf");
                command.args(["run", "--standalone", "--all-namespaces"]).arg(folder.join("bucket.py"));
                command.env("PYTHONPATH", folder).env("PYTHONDONTWRITEBYTECODE", "1");
                command
            }
        })
    }
}

/// The folder of this crate.
#[must_use]
pub fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The folder for what is built or installed outside of the target folder of Cargo.
fn cache() -> Result<PathBuf> {
    let base = env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let base = base.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cache")));
    let folder = base.ok_or("neither XDG_CACHE_HOME nor HOME is set")?.join("evenkeel-comparison");
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

fn beside_this_program(name: &str) -> Result<PathBuf> {
    let folder = env::current_exe()?;
    let mut folder = folder.parent().ok_or("this program has no folder")?;
    // The programs of tests are one folder below.
    if folder.ends_with("deps") {
        folder = folder.parent().ok_or("this program has no folder")?;
    }
    Ok(folder.join(name))
}

fn run(command: &mut Command) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("cannot run {program}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let line = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("no output").to_owned();
    Err(format!("{program} failed: {line}").into())
}

/// `cargo run` builds one program of a package only.
fn build_with_cargo() -> Result<()> {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(folder()).args(["build", "--quiet", "--bins", "--package", "evenkeel-comparison"]);
    if !cfg!(debug_assertions) {
        command.arg("--release");
    }
    run(&mut command)
}

/// The modules come from where the environment of Go has them: without `GOFLAGS`, `go build` may complete go.mod and go.sum.
fn build_with_go() -> Result<()> {
    let mut command = Command::new("go");
    command.current_dir(folder().join("controller_runtime"));
    if env::var_os("GOFLAGS").is_none() {
        command.env("GOFLAGS", "-mod=mod");
    }
    run(command.args(["build", "-o"]).arg(cache()?.join("bucket-controller-runtime")).arg("."))
}

fn install_kopf() -> Result<()> {
    let venv = cache()?.join("kopf");
    let requirements = folder().join("kopf/requirements.txt");
    if !venv.join("bin/kopf").exists() {
        run(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
    }
    run(Command::new(venv.join("bin/pip")).args(["install", "--quiet", "--requirement"]).arg(requirements))
}

/// Reads a file of this crate.
pub fn read(file: &str) -> Result<String> {
    Ok(std::fs::read_to_string(folder().join(Path::new(file)))?)
}
