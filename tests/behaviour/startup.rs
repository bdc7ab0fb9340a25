//! The start of an operator: what it refuses, in which words, and what does not hold it up.
#![allow(clippy::unwrap_used, reason = "a test ends at the first surprise")]

use std::time::Duration;

use evenkeel::Operator;
use evenkeel::operator::{Error, Reason};
use evenkeel_testkit::{Cluster, Effect, Fault, Verb, eventually};
use evenkeel_tests::widget::{Lab, Widget, a_widget, definition, is_ready, widget};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, PostParams};
use kube::{Client, Config};
use serde_json::{Value, json};

async fn install(cluster: &Cluster, definition: CustomResourceDefinition) {
    Api::all(cluster.client()).create(&PostParams::default(), &definition).await.unwrap();
}

/// The definition, changed as JSON.
fn changed(change: impl FnOnce(&mut Value)) -> CustomResourceDefinition {
    let mut value = serde_json::to_value(definition()).unwrap();
    change(&mut value);
    serde_json::from_value(value).unwrap()
}

fn operator(client: Client) -> Operator {
    Operator::new("tester").client(client).reconciler::<widget>(Lab::at("a"))
}

/// The error with which the operator ends.
async fn refusal(operator: Operator) -> Error {
    let ended = tokio::time::timeout(Duration::from_secs(60), operator.run_until(std::future::pending())).await;
    ended.expect("it ends by itself").unwrap_err()
}

async fn create(cluster: &Cluster, name: &str) {
    let object: Widget = serde_json::from_value(a_widget(name, json!({}))).unwrap();
    let api: Api<Widget> = Api::namespaced(cluster.client(), "default");
    eventually(Duration::from_secs(5), || async { api.create(&PostParams::default(), &object).await.ok() }).await;
}

async fn becomes_ready(cluster: &Cluster, name: &str, within: Duration) {
    let api: Api<Widget> = Api::namespaced(cluster.client(), "default");
    eventually(within, || async {
        let object = serde_json::to_value(api.get(name).await.ok()?).unwrap();
        is_ready(&object).then_some(())
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_missing_crd_is_named_with_the_command_that_installs_it() {
    let cluster = Cluster::start().await;
    let error = refusal(operator(cluster.client())).await;
    assert_eq!(error.reason(), Reason::NotInstalled);
    let headline = "the CRD of Widget (tests.evenkeel.dev/v1) is not installed";
    assert_eq!(error.to_string(), format!("{headline}\n  help: {}", error.cure()));
    assert!(error.cure().ends_with(" crds | kubectl apply -f -"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_version_that_is_not_served_is_told_with_those_that_are() {
    let cluster = Cluster::start().await;
    install(&cluster, changed(|crd| crd["spec"]["versions"][0]["name"] = json!("v1beta1"))).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let error = refusal(operator(cluster.client())).await;
    assert_eq!(error.reason(), Reason::NotServed);
    assert!(error.to_string().starts_with("the installed CRD of Widget does not serve v1, but v1beta1\n"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_version_that_is_not_served_is_told_even_if_the_definition_cannot_be_read() {
    let cluster = Cluster::start().await;
    install(&cluster, changed(|crd| crd["spec"]["versions"][0]["name"] = json!("v1beta1"))).await;
    cluster.faults().add(Fault::new(Effect::Forbidden).resource("customresourcedefinitions").always());
    tokio::time::sleep(Duration::from_secs(1)).await;
    let error = refusal(operator(cluster.client())).await;
    assert!(error.to_string().starts_with("Widget is not served in version v1, but in v1beta1\n"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn an_outdated_crd_is_refused_and_the_missing_fields_are_named() {
    let cluster = Cluster::start().await;
    let crd = changed(|crd| {
        let schema = &mut crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
        schema["properties"]["status"]["properties"].as_object_mut().unwrap().remove("observedInputs");
    });
    install(&cluster, crd).await;
    let error = refusal(operator(cluster.client())).await;
    assert_eq!(error.reason(), Reason::Outdated);
    assert!(
        error.to_string().starts_with("the installed CRD of Widget lacks observedInputs in the status of v1\n"),
        "{error}"
    );
    assert!(error.cure().ends_with(" crds | kubectl apply -f -"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_crd_without_status_subresource_is_refused() {
    let cluster = Cluster::start().await;
    let crd = changed(|crd| {
        crd["spec"]["versions"][0].as_object_mut().unwrap().remove("subresources");
    });
    install(&cluster, crd).await;
    let error = refusal(operator(cluster.client())).await;
    assert!(error.to_string().starts_with("the installed CRD of Widget has no status subresource in v1\n"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn without_the_right_to_list_it_ends_naming_verbs_and_resource() {
    let cluster = Cluster::start().await;
    install(&cluster, definition()).await;
    cluster.faults().add(Fault::new(Effect::Forbidden).resource("widgets").verb(Verb::List).always());
    let error = refusal(operator(cluster.client()).namespaces(["team-a"])).await;
    assert_eq!(error.reason(), Reason::Forbidden);
    let text = error.to_string();
    assert!(text.starts_with("no right to list widgets.tests.evenkeel.dev in namespace team-a: "), "{text}");
    assert!(text.contains("help: grant the verbs get, list, watch on widgets.tests.evenkeel.dev"), "{text}");
}

#[tokio::test]
async fn a_cluster_that_does_not_answer_is_told() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mut config = Config::new(format!("http://{closed}").parse().unwrap());
    config.default_retry = false;
    let error = refusal(operator(Client::try_from(config).unwrap())).await;
    assert_eq!(error.reason(), Reason::Unreachable);
    assert!(error.to_string().starts_with("the API server does not answer: "), "{error}");
}

#[tokio::test]
async fn contradictions_are_told_before_anything_is_called() {
    let cluster = Cluster::start().await;
    let twice = operator(cluster.client()).reconciler::<widget>(Lab::at("a"));
    let cases = [
        (twice, "widget and widget both reconcile Widget"),
        (Operator::new("tester").client(cluster.client()), "tester has no reconciler"),
        (operator(cluster.client()).concurrency(0), "a concurrency of 0 would run nothing"),
        (
            Operator::new("My Operator").client(cluster.client()).reconciler::<widget>(Lab::at("a")),
            "`My Operator` cannot be the name of an operator",
        ),
    ];
    for (operator, headline) in cases {
        let error = refusal(operator).await;
        assert_eq!(error.to_string().lines().next(), Some(headline));
        assert_eq!(error.reason(), Reason::Setup);
    }
    assert!(cluster.log().entries().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_server_in_trouble_does_not_end_the_operator() {
    let cluster = Cluster::start().await;
    install(&cluster, definition()).await;
    create(&cluster, "one").await;
    cluster.faults().add(Fault::new(Effect::Unavailable).resource("widgets").verb(Verb::List).times(4));
    let running = tokio::spawn(operator(cluster.client()).run_until(std::future::pending()));
    becomes_ready(&cluster, "one", Duration::from_secs(60)).await;
    assert!(!running.is_finished());
    running.abort();
}

#[tokio::test(start_paused = true)]
async fn a_list_that_never_comes_does_not_hold_up_the_others() {
    let cluster = Cluster::start().await;
    install(&cluster, definition()).await;
    create(&cluster, "one").await;
    cluster.faults().add(Fault::new(Effect::Hang).resource("configmaps").verb(Verb::List).always());
    let running = tokio::spawn(operator(cluster.client()).run_until(std::future::pending()));
    becomes_ready(&cluster, "one", Duration::from_secs(10)).await;
    running.abort();
}

#[tokio::test(start_paused = true)]
async fn no_pass_starts_before_the_list_of_what_objects_own() {
    let cluster = Cluster::start().await;
    install(&cluster, definition()).await;
    create(&cluster, "one").await;
    let late = Effect::Latency(Duration::from_millis(1500));
    cluster.faults().add(Fault::new(late).resource("configmaps").verb(Verb::List).always());
    let lab = Lab::at("a");
    let operator = Operator::new("tester").client(cluster.client()).reconciler::<widget>(lab.clone());
    let running = tokio::spawn(operator.run_until(std::future::pending()));
    tokio::time::sleep(Duration::from_millis(1400)).await;
    assert_eq!(lab.passes(), 0);
    becomes_ready(&cluster, "one", Duration::from_secs(1)).await;
    running.abort();
}

#[tokio::test(start_paused = true)]
async fn a_stop_before_the_lists_are_in_ends_the_operator() {
    let cluster = Cluster::start().await;
    install(&cluster, definition()).await;
    cluster.faults().add(Fault::new(Effect::Hang).resource("widgets").always());
    let stop = tokio::time::sleep(Duration::from_millis(100));
    let ended = tokio::time::timeout(Duration::from_secs(10), operator(cluster.client()).run_until(stop)).await;
    assert!(ended.expect("it ends").is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_stop_waits_for_running_passes_no_longer_than_the_grace() {
    let cluster = Cluster::start().await;
    install(&cluster, definition()).await;
    create(&cluster, "one").await;
    let lab = Lab::at("a");
    let held = lab.hold.lock().await;
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let operator = Operator::new("tester").client(cluster.client()).reconciler::<widget>(lab.clone());
    let operator = operator.grace(Duration::from_secs(2));
    let running = tokio::spawn(operator.run_until(async { drop(stopped.await) }));
    eventually(Duration::from_secs(5), || async { (lab.passes() == 1).then_some(()) }).await;
    let begun = tokio::time::Instant::now();
    drop(stop);
    running.await.unwrap().unwrap();
    assert_eq!(begun.elapsed().as_secs(), 2);
    drop(held);
}

#[tokio::test(start_paused = true)]
async fn requests_name_the_operator_as_their_agent() {
    let cluster = Cluster::start().await;
    install(&cluster, definition()).await;
    cluster.log().clear();
    let operator = operator(cluster.client()).version("1.2.3");
    operator.run_until(tokio::time::sleep(Duration::from_secs(1))).await.unwrap();
    let agents: Vec<String> = cluster.log().entries().into_iter().map(|entry| entry.user_agent).collect();
    assert!(!agents.is_empty() && agents.iter().all(|agent| agent.starts_with("tester/1.2.3 evenkeel/")), "{agents:?}");
}

#[tokio::test(start_paused = true)]
async fn only_the_given_namespaces_are_listed() {
    let cluster = Cluster::start().await;
    install(&cluster, definition()).await;
    cluster.log().clear();
    let operator = operator(cluster.client()).namespaces(["team-a", "team-b"]);
    operator.run_until(tokio::time::sleep(Duration::from_secs(1))).await.unwrap();
    let mut lists: Vec<String> =
        cluster.log().filter(|entry| entry.verb == Verb::List).into_iter().map(|entry| entry.path).collect();
    lists.sort();
    let expected: Vec<String> = ["/api/v1/namespaces/team-a/configmaps", "/api/v1/namespaces/team-b/configmaps"]
        .into_iter()
        .map(ToOwned::to_owned)
        .chain(["team-a", "team-b"].map(|ns| format!("/apis/tests.evenkeel.dev/v1/namespaces/{ns}/widgets")))
        .collect();
    assert_eq!(lists, expected);
}

#[test]
fn the_definitions_of_all_kinds_are_at_hand_without_a_cluster() {
    let operator = Operator::new("tester").reconciler::<widget>(Lab::at("a"));
    let kinds: Vec<String> = operator.definitions().into_iter().map(|crd| crd.spec.names.kind).collect();
    assert_eq!(kinds, ["Widget"]);
}
