//! The start of an operator: which errors end it, their messages, and what does not delay it.

use std::time::Duration;

use evenkeel::operator::{Error, Reason};
use evenkeel::{Operator, crd};
use evenkeel_testkit::{Effect, Fault, Verb, eventually};
use evenkeel_tests::test_env::{Server, World};
use evenkeel_tests::widget::{Lab, Widget, a_widget, definition, is_ready, widget};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::{Client, Config};
use serde_json::{Value, json};

/// A server without CRDs.
async fn bare() -> World {
    World::on(Server::InProcess).await.unwrap()
}

async fn installed() -> World {
    let world = bare().await;
    world.install(&definition()).await;
    world
}

/// The CRD, changed as JSON.
fn changed(change: impl FnOnce(&mut Value)) -> CustomResourceDefinition {
    let mut value = serde_json::to_value(definition()).unwrap();
    change(&mut value);
    serde_json::from_value(value).unwrap()
}

/// An operator for all namespaces.
fn operator(world: &World) -> Operator {
    world.prepare::<widget>(Lab::at("a")).namespaces::<&str>([])
}

/// The error that ends the operator.
async fn refusal(operator: Operator) -> Error {
    let ended = tokio::time::timeout(Duration::from_secs(60), operator.run_until(std::future::pending())).await;
    ended.expect("it ends by itself").unwrap_err()
}

async fn create(world: &World, name: &str) {
    world.create::<Widget>(a_widget(name, json!({}))).await;
}

async fn becomes_ready(world: &World, name: &str, within: Duration) {
    eventually(within, || async { is_ready(&world.raw::<Widget>(name).await).then_some(()) }).await;
}

#[tokio::test(start_paused = true)]
async fn a_missing_crd_is_named_with_the_command_that_installs_it() {
    let world = bare().await;
    let error = refusal(operator(&world)).await;
    assert_eq!(error.reason(), Reason::NotInstalled);
    let headline = "the CRD of Widget (tests.evenkeel.dev/v1) is not installed";
    assert_eq!(error.to_string(), format!("{headline}\n  help: {}", error.help()));
    assert!(error.help().ends_with(" crds | kubectl apply -f -"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn an_unserved_version_is_reported_with_served_ones() {
    let world = bare().await;
    world.install(&changed(|crd| crd["spec"]["versions"][0]["name"] = json!("v1beta1"))).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let error = refusal(operator(&world)).await;
    assert_eq!(error.reason(), Reason::NotServed);
    assert!(
        error.to_string().starts_with("the installed CRD widgets.tests.evenkeel.dev does not serve v1, but v1beta1\n"),
        "{error}"
    );
}

#[tokio::test(start_paused = true)]
async fn an_unserved_version_is_reported_without_reading_the_crd() {
    let world = bare().await;
    world.install(&changed(|crd| crd["spec"]["versions"][0]["name"] = json!("v1beta1"))).await;
    world.cluster().faults().add(Fault::new(Effect::Forbidden).resource("customresourcedefinitions").always());
    tokio::time::sleep(Duration::from_secs(1)).await;
    let error = refusal(operator(&world)).await;
    assert!(error.to_string().starts_with("Widget is not served in version v1, but in v1beta1\n"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn an_outdated_crd_is_refused_with_missing_fields() {
    let world = bare().await;
    let crd = changed(|crd| {
        let schema = &mut crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
        schema["properties"]["status"]["properties"].as_object_mut().unwrap().remove("observedInputs");
    });
    world.install(&crd).await;
    let error = refusal(operator(&world)).await;
    assert_eq!(error.reason(), Reason::Outdated);
    assert!(
        error.to_string().starts_with(
            "the installed CRD widgets.tests.evenkeel.dev does not fit the program in v1: .status.observedInputs is missing\n"
        ),
        "{error}"
    );
    assert!(error.help().ends_with(" crds | kubectl apply -f -"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_crd_without_status_subresource_is_refused() {
    let world = bare().await;
    let crd = changed(|crd| {
        crd["spec"]["versions"][0].as_object_mut().unwrap().remove("subresources");
    });
    world.install(&crd).await;
    let error = refusal(operator(&world)).await;
    assert!(
        error.to_string().starts_with("the installed CRD widgets.tests.evenkeel.dev has no status subresource in v1\n"),
        "{error}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_forbidden_list_ends_the_start_with_the_rule() {
    let world = installed().await;
    world.cluster().faults().add(Fault::new(Effect::Forbidden).resource("widgets").always());
    let error = refusal(operator(&world).namespaces(["team-a"])).await;
    assert_eq!(error.reason(), Reason::Forbidden);
    let text = error.to_string();
    assert!(
        text.starts_with("the role does not allow list on widgets.tests.evenkeel.dev in namespace team-a: "),
        "{text}"
    );
    assert!(text.contains("help: grant the verbs get, list, watch on widgets.tests.evenkeel.dev"), "{text}");
}

#[tokio::test]
async fn an_unreachable_cluster_is_reported() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mut config = Config::new(format!("http://{closed}").parse().unwrap());
    config.default_retry = false;
    let world = bare().await;
    let error = refusal(operator(&world).client(Client::try_from(config).unwrap())).await;
    assert_eq!(error.reason(), Reason::Unreachable);
    assert!(error.to_string().starts_with("the API server does not respond: "), "{error}");
}

#[tokio::test]
async fn contradictory_settings_are_reported_before_any_call() {
    let world = bare().await;
    world.cluster().log().clear();
    let twice = operator(&world).reconciler::<widget>(Lab::at("a"));
    let cases = [
        (twice, "widget and widget both reconcile Widget"),
        (Operator::new("tester").client(world.client.clone()), "tester has no reconciler"),
        (
            operator(&world).trigger::<rivals::first::first>(futures::stream::empty()),
            "`first` has a trigger but is not a reconciler of this operator",
        ),
        (
            Operator::new("My Operator").client(world.client.clone()).reconciler::<widget>(Lab::at("a")),
            "`My Operator` cannot be the name of an operator",
        ),
    ];
    for (operator, headline) in cases {
        let error = refusal(operator).await;
        assert_eq!(error.to_string().lines().next(), Some(headline));
        assert_eq!(error.reason(), Reason::Setup);
    }
    assert!(world.cluster().log().entries().is_empty());
}

mod rivals {
    use std::sync::Arc;

    use evenkeel::prelude::*;
    use evenkeel_tests::widget::{Lab, Widget, WidgetError};

    macro_rules! rival {
        ($name:ident, $condition:ident, $($args:tt)*) => {
            pub(super) mod $name {
                use super::*;

                #[derive(ConditionSet)]
                #[condition_set(mod = on)]
                pub(crate) enum Conditions {
                    #[condition(positive)]
                    $condition,
                }
                #[sub_reconciler(sets(on::$condition), external)]
                pub(crate) async fn make(_: &Widget, _: &Arc<Lab>, _cx: &mut Cx<'_, make>) -> Result<(), WidgetError> {
                    Ok(())
                }
                #[cleanup(of = make)]
                pub(crate) async fn unmake(_: &Widget, _: &Arc<Lab>, _cx: &mut Cx<'_, make>) -> Result<(), WidgetError> {
                    Ok(())
                }
                #[reconciler(conditions = Conditions, $($args)*)]
                pub(crate) async fn $name(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
                    make(widget, lab, cx).await?;
                    Ok(())
                }
            }
        };
    }

    rival!(first, Made, summary = "FirstReady");
    rival!(same_summary, Other, summary = "FirstReady");
    rival!(same_condition, Made, summary = "OtherReady");
    rival!(same_finalizer, Other, summary = "OtherReady", finalizer = "tests.evenkeel.dev/tester-first");
    rival!(same_manager, Other, summary = "OtherReady", field_manager = "tester/first");
}

#[tokio::test(start_paused = true)]
async fn conflicting_reconcilers_are_both_named_with_the_fix() {
    let world = installed().await;
    let first =
        || Operator::new("tester").client(world.client.clone()).reconciler::<rivals::first::first>(Lab::at("a"));
    let lab = || Lab::at("a");
    let cases = [
        (
            first().reconciler::<rivals::same_summary::same_summary>(lab()),
            "both sum up Widget in FirstReady",
            "summary",
        ),
        (
            first().reconciler::<rivals::same_condition::same_condition>(lab()),
            "both set the condition Made of Widget",
            "rename",
        ),
        (
            first().reconciler::<rivals::same_finalizer::same_finalizer>(lab()),
            "share the finalizer tests.evenkeel.dev/tester-first of Widget",
            "finalizer = ",
        ),
        (
            first().reconciler::<rivals::same_manager::same_manager>(lab()),
            "share the field manager tester/first",
            "manager = ",
        ),
    ];
    for (operator, what, help) in cases {
        let error = refusal(operator).await;
        let headline = error.to_string().lines().next().unwrap_or_default().to_owned();
        assert!(headline.starts_with("first and same_") && headline.ends_with(what), "{headline}");
        assert!(error.help().contains(help) && error.reason() == Reason::Setup, "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_second_reconciler_requires_its_status_field() {
    let world = installed().await;
    let mut old = serde_json::to_value(definition()).unwrap();
    let status = "/spec/versions/0/schema/openAPIV3Schema/properties/status/properties";
    old.pointer_mut(status).unwrap().as_object_mut().unwrap().remove("observedBy").unwrap();
    world.install(&serde_json::from_value(old).unwrap()).await;
    let second = Operator::new("tester").client(world.client.clone()).reconciler::<rivals::first::first>(Lab::at("a"));
    let error = refusal(second).await;
    assert!(
        error.reason() == Reason::Outdated && error.to_string().contains(".status.observedBy is missing"),
        "{error}"
    );
    operator(&world).run_until(tokio::time::sleep(Duration::from_secs(1))).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn server_errors_do_not_end_the_operator() {
    let world = installed().await;
    create(&world, "one").await;
    world.cluster().faults().add(Fault::new(Effect::Unavailable).resource("widgets").verb(Verb::Watch).times(4));
    let running = tokio::spawn(operator(&world).run_until(std::future::pending()));
    becomes_ready(&world, "one", Duration::from_secs(60)).await;
    assert!(!running.is_finished());
    running.abort();
}

#[tokio::test(start_paused = true)]
async fn a_hanging_list_does_not_delay_others() {
    let world = installed().await;
    create(&world, "one").await;
    world.cluster().faults().add(Fault::new(Effect::Hang).resource("configmaps").always());
    let running = tokio::spawn(operator(&world).run_until(std::future::pending()));
    becomes_ready(&world, "one", Duration::from_secs(10)).await;
    running.abort();
}

#[tokio::test(start_paused = true)]
async fn an_unanswered_list_or_watch_is_retried() {
    for (verb, pages) in [(Verb::List, true), (Verb::Watch, true), (Verb::Watch, false)] {
        let world = installed().await;
        world.cluster().faults().add(Fault::new(Effect::Hang).resource("widgets").verb(verb));
        let operator = if pages { operator(&world).paged_lists() } else { operator(&world) };
        let running = tokio::spawn(operator.run_until(std::future::pending()));
        tokio::time::sleep(Duration::from_secs(5)).await;
        create(&world, "late").await;
        becomes_ready(&world, "late", Duration::from_secs(120)).await;
        assert_eq!(world.cluster().faults().pending(), 0, "{verb} met the fault");
        running.abort();
    }
}

#[tokio::test(start_paused = true)]
async fn no_pass_starts_before_owned_objects_are_listed() {
    let world = installed().await;
    create(&world, "one").await;
    let late = Effect::Latency(Duration::from_millis(1500));
    world.cluster().faults().add(Fault::new(late).resource("configmaps").verb(Verb::Watch).always());
    let lab = Lab::at("a");
    let operator = world.prepare::<widget>(lab.clone());
    let running = tokio::spawn(operator.run_until(std::future::pending()));
    tokio::time::sleep(Duration::from_millis(1400)).await;
    assert_eq!(lab.passes(), 0);
    becomes_ready(&world, "one", Duration::from_secs(1)).await;
    running.abort();
}

#[tokio::test(start_paused = true)]
async fn a_stop_during_the_first_lists_ends_the_operator() {
    let world = installed().await;
    for resource in ["widgets", "customresourcedefinitions"] {
        world.cluster().faults().add(Fault::new(Effect::Hang).resource(resource).always());
    }
    let stop = tokio::time::sleep(Duration::from_millis(100));
    let ended = tokio::time::timeout(Duration::from_secs(10), operator(&world).run_until(stop)).await;
    assert!(ended.expect("it ends").is_ok());
}

#[tokio::test(start_paused = true)]
async fn passes_beyond_the_grace_period_are_dropped_and_named() {
    let world = installed().await;
    create(&world, "one").await;
    let lab = Lab::at("a");
    let held = lab.hold.lock().await;
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let operator = world.prepare::<widget>(lab.clone());
    let operator = operator.shutdown_timeout(Duration::from_secs(2));
    let running = tokio::spawn(operator.run_until(async { drop(stopped.await) }));
    eventually(Duration::from_secs(5), || async { (lab.passes() == 1).then_some(()) }).await;
    let begun = tokio::time::Instant::now();
    drop(stop);
    let error = running.await.unwrap().unwrap_err();
    assert_eq!(begun.elapsed().as_secs(), 2);
    let names = [format!("widget {}/one", world.namespace)];
    assert_eq!((error.reason(), error.dropped()), (Reason::Dropped, &names[..]), "{error}");
    drop(held);
}

#[tokio::test(start_paused = true)]
async fn requests_carry_the_operator_as_user_agent() {
    let world = installed().await;
    world.cluster().log().clear();
    let operator = operator(&world).version("1.2.3");
    operator.run_until(tokio::time::sleep(Duration::from_secs(1))).await.unwrap();
    let agents: Vec<String> = world.cluster().log().entries().into_iter().map(|entry| entry.user_agent).collect();
    assert!(!agents.is_empty() && agents.iter().all(|agent| agent.starts_with("tester/1.2.3 evenkeel/")), "{agents:?}");
}

#[tokio::test(start_paused = true)]
async fn only_the_given_namespaces_are_listed() {
    let world = installed().await;
    world.cluster().log().clear();
    let operator = operator(&world).namespaces(["team-a", "team-b"]);
    operator.run_until(tokio::time::sleep(Duration::from_secs(1))).await.unwrap();
    let watches = world.cluster().log().filter(|entry| entry.verb == Verb::Watch).into_iter();
    let mut lists: Vec<String> =
        watches.map(|entry| entry.path).filter(|path| !path.ends_with("/customresourcedefinitions")).collect();
    lists.sort();
    let expected: Vec<String> = ["/api/v1/namespaces/team-a/configmaps", "/api/v1/namespaces/team-b/configmaps"]
        .into_iter()
        .map(ToOwned::to_owned)
        .chain(["team-a", "team-b"].map(|ns| format!("/apis/tests.evenkeel.dev/v1/namespaces/{ns}/widgets")))
        .collect();
    assert_eq!(lists, expected);
}

#[test]
fn all_crds_are_available_without_a_cluster() {
    let operator = Operator::new("tester").reconciler::<widget>(Lab::at("a"));
    let kinds: Vec<String> = operator.definitions().into_iter().map(|crd| crd.spec.names.kind).collect();
    assert_eq!(kinds, ["Widget"]);
}

#[test]
fn the_crd_method_equals_the_crds_command() {
    let operator = Operator::new("tester").reconciler::<widget>(Lab::at("a"));
    assert_eq!(operator.definitions(), [crd::<widget>()]);
    let columns = crd::<widget>().spec.versions.remove(0).additional_printer_columns.unwrap_or_default();
    let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["Ready", "Status", "Fetched", "Outdated", "Stored", "Age"]);
}
