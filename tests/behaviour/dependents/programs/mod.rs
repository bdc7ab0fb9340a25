//! Sets from programs. A script stands in for `helm` and `kustomize`, which may not be installed.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use evenkeel::dependents::{Dependents, DependentsError, HelmChart, Kustomization};
use evenkeel::prelude::*;
use evenkeel_tests::on_each_server;
use evenkeel_tests::test_env::{Server, World};
use evenkeel_tests::widget::{condition, is_ready, message};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{CustomResource, CustomResourceExt, KubeSchema, ResourceExt};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tempfile::TempDir;

#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "tests.evenkeel.dev", version = "v1", kind = "Release", namespaced, status = "ReleaseStatus")]
pub(crate) struct ReleaseSpec {
    /// The path of the program.
    program: String,
    /// The folder of the chart or kustomization.
    folder: String,
    /// A value of the chart; without one, the set is a kustomization.
    #[serde(default)]
    value: Option<String>,
}

#[status(dependents)]
pub(crate) struct ReleaseStatus {}

#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub(crate) enum ReleaseCondition {
    /// All objects are as wanted, and ready.
    #[condition(positive)]
    Applied,
}

#[derive(Debug, thiserror::Error, ReconcileError)]
pub(crate) enum ReleaseError {
    #[error(transparent)]
    #[class(transparent)]
    Dependents(#[from] DependentsError),
}

#[sub_reconciler(sets(on::Applied), dependents(kinds("v1/ConfigMap")))]
async fn roll_out(release: &Release, cx: &mut Cx) -> Result<Dependents, ReleaseError> {
    let (folder, name) = (&release.spec.folder, release.name_any());
    let mut wanted = cx.wanted();
    match &release.spec.value {
        Some(value) => {
            let chart = HelmChart::new(folder, &name, &release.namespace().unwrap_or_default());
            // A program that hangs is given up soon; the others end by themselves.
            let limit = Duration::from_secs(if value == "hang" { 1 } else { 60 });
            let chart = chart.kube_version("1.33").values(&json!({ "value": value }));
            wanted.source(chart.command(&release.spec.program).time_limit(limit));
        }
        None => drop(wanted.source(Kustomization::new(folder).command(&release.spec.program))),
    }
    Ok(cx.converge(wanted).await?)
}

#[reconciler(conditions = ReleaseCondition)]
pub(crate) async fn release(release: &Release, cx: &mut Pass<'_>) -> PassResult {
    roll_out(release, cx).await?;
    Ok(())
}

on_each_server!(hooks_of_a_chart_become_waves, a_program_that_fails_is_reported);

fn script() -> String {
    format!("{}/behaviour/dependents/programs/helm", env!("CARGO_MANIFEST_DIR"))
}

/// An empty chart, in a folder for what the script keeps of its runs.
fn chart() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let chart = folder.path().join("chart");
    fs::create_dir(&chart).unwrap();
    (folder, chart)
}

fn lines(folder: &Path, file: &str) -> Vec<String> {
    fs::read_to_string(folder.join(file)).unwrap_or_default().lines().map(ToOwned::to_owned).collect()
}

fn map(name: &str, annotations: &Value) -> String {
    let meta = json!({ "name": name, "annotations": annotations });
    format!("---\n{}\n", json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": meta }))
}

async fn create(world: &World, name: &str, spec: Value) {
    let meta = json!({ "name": name });
    let release = json!({ "apiVersion": "tests.evenkeel.dev/v1", "kind": "Release", "metadata": meta, "spec": spec });
    world.create::<Release>(release).await;
}

async fn hooks_of_a_chart_become_waves(world: World) -> World {
    let (folder, chart) = chart();
    let before =
        map("before", &json!({ "helm.sh/hook": "pre-install", "helm.sh/hook-delete-policy": "hook-succeeded" }));
    let kept = map("kept", &json!({ "helm.sh/resource-policy": "keep" }));
    let tried = map("tried", &json!({ "helm.sh/hook": "test" }));
    fs::write(chart.join("all.yaml"), [before, kept, map("web", &json!({})), tried].concat()).unwrap();
    world.install(&Release::crd()).await;
    let operator = world.operator::<release>(());
    create(&world, "shop", json!({ "program": script(), "folder": chart, "value": "s3cret" })).await;
    world.until::<Release>("shop", "ready", is_ready).await;
    world.until_gone::<ConfigMap>("before").await;
    let maps = world.api::<ConfigMap>();
    assert!(maps.get_opt("web").await.unwrap().is_some() && maps.get_opt("tried").await.unwrap().is_none());

    let runs = lines(folder.path(), "arguments");
    let namespace = maps.get("web").await.unwrap().metadata.namespace.unwrap();
    let expected = format!(
        "template --kube-version=1.33 --include-crds --skip-tests --values=- --namespace={namespace} -- shop {}",
        chart.display()
    );
    assert_eq!(runs, [&*expected, &expected], "two runs, and none for later passes with the same values");
    assert_eq!(lines(folder.path(), "values")[0], r#"{"value":"s3cret"}"#);
    let names = |line: &String| line.split('=').next().unwrap_or_default().to_owned();
    let mut environment: Vec<String> = lines(folder.path(), "environment").iter().map(names).collect();
    environment.sort();
    environment.dedup();
    // A shell sets PWD and others itself.
    let own = ["HOME", "OLDPWD", "PATH", "PWD", "SHLVL", "_"];
    assert!(environment.iter().all(|name| own.contains(&&**name)), "{environment:?}");

    fs::write(chart.join("more.yaml"), map("more", &json!({}))).unwrap();
    world.merge::<Release>("shop", json!({ "spec": { "value": "other" } })).await;
    let is_new = |release: &Value| release["metadata"]["generation"] == release["status"]["observedGeneration"];
    world.until::<Release>("shop", "ready again", |release| is_new(release) && is_ready(release)).await;
    assert!(maps.get_opt("more").await.unwrap().is_some(), "a new file of the chart counts");
    world.delete::<Release>("shop").await;
    world.until_gone::<Release>("shop").await;
    assert!(maps.get_opt("web").await.unwrap().is_none() && maps.get_opt("kept").await.unwrap().is_some());
    operator.stop().await.unwrap();
    world
}

async fn a_program_that_fails_is_reported(world: World) -> World {
    let (_folder, chart) = chart();
    fs::write(chart.join("all.yaml"), map("web", &json!({}))).unwrap();
    world.install(&Release::crd()).await;
    let operator = world.operator::<release>(());
    let (begin, script) = (format!("chart {}: ", chart.display()), script());
    for (name, program, value, reason, text) in [
        (
            "a",
            &*script,
            "refuse",
            "RenderFailed",
            "ended with code 1: Error: execution error at (shop/login.yaml:3:4): {\"value\":\"***\"} is no password",
        ),
        ("b", &script, "nonsense", "RenderFailed", "in line 1 of its output it is no valid YAML"),
        ("c", &script, "flood", "RenderFailed", "prints more than 32 MiB"),
        (
            "d",
            &script,
            "vary",
            "RenderFailed",
            "a second run prints something else: data.token of ConfigMap token; print the same",
        ),
        ("e", &script, "hang", "SourceFailed", "did not end within 1 s"),
        ("f", "/nonexistent/helm", "any", "SourceFailed", "/nonexistent/helm cannot be started: "),
    ] {
        create(&world, name, json!({ "program": program, "folder": chart, "value": value })).await;
        let fails = |release: &Value| condition(release, "Ready").is_some_and(|ready| ready["reason"] == reason);
        let release = world.until::<Release>(name, reason, fails).await;
        let message = message(&release, "Ready");
        assert!(message.starts_with(&begin) && message.contains(text), "{name}: {message}");
        let is_stalled = condition(&release, "Stalled").is_some_and(|stalled| stalled["status"] == "True");
        assert_eq!(is_stalled, reason == "RenderFailed", "{release}");
    }
    // What fails because of the machine is tried again.
    world.merge::<Release>("f", json!({ "spec": { "program": script } })).await;
    world.until::<Release>("f", "ready", is_ready).await;
    operator.stop().await.unwrap();
    world
}

#[tokio::test(start_paused = true)]
async fn a_kustomization_is_built_without_values() {
    let world = World::on(Server::InProcess).await.unwrap();
    let (folder, built) = chart();
    fs::write(built.join("all.yaml"), map("web", &json!({}))).unwrap();
    world.install(&Release::crd()).await;
    let operator = world.operator::<release>(());
    create(&world, "a", json!({ "program": script(), "folder": built })).await;
    world.until::<Release>("a", "ready", is_ready).await;
    let expected = format!("build -- {}", built.display());
    assert_eq!(lines(folder.path(), "arguments"), [&*expected, &expected]);
    assert!(lines(folder.path(), "values").iter().all(String::is_empty));
    operator.stop().await.unwrap();
}
