//! The chart, rendered by a small part of Helm's language: values, `with`, `if`, `toYaml` and `nindent`.

use std::fs;

use serde_json::{Value, json};

use crate::printed::{Example, documents, find, id};

const IMAGE: [&str; 2] = ["--image", "registry.example/operator:1.0.0"];

/// The templates, in the order of their application.
const PARTS: [&str; 11] = [
    "crds",
    "rbac",
    "certificates",
    "workload",
    "policies",
    "webhooks",
    "flow-control",
    "network",
    "monitoring",
    "alerts",
    "dashboard",
];

/// A chart on disk.
struct Chart {
    folder: tempfile::TempDir,
    values: Value,
}

impl Chart {
    fn of(example: Example, args: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().display().to_string();
        example.printed(&[&IMAGE[..], &["--out", &path, "--output", "helm"], args].concat());
        let values = serde_saphyr::from_str(&fs::read_to_string(folder.path().join("values.yaml")).unwrap()).unwrap();
        Self { folder, values }
    }

    fn file(&self, name: &str) -> String {
        fs::read_to_string(self.folder.path().join(name)).unwrap()
    }

    /// The objects of a release in this namespace.
    fn objects(&self, namespace: &str) -> Vec<Value> {
        let names = PARTS.map(|part| format!("templates/{part}.yaml"));
        let there = names.iter().filter(|name| self.folder.path().join(name).exists());
        there.flat_map(|name| documents(&render(&self.file(name), &self.values, namespace))).collect()
    }
}

/// Renders a template. An action that trims the space before it ends the line before.
fn render(template: &str, values: &Value, namespace: &str) -> String {
    let context = Context { values, namespace };
    let mut out = String::new();
    context.block(&mut template.lines().collect::<Vec<_>>().into_iter(), None, true, &mut out);
    out.trim_start_matches('\n').to_owned() + "\n"
}

struct Context<'a> {
    values: &'a Value,
    namespace: &'a str,
}

impl Context<'_> {
    /// Renders the lines up to the end of a block. `dot`: the value of the innermost `with`.
    fn block(&self, lines: &mut std::vec::IntoIter<&str>, dot: Option<&Value>, is_on: bool, out: &mut String) {
        while let Some(line) = lines.next() {
            let action = line.trim().strip_prefix("{{- ").and_then(|rest| rest.strip_suffix(" }}"));
            match action {
                Some("end") => return,
                Some(action) if action.starts_with("with ") => {
                    let value = self.value(&action["with ".len()..]);
                    self.block(lines, Some(value), is_on && !is_empty(value), out);
                }
                Some(action) if action.starts_with("if ") => {
                    let on = self.value(&action["if ".len()..]) == &json!(true);
                    self.block(lines, dot, is_on && on, out);
                }
                Some(action) if is_on => {
                    let indent = action.strip_prefix("toYaml . | nindent ").unwrap_or_else(|| panic!("{action}"));
                    let yaml = serde_saphyr::to_string(dot.expect("`.` is in a `with`")).unwrap();
                    let space = " ".repeat(indent.parse().unwrap());
                    yaml.lines().for_each(|line| *out += &format!("\n{space}{line}"));
                }
                None if is_on => *out += &format!("\n{}", self.line(line)),
                _ => {}
            }
        }
    }

    fn line(&self, line: &str) -> String {
        let mut parts = line.split("{{ ");
        let mut out = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (action, rest) = part.split_once(" }}").unwrap_or_else(|| panic!("an open action in {line}"));
            out += &match action {
                ".Release.Namespace" => self.namespace.to_owned(),
                ".Release.Service" => "Helm".to_owned(),
                r#""{{""# => "{{".to_owned(),
                value => match self.value(value) {
                    Value::String(text) => text.clone(),
                    value => value.to_string(),
                },
            };
            out += rest;
        }
        out
    }

    fn value(&self, path: &str) -> &Value {
        let path = path.strip_prefix(".Values.").unwrap_or_else(|| panic!("{path}"));
        path.split('.').fold(self.values, |value, field| value.get(field).unwrap_or_else(|| panic!("no value {path}")))
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(on) => !on,
        Value::Number(number) => number.as_i64() == Some(0),
    }
}

/// The plain objects in the form of a chart: another manager, and CRDs that stay.
fn as_released(mut object: Value) -> Value {
    object["metadata"]["labels"]["app.kubernetes.io/managed-by"] = json!("Helm");
    if object["kind"] == "CustomResourceDefinition" {
        object["metadata"]["annotations"]["helm.sh/resource-policy"] = json!("keep");
    }
    if object["kind"] == "Deployment" {
        object["spec"]["template"]["metadata"]["labels"]["app.kubernetes.io/managed-by"] = json!("Helm");
    }
    object
}

#[test]
fn a_release_with_default_values_has_the_plain_objects() {
    for example in Example::ALL {
        for namespace in ["released", "007"] {
            let plain = example.objects(&["--replicas", "2", "--namespace", namespace, "--no-namespace"]);
            let plain: Vec<Value> = plain.into_iter().map(as_released).collect();
            let released = Chart::of(example, &["--replicas", "2"]).objects(namespace);
            assert_eq!(released.iter().map(id).collect::<Vec<_>>(), plain.iter().map(id).collect::<Vec<_>>());
            for (released, plain) in released.iter().zip(&plain) {
                assert_eq!(released, plain, "{example:?}");
            }
        }
    }
}

#[test]
fn each_value_fills_its_hole() {
    let mut chart = Chart::of(Example::Hello, &[]);
    let before = find(&chart.objects("a"), "Deployment", "")["spec"].clone();
    let values = [
        ("image", json!("registry.example/other@sha256:0a"), "/template/spec/containers/0/image"),
        ("imagePullSecrets", json!([{ "name": "registry" }]), "/template/spec/imagePullSecrets"),
        ("replicas", json!(5), "/replicas"),
        ("resources", json!({ "requests": { "memory": "1Gi" } }), "/template/spec/containers/0/resources"),
        ("nodeSelector", json!({ "disk": "ssd" }), "/template/spec/nodeSelector"),
        ("tolerations", json!([{ "key": "a", "operator": "Exists" }]), "/template/spec/tolerations"),
        ("affinity", json!({ "nodeAffinity": {} }), "/template/spec/affinity"),
        ("priorityClassName", json!("high"), "/template/spec/priorityClassName"),
    ];
    for (name, value, place) in &values {
        chart.values[*name] = value.clone();
        let after = find(&chart.objects("a"), "Deployment", "")["spec"].clone();
        assert_eq!(after.pointer(place), Some(value), "{name}");
        assert_ne!(before.pointer(place), Some(value), "{name}");
    }
    let more = [
        ("extraArgs", json!(["--concurrency=4"]), "/template/spec/containers/0/args"),
        ("extraEnv", json!([{ "name": "A", "value": "1" }]), "/template/spec/containers/0/env"),
    ];
    for (name, value, place) in more {
        chart.values[name] = value.clone();
        let after = find(&chart.objects("a"), "Deployment", "")["spec"].clone();
        let items = after.pointer(place).unwrap().as_array().unwrap();
        assert_eq!(items.last(), value.get(0), "{name}");
        assert_eq!(items.len(), before.pointer(place).unwrap().as_array().unwrap().len() + 1);
    }
    for (name, place) in [("podLabels", "labels"), ("podAnnotations", "annotations")] {
        chart.values[name] = json!({ "team": "a" });
        let after = find(&chart.objects("a"), "Deployment", "")["spec"]["template"]["metadata"][place].clone();
        assert_eq!(after["team"], "a");
        assert_eq!(
            after.as_object().unwrap().len(),
            before["template"]["metadata"][place].as_object().unwrap().len() + 1
        );
    }
    assert_eq!(chart.values.as_object().unwrap().len(), 12 + 6, "twelve holes, and the files that can be off");
}

#[test]
fn whole_files_are_on_or_off() {
    let mut chart = Chart::of(Example::Hello, &[]);
    let kinds = |chart: &Chart| chart.objects("a").iter().map(|object| id(object).1).collect::<Vec<_>>();
    let switches = [
        ("flowControl", "FlowSchema"),
        ("network", "NetworkPolicy"),
        ("monitoring", "ServiceMonitor"),
        ("crds", "CustomResourceDefinition"),
    ];
    for (name, kind) in switches {
        let is_on = chart.values[name]["enabled"] == true;
        assert_eq!(kinds(&chart).contains(&kind.to_owned()), is_on, "{kind}");
        chart.values[name]["enabled"] = json!(!is_on);
        assert_eq!(kinds(&chart).contains(&kind.to_owned()), !is_on, "{kind}");
    }
}

#[test]
fn a_chart_always_has_a_lease_since_its_values_raise_the_replicas() {
    let chart = Chart::of(Example::Hello, &["--replicas", "1"]);
    assert_eq!(chart.values["replicas"], 1);
    let objects = chart.objects("a");
    assert_eq!(find(&objects, "Role", "-leader-election")["metadata"]["namespace"], "a");
    assert_eq!(find(&objects, "PodDisruptionBudget", "")["kind"], "PodDisruptionBudget");
}

#[test]
fn what_looks_like_an_action_in_a_description_is_text() {
    let rendered = render("a: x{{ \"{{\" }} .y }}\n", &json!({}), "ns");
    assert_eq!(rendered, "a: x{{ .y }}\n");
    let chart = Chart::of(Example::App, &[]);
    let about: Value = serde_saphyr::from_str(&chart.file("Chart.yaml")).unwrap();
    assert_eq!((&about["apiVersion"], &about["name"]), (&json!("v2"), &json!("app")));
    let notes = chart.file("templates/NOTES.txt");
    assert!(notes.contains("helm uninstall app\n") && notes.contains("patch crd sites.app.evenkeel.dev"), "{notes}");
}

/// What `helm lint --strict` checks, without Helm.
#[test]
fn a_chart_has_what_helm_lint_requires() {
    for example in Example::ALL {
        let mut chart = Chart::of(example, &["--replicas", "2"]);
        let about: Value = serde_saphyr::from_str(&chart.file("Chart.yaml")).unwrap();
        let fields = ["apiVersion", "appVersion", "description", "name", "type", "version"];
        assert_eq!(about.as_object().unwrap().keys().collect::<Vec<_>>(), fields);
        assert_eq!((&about["name"], &about["type"]), (&json!(example.operator()), &json!("application")));
        semver::Version::parse(about["version"].as_str().unwrap()).unwrap();
        assert!(about["appVersion"].is_string(), "a number loses its last zeros");

        let (values, mut templates) = (chart.file("values.yaml"), String::new());
        for file in fs::read_dir(chart.folder.path().join("templates")).unwrap() {
            let name = file.unwrap().file_name().into_string().unwrap();
            let is_part = PARTS.iter().any(|part| format!("{part}.yaml") == name);
            assert!(is_part || name == "NOTES.txt", "{name} is rendered here");
            templates += &chart.file(&format!("templates/{name}"));
        }
        let lines: Vec<&str> = values.lines().collect();
        for name in chart.values.as_object().unwrap().keys() {
            let at = lines.iter().position(|line| line.starts_with(&format!("{name}:"))).unwrap();
            assert!(at > 0 && lines[at - 1].starts_with("# "), "{name} has a comment");
            assert!(templates.contains(&format!(".Values.{name}")), "{name} is used");
        }
        let switches = chart.values.as_object_mut().unwrap().values_mut();
        switches.filter_map(|value| value.get_mut("enabled")).for_each(|enabled| *enabled = json!(true));
        for object in chart.objects("released") {
            let (version, kind, _, name) = id(&object);
            let is_fine = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-.:".contains(c);
            assert!(!version.is_empty() && !kind.is_empty() && !name.is_empty() && name.len() <= 253, "{object:#}");
            assert!(name.chars().all(is_fine), "{name}");
        }
    }
}
