//! Sets that are rendered from templates.

use evenkeel::dependents::{Dependents, DependentsError, Templates};
use evenkeel::prelude::*;
use evenkeel_testkit::{Settler, eventually};
use evenkeel_tests::on_each_server;
use evenkeel_tests::test_env::{Running, SOON, Server, World};
use evenkeel_tests::widget::{condition, is_ready, message};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::{ConfigMap, Secret, Service};
use kube::{CustomResource, CustomResourceExt, KubeSchema, ResourceExt};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A config map, a service, a deployment and a job.
const MANIFESTS: Templates = evenkeel::templates!("behaviour/dependents/manifests");

/// A document whose version is known only when it is rendered.
const UNDECLARED: Templates = evenkeel::templates!("behaviour/dependents/undeclared");

#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "tests.evenkeel.dev", version = "v1", kind = "Stand", namespaced, status = "StandStatus")]
pub(crate) struct StandSpec {
    motto: String,
    /// The command of the job; a template requires it.
    required: Option<String>,
    size: Option<i32>,
    welcome: Option<String>,
    /// The passes of both of two nested loops.
    loops: Option<i32>,
    /// The version of an object that the step does not declare.
    other: Option<String>,
    /// A label of all objects.
    team: Option<String>,
    /// The step renders templates that it does not declare.
    #[serde(default)]
    undeclared: bool,
}

#[status(dependents)]
pub(crate) struct StandStatus {}

#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub(crate) enum StandCondition {
    /// All objects are as wanted.
    #[condition(positive)]
    Applied,
    /// All objects are ready.
    #[condition(positive)]
    Healthy,
}

#[derive(Debug, thiserror::Error, ReconcileError)]
pub(crate) enum StandError {
    #[error(transparent)]
    #[class(transparent)]
    Dependents(#[from] DependentsError),
}

const OTHERS: Templates = evenkeel::templates!("behaviour/dependents/others");

#[sub_reconciler(sets(on::Applied, on::Healthy), dependents(templates(MANIFESTS, UNDECLARED), ready_within = "1h"))]
async fn build(stand: &Stand, cx: &mut Cx) -> Result<Dependents, StandError> {
    let values = json!({ "name": stand.name_any(), "spec": stand.spec });
    let mut wanted = cx.wanted();
    wanted.render(&MANIFESTS, &values).each(&stand.spec.team, |entry, team| {
        if let Some(team) = team {
            entry.object()["metadata"]["labels"]["team"] = json!(team);
        }
    });
    if stand.spec.other.is_some() {
        wanted.render(&UNDECLARED, &values);
    }
    if stand.spec.undeclared {
        wanted.render(&OTHERS, &values);
    }
    Ok(cx.converge(wanted).await?)
}

#[reconciler(conditions = StandCondition)]
pub(crate) async fn stand(stand: &Stand, cx: &mut Pass<'_>) -> PassResult {
    build(stand, cx).await?;
    Ok(())
}

on_each_server!(
    templates_become_objects_that_follow_the_spec,
    drift_of_a_rendered_object_is_corrected,
    a_value_cannot_contain_a_document,
    a_template_that_fails_is_reported_with_its_line,
    what_the_step_does_not_declare_is_refused
);

async fn start(world: &World) -> Running {
    world.install(&Stand::crd()).await;
    world.operator::<stand>(())
}

async fn open(world: &World, spec: &Value) {
    let mut all = json!({ "motto": "open", "required": "true" });
    for (field, value) in spec.as_object().into_iter().flatten() {
        all[field] = value.clone();
    }
    let stand =
        json!({ "apiVersion": "tests.evenkeel.dev/v1", "kind": "Stand", "metadata": { "name": "a" }, "spec": all });
    world.create::<Stand>(stand).await;
}

fn is_applied(stand: &Value) -> bool {
    condition(stand, "Applied").is_some_and(|applied| applied["status"] == "True")
}

async fn until_motto(world: &World, motto: &str) {
    let has = || async {
        let map = world.api::<ConfigMap>().get_opt("a-config").await.unwrap()?;
        (map.data?.get("motto")? == motto).then_some(())
    };
    eventually(SOON, has).await;
}

async fn templates_become_objects_that_follow_the_spec(world: World) -> World {
    let operator = start(&world).await;
    open(&world, &json!({ "size": 2, "welcome": "hello", "team": "blue" })).await;
    let stand = world.until::<Stand>("a", "applied", is_applied).await;
    let kinds = &stand["status"]["dependents"]["stand/build"]["kinds"];
    assert_eq!(kinds, &json!(["ConfigMap", "Deployment.apps", "Job.batch", "Service"]));
    let map = world.raw::<ConfigMap>("a-config").await;
    assert_eq!(map["data"], json!({ "motto": "open", "size": "2" }));
    assert_eq!(map["metadata"]["labels"]["managed"], "yes");
    assert_eq!(map["metadata"]["labels"]["team"], "blue", "set by `each`");
    assert_eq!(world.raw::<Service>("a").await["spec"]["ports"][0]["port"], 80);
    assert_eq!(world.raw::<Job>("a-setup").await["metadata"]["labels"]["team"], "blue");
    assert!(world.api::<ConfigMap>().get_opt("a-welcome").await.unwrap().is_some());
    if world.server == Server::InProcess {
        // The second wave starts when the job has ended.
        let _settling = Settler::new().start(world.cluster());
        let has_web = || async { world.api::<Deployment>().get_opt("a").await.unwrap() };
        let web = json!(eventually(SOON, has_web).await);
        assert_eq!(web["spec"]["replicas"], 2);
        let mode = &web["spec"]["template"]["spec"]["volumes"][0]["configMap"]["defaultMode"];
        assert_eq!(mode, &json!(0o640), "an octal number, as kubectl reads it");
        world.until::<Stand>("a", "ready", is_ready).await;
        // The document behind the `if` is not wanted any more, and removed when the rest is ready.
        world.merge::<Stand>("a", json!({ "spec": { "welcome": null, "motto": "closed" } })).await;
        world.until_gone::<ConfigMap>("a-welcome").await;
    } else {
        world.merge::<Stand>("a", json!({ "spec": { "motto": "closed" } })).await;
    }
    until_motto(&world, "closed").await;
    operator.stop().await.unwrap();
    world
}

async fn drift_of_a_rendered_object_is_corrected(world: World) -> World {
    let operator = start(&world).await;
    open(&world, &json!({})).await;
    world.until::<Stand>("a", "applied", is_applied).await;
    world.merge::<ConfigMap>("a-config", json!({ "data": { "motto": "drift" } })).await;
    until_motto(&world, "open").await;
    world.delete::<ConfigMap>("a-config").await;
    until_motto(&world, "open").await;
    operator.stop().await.unwrap();
    world
}

async fn a_value_cannot_contain_a_document(world: World) -> World {
    let motto = "x\n---\nkind: ClusterRoleBinding\n{{ spec }} {% raw %}";
    let operator = start(&world).await;
    open(&world, &json!({ "motto": motto })).await;
    let stand = world.until::<Stand>("a", "applied", is_applied).await;
    assert_eq!(world.raw::<ConfigMap>("a-config").await["data"]["motto"], motto);
    assert_eq!(stand["status"]["dependents"]["stand/build"]["wanted"], 4, "{stand}");
    operator.stop().await.unwrap();
    world
}

/// The message of a stand that is stalled for this reason.
async fn stalled(world: &World, expected: &str) -> String {
    let is_stalled = |stand: &Value| condition(stand, "Stalled").is_some_and(|stalled| stalled["reason"] == expected);
    let stand = world.until::<Stand>("a", "stalled", is_stalled).await;
    message(&stand, "Ready").to_owned()
}

async fn a_template_that_fails_is_reported_with_its_line(world: World) -> World {
    let operator = start(&world).await;
    open(&world, &json!({ "required": null })).await;
    let text = stalled(&world, "RenderFailed").await;
    let place = "behaviour/dependents/manifests/job.yaml:14: `spec.required` is undefined";
    assert!(text.starts_with(place), "{text}");
    assert!(world.api::<ConfigMap>().get_opt("a-config").await.unwrap().is_none(), "nothing of the set is applied");
    world.merge::<Stand>("a", json!({ "spec": { "required": "true", "loops": 9999 } })).await;
    let ends = |stand: &Value| message(stand, "Ready").contains("it executes too many instructions");
    world.until::<Stand>("a", "out of instructions", ends).await;
    operator.stop().await.unwrap();
    world
}

async fn what_the_step_does_not_declare_is_refused(world: World) -> World {
    let operator = start(&world).await;
    open(&world, &json!({ "other": "v1" })).await;
    let expected = "Secret other of behaviour/dependents/undeclared/part.yaml: kind: the step does not declare it; \
                    add `kinds(\"v1/Secret\")` to its `dependents(..)`";
    assert_eq!(stalled(&world, "ManifestInvalid").await, expected);
    world.merge::<Stand>("a", json!({ "spec": { "other": null, "undeclared": true } })).await;
    let expected = "the templates of behaviour/dependents/others: templates: the step does not declare them; \
                    add their constant to `templates(..)` in its `dependents(..)`";
    let is_refused = |stand: &Value| message(stand, "Ready") == expected;
    world.until::<Stand>("a", "refused", is_refused).await;
    world.quiet().await;
    assert!(world.api::<Secret>().get_opt("other").await.unwrap().is_none());
    operator.stop().await.unwrap();
    world
}

#[test]
fn the_templates_of_the_tests_are_valid() {
    for templates in [MANIFESTS, UNDECLARED, OTHERS] {
        templates.check().unwrap();
    }
}
