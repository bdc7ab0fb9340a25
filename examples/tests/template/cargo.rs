//! With `EVENKEEL_TEMPLATE=all`, cargo checks, tests and runs three projects, as a user and the workflow of CI do.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::rendering::{PROJECTS, Project, root};

/// Runs a command of cargo without a network in a folder, and returns what it prints.
fn run(folder: &Path, command: &str) -> Result<String, String> {
    let mut bash = Command::new("bash");
    // One build of the dependencies for all projects.
    bash.env("CARGO_TARGET_DIR", concat!(env!("CARGO_TARGET_TMPDIR"), "/template")).env("CARGO_NET_OFFLINE", "true");
    // Debug information would be most of what it stores.
    bash.env("CARGO_PROFILE_DEV_DEBUG", "false").env("CARGO_INCREMENTAL", "0");
    bash.env("CARGO_TERM_COLOR", "never").env_remove("KUBECONFIG");
    let output = bash.args(["-euc", command]).current_dir(folder).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let printed = text(output.stdout);
    if output.status.success() { Ok(printed) } else { Err(format!("{command}\n{printed}{}", text(output.stderr))) }
}

fn check(project: Project, folder: &Path) -> Result<(), String> {
    run(folder, "cargo fmt && cargo generate-lockfile")?;
    let program = |args: &str| run(folder, &format!("cargo run --quiet --locked -- {args}"));
    let manifests = program("manifests --image registry.example/operator:1 --replicas 2")?;
    for line in [format!("  name: {}", project.name), format!("    kind: {}", project.kind)] {
        assert!(manifests.lines().any(|printed| printed == line), "no line `{line}` in {manifests}");
    }
    for command in ["docs", "rbac", "crds", "alerts", "dashboard"] {
        assert!(!program(command)?.is_empty(), "{command}");
    }
    program("manifests --image registry.example/operator:1 --replicas 2 --out deploy")?;
    program("contract >contract.json")?;
    let workflow = fs::read_to_string(folder.join(".github/workflows/ci.yaml")).unwrap();
    let steps: Vec<&str> = workflow.lines().filter_map(|line| line.trim_start().strip_prefix("- run: ")).collect();
    assert_eq!(steps.len(), 5, "{workflow}");
    for step in steps {
        let printed = run(folder, step)?;
        assert!(!step.starts_with("cargo test") || printed.contains("3 passed"), "{printed}");
    }
    Ok(())
}

#[test]
fn cargo_checks_tests_and_runs_three_projects() {
    if std::env::var_os("EVENKEEL_TEMPLATE").is_none_or(|form| form != "all") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(root(), folder.path().join("evenkeel")).unwrap();
    for project in PROJECTS {
        let checked = check(project, &project.write(folder.path()));
        checked.unwrap_or_else(|report| panic!("{project:?}: {report}"));
    }
}
