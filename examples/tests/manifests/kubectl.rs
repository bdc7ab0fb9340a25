//! What kubectl makes of the output, if it is installed.

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::Value;

use crate::printed::{Example, documents, id};

const IMAGE: [&str; 2] = ["--image", "registry.example/operator:1.0.0"];

/// What kubectl prints; `None`, with a visible line, if it is not installed.
fn kubectl(args: &[&str]) -> Option<String> {
    let Ok(output) = Command::new("kubectl").args(args).output() else {
        eprintln!("SKIPPED: there is no kubectl on the path");
        return None;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap())
}

fn by_id(objects: Vec<Value>) -> BTreeMap<(String, String, String, String), Value> {
    objects.into_iter().map(|object| (id(&object), with_integers(object))).collect()
}

/// kustomize writes `1.0`, the minimum of a schema, as `1`.
fn with_integers(value: Value) -> Value {
    match value {
        Value::Number(number) => match number.as_f64() {
            Some(float) if float.fract() == 0.0 && float.abs() < 1e15 => {
                format!("{float:.0}").parse::<i64>().unwrap().into()
            }
            _ => Value::Number(number),
        },
        Value::Array(items) => items.into_iter().map(with_integers).collect(),
        Value::Object(fields) => fields.into_iter().map(|(key, value)| (key, with_integers(value))).collect(),
        other => other,
    }
}

#[test]
fn kustomize_makes_the_plain_objects_of_a_base() {
    for example in Example::ALL {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().display().to_string();
        example.printed(&[&IMAGE[..], &["--replicas", "2", "--out", &path, "--output", "kustomize"]].concat());
        let Some(base) = kubectl(&["kustomize", &format!("{path}/base")]) else { return };
        assert_eq!(by_id(documents(&base)), by_id(example.objects(&["--replicas", "2"])), "{example:?}");
        let Some(overlay) = kubectl(&["kustomize", &format!("{path}/overlays/example")]) else { return };
        assert_eq!(by_id(documents(&overlay)), by_id(example.all_objects()), "{example:?}: all components are on");
    }
}

/// The 1.36 server checks the content of CRDs, policies and webhook configurations. Nothing is stored.
#[test]
fn kubectl_applies_the_output_to_kubernetes_1_36() {
    let Some(folder) = evenkeel_tests::test_env::servers() else { return };
    let kubeconfig = folder.join("kubeconfig-modern").display().to_string();
    for example in Example::ALL {
        // A namespace that is not stored has no objects.
        let args = ["--replicas", "2", "--namespace", "default", "--no-namespace"];
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), example.printed(&[&IMAGE[..], &args].concat())).unwrap();
        let path = file.path().display().to_string();
        let apply = ["--kubeconfig", &kubeconfig, "apply", "--server-side", "--dry-run=server", "-f", &path];
        let Some(text) = kubectl(&apply) else { return };
        let count = text.lines().filter(|line| line.ends_with("serverside-applied (server dry run)")).count();
        assert_eq!(count, example.objects(&args).len(), "{text}");
    }
}
