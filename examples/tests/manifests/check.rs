//! Folders: writing them, and comparing them with the program.

use std::fs;

use crate::printed::{Example, documents};

const IMAGE: [&str; 2] = ["--image", "registry.example/operator:1.0.0"];

/// Writes a folder, and returns its path.
fn written(example: Example, args: &[&str]) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deploy").display().to_string();
    assert_eq!(example.printed(&[&IMAGE[..], &["--out", &path], args].concat()), "");
    (folder, path)
}

#[test]
fn a_folder_is_compared_without_its_flags() {
    for layout in ["yaml", "kustomize", "helm"] {
        for example in Example::ALL {
            let flags = ["--output", layout, "--replicas", "2", "--concurrency=4", "--watch-namespace", "a,b"];
            let (_folder, path) = written(example, &flags);
            assert_eq!(example.printed(&["--check", &path]), "", "{layout}");
        }
    }
}

#[test]
fn an_edited_folder_differs() {
    let (_folder, path) = written(Example::Hello, &["--replicas", "2"]);
    let file = format!("{path}/workload.yaml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("replicas: 2", "replicas: 3")).unwrap();
    let output = Example::Hello.run(&["--check", &path]);
    assert_eq!(output.status.code(), Some(1));
    let (diff, error) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(diff.contains("-  replicas: 3\n+  replicas: 2\n"), "{diff}");
    assert!(
        error.contains(&format!("{path} is not what this program writes")) && error.contains("`.manifests(..)`"),
        "{error}"
    );
    Example::Hello.printed(&[&IMAGE[..], &["--replicas", "2", "--out", &path]].concat());
    Example::Hello.printed(&["--check", &path]);
}

#[test]
fn a_folder_of_another_program_differs() {
    let (_folder, path) = written(Example::Hello, &[]);
    let output = Example::Component.run(&["--check", &path]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stdout).unwrap().contains("-  name: greetings.demo.evenkeel.dev"));
}

#[test]
fn a_comparison_has_no_further_flags_and_needs_a_record() {
    let (_folder, path) = written(Example::Hello, &[]);
    let text = Example::Hello.refused(&["--check", &path, "--replicas", "3"]);
    assert!(text.contains("`--replicas=3` has no effect on `--check`"), "{text}");
    fs::write(format!("{path}/generated.json"), r#"{ "arguments": ["--gone=1"], "files": [] }"#).unwrap();
    let text = Example::Hello.refused(&["--check", &path]);
    assert!(text.contains("flags that this program does not accept") && text.contains("--gone"), "{text}");
    fs::remove_file(format!("{path}/generated.json")).unwrap();
    assert!(Example::Hello.refused(&["--check", &path]).contains("`manifests --out`"));
}

#[test]
fn each_part_is_a_file_of_its_own() {
    let (_folder, path) = written(Example::App, &["--replicas", "2", "--certs", "cert-manager"]);
    let mut files: Vec<String> =
        fs::read_dir(&path).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    files.sort();
    let expected = [
        "alerts.yaml",
        "certificates.yaml",
        "crds.yaml",
        "dashboard.yaml",
        "flow-control.yaml",
        "generated.json",
        "monitoring.yaml",
        "namespace.yaml",
        "network.yaml",
        "policies.yaml",
        "rbac.yaml",
        "webhooks.yaml",
        "workload.yaml",
    ];
    assert_eq!(files, expected);
    let rbac = fs::read_to_string(format!("{path}/rbac.yaml")).unwrap();
    let flags = ["--replicas", "2", "--certs", "cert-manager", "--only", "rbac"];
    assert_eq!(documents(&rbac), Example::App.objects(&flags));
}

#[test]
fn a_folder_is_compared_with_the_present_content_of_its_configuration_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("shop.yaml");
    let config = format!("--config={}", file.display());
    fs::write(&file, "concurrency: 4\nnamespace: [team-a, team-b]\nreplicas: true\n").unwrap();
    for layout in ["yaml", "kustomize", "helm"] {
        let (_folder, path) = written(Example::Hello, &[&config, "--output", layout]);
        assert_eq!(Example::Hello.printed(&["--check", &path]), "", "{layout}");
    }
    let (_folder, path) = written(Example::Hello, &[&config]);
    fs::write(&file, "concurrency: 8\nnamespace: [team-a]\nreplicas: true\n").unwrap();
    let output = Example::Hello.run(&["--check", &path]);
    assert_eq!(output.status.code(), Some(1));
    let diff = String::from_utf8(output.stdout).unwrap();
    assert!(diff.contains("+    concurrency: 8") && diff.contains("-  namespace: team-b"), "{diff}");
}
