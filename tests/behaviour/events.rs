//! Events on the server: equal events are counted, similar ones combined, and the rate per object is limited.

use std::sync::Arc;
use std::time::Duration;

use evenkeel::prelude::*;
use evenkeel_tests::recording_client::{Call, Fault};
use evenkeel_tests::test_env::{Running, Server, World};
use evenkeel_tests::widget::{Lab, Widget, WidgetCondition, a_widget, definition, on};
use k8s_openapi::api::events::v1::Event;
use kube::api::ListParams;
use serde_json::json;

#[derive(Debug, thiserror::Error, ReconcileError)]
enum StepError {
    #[error("{0}")]
    #[class(stalled)]
    Broken(String),
}

/// Fails with the text of the spec, if it has one.
#[sub_reconciler(sets(on::Fetched, on::Outdated, on::Stored))]
async fn fail(widget: &Widget, _lab: &Arc<Lab>, _cx: &mut Cx) -> Result<(), StepError> {
    widget.spec.fetch.clone().map_or(Ok(()), |text| Err(StepError::Broken(text)))
}

/// One step.
#[reconciler(conditions = WidgetCondition)]
async fn failing(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    fail(widget, lab, cx).await?;
    Ok(())
}

/// An error with the same message for any class.
#[derive(Debug, thiserror::Error)]
#[error("no disk")]
struct Moody(evenkeel::Class);

impl ReconcileError for Moody {
    fn class(&self) -> evenkeel::Class {
        self.0
    }

    fn reason(&self) -> &'static str {
        "Broken"
    }
}

/// Is stalled, waits or fails, always with the same message.
#[sub_reconciler(sets(on::Fetched, on::Outdated, on::Stored))]
async fn sulk(widget: &Widget, _lab: &Arc<Lab>, _cx: &mut Cx) -> Result<(), Moody> {
    match widget.spec.fetch.as_deref() {
        Some("stalled") => Err(Moody(evenkeel::Class::Stalled)),
        Some("waiting") => Err(Moody(evenkeel::Class::Waiting { poll: None })),
        _ => Err(Moody(evenkeel::Class::Transient)),
    }
}

#[reconciler(conditions = WidgetCondition)]
async fn sulks(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    sulk(widget, lab, cx).await?;
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn leaving_a_stall_emits_a_separate_event() {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    let operator = world.operator::<sulks>(Lab::at("a"));
    world.create::<Widget>(a_widget("w", json!({ "fetch": "stalled" }))).await;
    for next in ["failed", "stalled", "waiting"] {
        quiet().await;
        world.merge::<Widget>("w", json!({ "spec": { "fetch": next } })).await;
    }
    quiet().await;
    let sent = events(&world).await;
    let expected = [
        "Normal Broken no longer stalled, waiting: no disk x1",
        "Warning Broken no disk x2",
        "Warning Broken no longer stalled, retrying: no disk x1",
    ];
    let sent: Vec<&str> = sent.iter().map(String::as_str).collect();
    assert!(
        sent.len() == 3 && expected.iter().all(|one| sent.iter().any(|event| event.contains(&one[7..]))),
        "{sent:#?}"
    );
    operator.stop().await.unwrap();
}

async fn start() -> (World, Running) {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    let operator = world.operator::<failing>(Lab::at("a"));
    quiet().await;
    (world, operator)
}

async fn quiet() {
    tokio::time::sleep(Duration::from_millis(100)).await;
}

/// Fails the object with the text, and lets it recover.
async fn flap(world: &World, text: &str) {
    for text in [json!(text), json!(null)] {
        world.merge::<Widget>("w", json!({ "spec": { "fetch": text } })).await;
        quiet().await;
    }
}

fn sent(world: &World, method: &str) -> usize {
    world.wire.count(|call: &Call| call.is_event() && call.method == method)
}

/// Type, reason, note and count of all events, sorted.
async fn events(world: &World) -> Vec<String> {
    let all = world.api::<Event>().list(&ListParams::default()).await.unwrap();
    let sent = all.items.into_iter().map(|event| {
        let count = event.series.map_or(1, |series| series.count);
        let [type_, reason, note] = [event.type_, event.reason, event.note].map(Option::unwrap_or_default);
        format!("{type_} {reason} {note} x{count}")
    });
    let mut sent: Vec<_> = sent.collect();
    sent.sort();
    sent
}

#[tokio::test(start_paused = true)]
async fn equal_events_are_counted_and_others_stay_separate() {
    let (world, operator) = start().await;
    world.create::<Widget>(a_widget("w", json!({}))).await;
    quiet().await;
    flap(&world, "no disk").await;
    flap(&world, "no disk").await;
    flap(&world, "no net").await;
    assert_eq!((sent(&world, "POST"), sent(&world, "PATCH")), (3, 4), "{:#?}", events(&world).await);
    let sent = events(&world).await;
    assert_eq!(sent[1..], ["Warning Broken no disk x2", "Warning Broken no net x1"], "{sent:#?}");
    assert!(sent[0].starts_with("Normal ") && sent[0].ends_with(" x4"), "{sent:#?}");
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_tenth_note_of_a_reason_starts_aggregation() {
    let (world, operator) = start().await;
    world.create::<Widget>(a_widget("w", json!({ "fetch": "text 00" }))).await;
    quiet().await;
    for at in 1..13 {
        world.merge::<Widget>("w", json!({ "spec": { "fetch": null } })).await;
        // Avoids the limit on the number of all events.
        tokio::time::sleep(Duration::from_secs(301)).await;
        world.merge::<Widget>("w", json!({ "spec": { "fetch": format!("text {at:02}") } })).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    let broken: Vec<_> = events(&world).await.into_iter().filter(|event| event.contains(" Broken ")).collect();
    assert_eq!(broken.len(), 10, "{broken:#?}");
    assert_eq!(broken[0], "Warning Broken (combined from similar events): text 09 x4");
    assert_eq!((&*broken[1], &*broken[9]), ("Warning Broken text 00 x1", "Warning Broken text 08 x1"));
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn events_of_a_flapping_object_are_rate_limited() {
    let (world, operator) = start().await;
    world.create::<Widget>(a_widget("w", json!({}))).await;
    world.create::<Widget>(a_widget("calm", json!({}))).await;
    quiet().await;
    let all = |world: &World| sent(world, "POST") + sent(world, "PATCH");
    let of_calm = all(&world) - 1;
    for _ in 0..40 {
        flap(&world, "no disk").await;
    }
    assert_eq!(all(&world) - of_calm, 25);
    tokio::time::sleep(Duration::from_secs(300)).await;
    flap(&world, "no disk").await;
    assert_eq!(all(&world) - of_calm, 26);
    world.merge::<Widget>("calm", json!({ "spec": { "fetch": "now and then" } })).await;
    quiet().await;
    assert_eq!(all(&world) - of_calm, 27, "the calm one may still speak");
    tokio::time::sleep(Duration::from_secs(300)).await;
    flap(&world, "no disk").await;
    let sent = events(&world).await;
    let counted = |what: &str| {
        sent.iter().any(|event| event.starts_with(what) && (event.ends_with(" x42") || event.ends_with(" x43")))
    };
    assert!(counted("Warning Broken no disk"), "those that were not sent are counted: {sent:#?}");
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_expired_event_is_created_again() {
    let (world, operator) = start().await;
    world.create::<Widget>(a_widget("w", json!({}))).await;
    quiet().await;
    flap(&world, "no disk").await;
    let all = world.api::<Event>();
    for event in all.list(&ListParams::default()).await.unwrap() {
        all.delete(event.metadata.name.as_deref().unwrap(), &Default::default()).await.unwrap();
    }
    flap(&world, "no disk").await;
    let sent = events(&world).await;
    assert!(sent.len() == 2 && sent.iter().all(|event| event.ends_with(" x1")), "{sent:#?}");
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_rejected_event_is_created_the_next_time() {
    let (world, operator) = start().await;
    world.create::<Widget>(a_widget("w", json!({}))).await;
    quiet().await;
    world.wire.fault(|call| call.is_event().then_some(Fault::Answer(500, None)));
    flap(&world, "no disk").await;
    world.wire.mend();
    flap(&world, "no disk").await;
    let sent = events(&world).await;
    assert_eq!(sent.iter().filter(|event| *event == "Warning Broken no disk x1").count(), 1, "{sent:#?}");
    operator.stop().await.unwrap();
}
