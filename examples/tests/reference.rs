//! Output of the command line of an operator without running it, as committed files.
#![allow(missing_docs, dead_code, unreachable_pub, reason = "the operator is a program")]
#![allow(clippy::unwrap_used, reason = "a test may")]

#[path = "../src/bin/hello.rs"]
mod hello;

use std::process::{Command, Output};

use evenkeel::Operator;
use evenkeel_testkit::assert_generated;
use evenkeel_tests::printed as without_cli;

fn hello(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_hello")).args(args).env_remove("KUBECONFIG").output().unwrap()
}

fn printed(args: &[&str]) -> String {
    let output = hello(args);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_reference_of_hello_matches_its_command_line() {
    let reference = |name: &str| format!("{}/reference/hello/{name}", env!("CARGO_MANIFEST_DIR"));
    assert_generated(reference("crds.yaml"), &printed(&["crds"]));
    assert_generated(reference("wiring.mmd"), &printed(&["wiring"]));
    assert_generated(reference("docs.md"), &printed(&["docs"]));
    assert_generated(reference("contract.json"), &printed(&["contract"]));
    assert_generated(reference("rbac.txt"), &printed(&["rbac"]));
    assert_generated(reference("rbac.yaml"), &printed(&["rbac", "--output", "yaml"]));
}

#[test]
fn the_reference_without_a_command_line_has_the_same_format() {
    let operator = Operator::new("greeter").reconciler::<hello::greeting>(());
    assert_eq!(without_cli::crds(&operator), printed(&["crds"]));
    assert_eq!(without_cli::rbac(&operator), printed(&["rbac", "--output", "yaml"]));
}

#[test]
fn the_contract_of_hello_is_unchanged() {
    let stored = std::fs::read_to_string(format!("{}/reference/hello/contract.json", env!("CARGO_MANIFEST_DIR")));
    let stored = evenkeel::introspection::Contract::parse(&stored.unwrap()).unwrap();
    let next = evenkeel::introspection::Contract::parse(&printed(&["contract"])).unwrap();
    assert_eq!(stored.compare(&next), []);
}

#[test]
fn a_contract_is_compared_with_that_of_an_earlier_version() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("contract.json");
    let path = file.to_str().unwrap();
    std::fs::write(&file, printed(&["contract"])).unwrap();
    assert_eq!(printed(&["contract", "--check", path]), "");
    let stored = std::fs::read_to_string(&file).unwrap();
    // The earlier version had a field, a flag and a wider limit that this one lacks.
    let before = stored.replacen("\"spec.name\":", "\"spec.title\": { \"type\": \"string\" },\n\"spec.name\":", 1);
    let before = before.replacen("\"--listen\":", "\"--gone\": \"\",\n\"--listen\":", 1);
    assert_eq!(before.lines().count(), stored.lines().count() + 2, "{stored}");
    std::fs::write(&file, before).unwrap();
    let refused = hello(&["contract", "--check", path]);
    assert_eq!(refused.status.code(), Some(1));
    let text = String::from_utf8(refused.stdout).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 2, "{text}");
    assert!(lines[0].starts_with("major: removed: command line --gone; keep it"), "{text}");
    assert!(lines[1].starts_with("major: removed: field spec.title of greetings.demo.evenkeel.dev/v1; keep"), "{text}");
    assert!(String::from_utf8(refused.stderr).unwrap().contains("2 changes of a higher level than minor"));
    assert_eq!(printed(&["contract", "--check", path, "--allow", "major"]), text);
    std::fs::write(&file, "kind: Greeting").unwrap();
    let refused = hello(&["contract", "--check", path]);
    let text = String::from_utf8(refused.stderr).unwrap();
    assert!(refused.status.code() == Some(1) && text.contains("contract.json is no contract"), "{text}");
}

#[test]
fn help_lists_every_command_and_unknown_ones_fail() {
    let help = printed(&["--help"]);
    for command in ["run", "crds", "wiring", "docs", "contract", "rbac"] {
        assert!(help.lines().any(|line| line.trim_start().starts_with(&format!("{command} "))), "{command} in {help}");
    }
    let refused = hello(&["wirings"]);
    assert!(!refused.status.success());
    assert!(String::from_utf8_lossy(&refused.stderr).contains("'wiring'"), "{refused:?}");
}

#[test]
fn a_feature_gate_of_a_program_without_gates_is_unknown() {
    assert!(!printed(&["--help"]).contains("--feature-gates"));
    let refused = hello(&["--feature-gates", "Fast=true"]);
    assert!(!refused.status.success());
    let error = String::from_utf8_lossy(&refused.stderr);
    assert!(error.contains("`Fast` is unknown") && error.contains("declares no feature gates"), "{error}");
}

#[test]
fn each_flag_has_a_variable_and_a_wrong_value_names_it() {
    let help = printed(&["--help"]);
    let flags: Vec<&str> = help.lines().map(str::trim_start).filter(|line| line.contains("--")).collect();
    let flags = flags.into_iter().filter(|line| line.starts_with('-') && !line.contains("--help"));
    let names = flags.map(|line| line[line.find("--").unwrap() + 2..].split([' ', '.']).next().unwrap());
    // KUBECONFIG is in the text of its flag.
    let own = ["kubeconfig", "log", "operator-namespace", "otlp", "version"];
    let names: Vec<&str> = names.filter(|name| !own.contains(name)).collect();
    assert!(names.len() > 8, "{help}");
    for name in names {
        let variable = format!("[env: EVENKEEL_{}]", name.to_uppercase().replace('-', "_"));
        assert!(help.contains(&variable), "{variable} in {help}");
    }
    let with = |value: &str, args: &[&str]| {
        let mut hello = Command::new(env!("CARGO_BIN_EXE_hello"));
        hello.args(args).env("EVENKEEL_CONCURRENCY", value).env_remove("KUBECONFIG").output().unwrap()
    };
    let refused = with("0", &["docs"]);
    let text = String::from_utf8_lossy(&refused.stderr);
    assert!(
        !refused.status.success() && text.contains("--concurrency") && text.contains("EVENKEEL_CONCURRENCY"),
        "{text}"
    );
    let refused = with("4", &["docs", "--concurrency", "0"]);
    let text = String::from_utf8_lossy(&refused.stderr);
    assert!(
        !refused.status.success() && !text.contains("EVENKEEL_CONCURRENCY"),
        "the flag has the wrong value: {text}"
    );
    for args in [["--concurrency=4", "docs"], ["docs", "--concurrency=4"]] {
        assert!(with("0", &args).status.success(), "the flag wins: {args:?}");
    }
    assert!(with("", &["docs"]).status.success(), "an empty variable counts as unset");
}
