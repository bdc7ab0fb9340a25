//! The small examples run once: on the in-process server, and on the real ones where they are available.
#![allow(missing_docs, reason = "a test")]
#![allow(clippy::unwrap_used, reason = "a test may")]

use std::path::PathBuf;
use std::process::Command;

/// The in-process server, and the kubeconfigs of the real ones.
fn servers() -> Vec<Option<PathBuf>> {
    let folder = std::env::var_os("EVENKEEL_REAL_APISERVER").map(PathBuf::from);
    let real = folder.iter().flat_map(|folder| ["kubeconfig", "kubeconfig-modern"].map(|file| folder.join(file)));
    std::iter::once(None).chain(real.map(Some)).collect()
}

/// Runs the example on each server, and checks what it prints.
fn runs(program: &str, wanted: &str) {
    for kubeconfig in servers() {
        let mut command = Command::new(program);
        command.arg("--once");
        if let Some(file) = &kubeconfig {
            command.arg("--kubeconfig").arg(file);
        }
        let output = command.output().unwrap();
        let printed = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && printed.trim_end() == wanted, "{kubeconfig:?}: {output:?}");
    }
}

#[test]
fn the_labeller_labels_a_namespace() {
    let wanted = "namespace prod-shop has the label demo.evenkeel.dev/tier=production";
    runs(env!("CARGO_BIN_EXE_labeller"), wanted);
}

#[test]
fn the_quotas_limit_a_namespace() {
    runs(env!("CARGO_BIN_EXE_quotas"), "namespace shop may run 50 pods");
}

#[test]
fn the_reaper_deletes_a_pod() {
    runs(env!("CARGO_BIN_EXE_reaper"), "pod done was deleted");
}

#[test]
fn the_recorder_records_a_change_of_the_kind_that_a_flag_names() {
    runs(env!("CARGO_BIN_EXE_recorder"), "recorded has changed");
}

#[test]
fn the_follower_records_a_change_that_its_daemon_reports() {
    runs(env!("CARGO_BIN_EXE_follower"), "recorded 21 degrees");
}

#[test]
fn the_copier_copies_a_secret_into_another_namespace() {
    runs(env!("CARGO_BIN_EXE_copier"), "secret login was copied to the namespace copies");
}

#[test]
fn the_recorder_names_the_flag_of_an_unknown_kind() {
    let output = Command::new(env!("CARGO_BIN_EXE_recorder")).args(["--once", "--kind", "apps/v1/Deploymnt"]).output();
    let output = output.unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && error.contains("the kind was not found"), "{error}");
    assert!(error.contains("for example `--kind apps/v1/Deployment`"), "{error}");
}

/// Runs the story of the component on each server.
#[test]
fn the_component_deletes_its_objects_at_the_end() {
    for kubeconfig in servers() {
        let mut command = Command::new(env!("CARGO_BIN_EXE_component"));
        command.args(["--once", "--without-nodes"]);
        command.args(kubeconfig.iter().flat_map(|file| ["--kubeconfig".into(), file.clone().into_os_string()]));
        let output = command.output().unwrap();
        let printed = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && printed.ends_with("nothing is left\n"), "{kubeconfig:?}: {output:?}");
        let belongs = "ConfigMap default/main-banner belongs to the Helm release old-shop";
        assert!(printed.contains(belongs) && printed.contains("wave 2   Promotion main-summer"), "{printed}");
    }
}

#[test]
fn the_component_renders_a_shop_without_a_server() {
    let folder = env!("CARGO_MANIFEST_DIR");
    let render = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_component"));
        // Nothing of the environment leads to a server.
        command.arg("render").args(arguments).env("KUBECONFIG", "/nowhere").output().unwrap()
    };
    let output = render(&["--object", &format!("{folder}/src/bin/component/shop.yaml")]);
    let wanted = std::fs::read_to_string(format!("{folder}/reference/component/shop.yaml")).unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), wanted);
    let missing = render(&["--object", "nowhere.yaml"]);
    let error = String::from_utf8_lossy(&missing.stderr);
    assert_eq!(missing.status.code(), Some(1), "{missing:?}");
    assert!(error.contains("nowhere.yaml cannot be read") && missing.stdout.is_empty(), "{missing:?}");
}

/// Runs the copier with this configuration file.
fn copier(text: &str, args: &[&str]) -> (bool, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("copier.yaml");
    std::fs::write(&file, text).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_copier"));
    let output = command.args(args).arg("--config").arg(&file).env_remove("KUBECONFIG").output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.success(), text(output.stdout), text(output.stderr))
}

#[test]
fn the_copier_has_settings_in_a_file_that_its_manifests_mount() {
    let manifests = ["manifests", "--image", "registry.example/copier:1.0.0"];
    let (succeeded, printed, error) = copier("settings: {labels: {team: web}}\n", &manifests);
    assert!(succeeded && printed.contains("settings: {labels: {team: web}}"), "{printed}{error}");
    assert!(printed.contains("--config=/etc/evenkeel/config.yaml"), "{printed}");
    let (succeeded, _, error) = copier("settings:\n  lables: {team: web}\n", &manifests);
    assert!(!succeeded && error.contains("copier.yaml:2:3: unknown field `settings.lables`"), "{error}");
}
