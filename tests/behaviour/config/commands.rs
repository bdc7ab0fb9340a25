//! `doctor` checks the file, and `manifests` mounts it.

use evenkeel::manifests::{ManifestOptions, ManifestSet};

use super::*;

async fn doctor(file: &File) -> (u8, String) {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    let settings = Live::<Settings>::default();
    let operator = world.prepare::<greeter>((settings.clone(), Lab::at("a"))).settings(&settings);
    let mut line = file.line(&[]);
    line.push("doctor".to_owned());
    let operator = operator.configured_by(line).await.unwrap();
    let mut out = Vec::new();
    let code = operator.cluster_command(["doctor"], &mut out).await.unwrap();
    (code, String::from_utf8(out).unwrap())
}

#[tokio::test]
async fn doctor_reports_the_file_with_line_and_column() {
    let file = File::with("settings: {greeting: Hello}\n");
    let (code, text) = doctor(&file).await;
    assert!(code == 0 && text.contains("config.yaml is valid"), "{text}");
    file.write("settings:\n  greting: Hello\n");
    let (code, text) = doctor(&file).await;
    let expected = "config.yaml:2:3: unknown field `settings.greting`\n        help: remove it";
    assert!(code == 1 && text.contains("FAIL") && text.contains(expected), "{text}");
}

/// The manifests of an operator with this file.
async fn manifests(file: &File) -> ManifestSet {
    let settings = Live::<Settings>::default();
    let operator = Operator::new("shop").reconciler::<greeter>((settings.clone(), Lab::at("a"))).settings(&settings);
    let operator = operator.configured_by(file.line(&[])).await.unwrap();
    operator.manifest_set(&ManifestOptions::new("ghcr.io/example/shop:1", "shops")).unwrap()
}

#[tokio::test]
async fn manifests_mount_the_file_and_restart_the_pods_only_if_needed() {
    let checksum = async |text: &str| {
        let set = serde_json::to_value(manifests(&File::with(text)).await.deployment).unwrap();
        set["spec"]["template"]["metadata"]["annotations"]["evenkeel.dev/config"].clone()
    };
    let text = "totalConcurrency: 4\nlog: debug\nsettings: {greeting: Hello}\n";
    let set = manifests(&File::with(text)).await;
    let config = serde_json::to_value(set.config_map.unwrap()).unwrap();
    assert_eq!(
        (&config["metadata"]["name"], &config["data"]),
        (&json!("shop-config"), &json!({ "config.yaml": text }))
    );
    let pod = serde_json::to_value(&set.deployment).unwrap()["spec"]["template"]["spec"].clone();
    assert_eq!(pod["volumes"], json!([{ "name": "config", "configMap": { "name": "shop-config" } }]));
    let container = &pod["containers"][0];
    let mount = json!([{ "name": "config", "mountPath": "/etc/evenkeel", "readOnly": true }]);
    assert_eq!(container["volumeMounts"], mount);
    let arguments = container["args"].as_array().unwrap();
    assert!(arguments.contains(&json!("--config=/etc/evenkeel/config.yaml")), "{arguments:?}");
    let before = checksum(text).await;
    assert!(before.is_string(), "{before}");
    assert_eq!(checksum("totalConcurrency: 4\nlog: info\nsettings: {greeting: Hi}\n").await, before);
    assert_ne!(checksum("totalConcurrency: 5\nlog: debug\nsettings: {greeting: Hello}\n").await, before);
}

#[tokio::test]
async fn without_a_file_the_manifests_have_no_config_map() {
    let set = Operator::new("shop").reconciler::<greeter>((Live::default(), Lab::at("a")));
    let set = set.manifest_set(&ManifestOptions::new("ghcr.io/example/shop:1", "shops")).unwrap();
    let deployment = serde_json::to_value(&set.deployment).unwrap().to_string();
    assert!(set.config_map.is_none() && !deployment.contains("config"), "{deployment}");
}
