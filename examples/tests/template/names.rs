//! Names of projects, groups and kinds: which ones work, and what reports the others.

use std::collections::BTreeMap;
use std::process::Command;

use evenkeel::Operator;
use evenkeel::manifests::{ManifestOptions, Part};
use evenkeel_testkit::Cluster;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::PostParams;
use kube::{Api, CustomResourceExt};
use regex::Regex;

use crate::api::DNSZone;
use crate::reconcile;
use crate::rendering::{ACRONYM, PROJECTS, Project, template};

/// The rules by which `cargo generate` checks the answers.
fn rules() -> BTreeMap<String, Regex> {
    let questions = template("cargo-generate.toml");
    let tables = questions.split("[placeholders.").skip(1).map(|table| {
        let (name, rest) = table.split_once(']').unwrap();
        let rule = rest.split("\nregex = '").nth(1).unwrap().split('\'').next().unwrap();
        (name.to_owned(), Regex::new(rule).unwrap())
    });
    tables.collect()
}

#[test]
fn the_rules_admit_the_projects_and_nothing_invalid() {
    let rules = rules();
    assert_eq!(rules.keys().collect::<Vec<_>>(), ["group", "kind"]);
    for Project { group, kind, .. } in PROJECTS {
        assert!(rules["group"].is_match(group) && rules["kind"].is_match(kind), "{group} {kind}");
    }
    for kind in ["Type", "Async", "Cluster", "Operator", "DNSZone", "S3Bucket", "X509", &"K".repeat(59)] {
        assert!(rules["kind"].is_match(kind), "{kind}");
    }
    let long = "K".repeat(60);
    for kind in
        ["", "K", "type", "dnsZone", "DNS-Zone", "DNS_Zone", "3S", "DNS Zone", "Zoné", "Zone\n", "{{kind}}", &long]
    {
        assert!(!rules["kind"].is_match(kind), "{kind}");
    }
    let label = "g".repeat(63);
    for group in ["example.com", "a.b", "3.example.com", "dns.team-a.example.com", &format!("{label}.com")] {
        assert!(rules["group"].is_match(group), "{group}");
    }
    let long = format!("{label}g.com");
    let invalid = ["", "dns", "Example.com", "example.com.", ".com", "a..b", "-a.com", "a-.com", "a_b.com", "a/b.com"];
    for group in invalid.into_iter().chain(["example.com\n", "*.example.com", "exämple.com", &long]) {
        assert!(!rules["group"].is_match(group), "{group}");
    }
}

/// The CRD of the committed project, for another kind and group. Kinds that end in `y` or `s` have the longest plurals.
fn crd(kind: &str, group: &str) -> CustomResourceDefinition {
    let mut crd = DNSZone::crd();
    let singular = kind.to_ascii_lowercase();
    let plural = format!("{singular}es");
    crd.metadata.name = Some(format!("{plural}.{group}"));
    crd.spec.group = group.to_owned();
    crd.spec.names.kind = kind.to_owned();
    crd.spec.names.list_kind = Some(format!("{kind}List"));
    crd.spec.names.singular = Some(singular);
    crd.spec.names.plural = plural;
    crd
}

#[tokio::test(start_paused = true)]
async fn the_limits_of_the_rules_are_those_of_the_api_server() {
    let rules = rules();
    let label = "g".repeat(63);
    let crds: Api<CustomResourceDefinition> = Api::all(Cluster::start().await.client());
    let pairs = [
        ("K".repeat(59), "example.com".to_owned()),
        ("K".repeat(60), "example.com".to_owned()),
        ("Zone".to_owned(), format!("{label}.com")),
        ("Zone".to_owned(), "example".to_owned()),
        ("Zone".to_owned(), "Example.com".to_owned()),
        ("DNS-Zone".to_owned(), "example.com".to_owned()),
    ];
    for (kind, group) in pairs.into_iter().chain(PROJECTS.map(|project| (project.kind.into(), project.group.into()))) {
        let stored = crds.create(&PostParams::default(), &crd(&kind, &group)).await;
        // An API server admits a dash in a kind; Rust does not.
        let is_identifier = !kind.contains('-');
        let is_admitted = rules["kind"].is_match(&kind) && rules["group"].is_match(&group);
        assert_eq!(stored.is_ok() && is_identifier, is_admitted, "{kind} in {group}: {:?}", stored.err());
    }
}

/// What cargo reports about a project with this name; empty: nothing.
fn cargo(name: &'static str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let project = Project { name, ..ACRONYM };
    let manifest = project.write(folder.path()).join("Cargo.toml");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--no-deps", "--offline", "--format-version", "1", "--manifest-path"]).arg(manifest);
    let output = cargo.output().unwrap();
    if output.status.success() { String::new() } else { String::from_utf8(output.stderr).unwrap() }
}

/// What the framework reports about an operator with this name; empty: nothing.
fn evenkeel(name: &str) -> String {
    let options = ManifestOptions::new("registry.example/operator:1", "operators");
    let set = Operator::new(name).reconciler::<reconcile>(()).manifest_set(&options);
    set.err().map(|error| error.to_string()).unwrap_or_default()
}

#[test]
fn the_operator_of_the_project_prints_its_manifests() {
    let options = ManifestOptions::new("registry.example/operator:1", "operators");
    let set = crate::operator().manifest_set(&options).unwrap();
    let printed = set.text(&Part::ALL).unwrap();
    let Project { name, group, kind } = ACRONYM;
    let lines = [format!("  name: {name}"), format!("  group: {group}"), format!("    kind: {kind}")];
    for line in lines.iter().map(String::as_str).chain(["    plural: dnszones", "  name: dnszones.dns.example.com"]) {
        assert!(printed.lines().any(|printed| printed == line), "no line `{line}` in\n{printed}");
    }
}

#[test]
fn names_of_crates_and_keywords_are_fine_for_a_project() {
    let names = ["type", "async", "self", "test", "serde", "kube", "evenkeel", "deps", "build", "x", "a-1-b"];
    for name in names.into_iter().chain(PROJECTS.map(|project| project.name)) {
        assert_eq!((cargo(name), evenkeel(name)), (String::new(), String::new()), "{name}");
    }
}

#[test]
fn a_name_that_does_not_work_is_reported_in_a_sentence() {
    let by_cargo =
        [("9lives", "invalid character `9` in package name"), ("a b", "invalid character ` `"), ("", "empty")];
    for (name, sentence) in by_cargo {
        let report = cargo(name);
        assert!(report.contains(sentence), "{name}: {report}");
    }
    let long = "x".repeat(63);
    let by_evenkeel = [
        ("my_operator", "`my_operator` cannot be the name of an operator"),
        ("My-Operator", "`My-Operator` cannot be the name of an operator"),
        ("a-", "`a-` cannot be the name of an operator"),
        (&*long, "use up to 54 characters"),
    ];
    for (name, sentence) in by_evenkeel {
        let report = evenkeel(name);
        assert!(report.contains(sentence), "{name}: {report}");
    }
    assert_eq!(evenkeel(&"x".repeat(54)), "");
}
