//! The message of a success: the doc comment of its condition, unless a step sets another one.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use evenkeel::prelude::*;
use evenkeel_tests::on_each_server;
use evenkeel_tests::recording_client::Call;
use evenkeel_tests::test_env::World;
use evenkeel_tests::widget::{is_ready, message};
use kube::{CustomResource, CustomResourceExt as _};
use schemars::JsonSchema;
use serde_json::{Value, json};

#[derive(CustomResource, JsonSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "tests.evenkeel.dev", version = "v1", kind = "Parcel", namespaced, status = "ParcelStatus")]
pub(crate) struct ParcelSpec {
    /// Something to say of it: `sent`, `late`, `empty`, `unsent` or `ready`.
    pub say: Option<String>,
}

#[evenkeel::status]
pub(crate) struct ParcelStatus {}

/// An operator.
mod before {
    use super::*;

    #[derive(ConditionSet)]
    #[condition_set(mod = on)]
    pub(super) enum ParcelCondition {
        /// It was sent, e.g. by mail, and
        /// will arrive. A carrier brings it.
        #[condition(positive)]
        Sent,
        /// It takes longer than promised.
        #[condition(negative)]
        Late,
    }

    #[sub_reconciler(sets(on::Sent, on::Late))]
    async fn send(parcel: &Parcel, cx: &mut Cx) -> Result<(), ApiError> {
        match parcel.spec.say.as_deref() {
            Some("sent") => cx.set(on::Sent, ConditionStatus::True, "Posted", "it is at the post office"),
            Some("late") => cx.set(on::Late, ConditionStatus::True, "Snow", ""),
            Some("empty") => cx.set(on::Sent, ConditionStatus::True, "Posted", ""),
            Some("unsent") => cx.set(on::Sent, ConditionStatus::False, "Unsent", ""),
            Some("ready") => cx.ready("Posted", ""),
            _ => {}
        }
        Ok(())
    }

    #[reconciler(conditions = ParcelCondition)]
    pub(super) async fn parcel(parcel: &Parcel, cx: &mut Pass<'_>) -> PassResult {
        send(parcel, cx).await?;
        Ok(())
    }
}

/// The same with another doc comment.
mod after {
    use super::*;

    #[derive(ConditionSet)]
    #[condition_set(mod = on)]
    pub(super) enum ParcelCondition {
        /// It is on its way.
        #[condition(positive)]
        Sent,
        /// It takes longer than it should.
        #[condition(negative)]
        Late,
    }

    #[sub_reconciler(sets(on::Sent, on::Late))]
    async fn send(_parcel: &Parcel, _cx: &mut Cx) -> Result<(), ApiError> {
        Ok(())
    }

    #[reconciler(conditions = ParcelCondition)]
    pub(super) async fn parcel(parcel: &Parcel, cx: &mut Pass<'_>) -> PassResult {
        send(parcel, cx).await?;
        Ok(())
    }
}

const SENT: &str = "It was sent, e.g. by mail, and will arrive.";

async fn create(world: &World, name: &str, say: Option<&str>) {
    let object = json!({
        "apiVersion": "tests.evenkeel.dev/v1", "kind": "Parcel", "metadata": { "name": name }, "spec": { "say": say },
    });
    world.create::<Parcel>(object).await;
}

async fn a_true_condition_has_the_doc_sentence_or_step_message(world: World) -> World {
    world.install(&Parcel::crd()).await;
    let operator = world.operator::<before::parcel>(());
    for (say, type_, wanted) in [
        (None, "Sent", SENT),
        (None, "Ready", SENT),
        (Some("sent"), "Sent", "it is at the post office"),
        (Some("sent"), "Ready", "it is at the post office"),
        (Some("empty"), "Sent", SENT),
        (Some("ready"), "Ready", SENT),
        (Some("late"), "Late", "It takes longer than promised."),
        (Some("late"), "Sent", SENT),
        (Some("unsent"), "Sent", ""),
    ] {
        let name = format!("{}-{}", say.unwrap_or("nothing"), type_.to_lowercase());
        create(&world, &name, say).await;
        let ended = |p: &Value| !p["status"]["conditions"].is_null();
        let object = world.until::<Parcel>(&name, "seen", ended).await;
        assert_eq!(message(&object, type_), wanted, "{object:#}");
    }
    operator.stop().await.unwrap();
    world
}

async fn another_doc_comment_writes_nothing_until_the_body_runs(world: World) -> World {
    world.install(&Parcel::crd()).await;
    let operator = world.operator::<before::parcel>(());
    create(&world, "p", None).await;
    world.until::<Parcel>("p", "ready", is_ready).await;
    operator.stop().await.unwrap();
    world.wire.clear();
    let operator = world.operator::<after::parcel>(());
    world.quiet().await;
    assert_eq!(world.wire.count(Call::is_write), 0, "{:#?}", world.wire.calls());
    assert_eq!(message(&world.raw::<Parcel>("p").await, "Sent"), SENT);
    world.merge::<Parcel>("p", json!({ "spec": { "say": "nothing" } })).await;
    let again = |p: &Value| p["status"]["observedGeneration"] == 2 && is_ready(p);
    let object = world.until::<Parcel>("p", "ready again", again).await;
    assert_eq!(message(&object, "Sent"), "It is on its way.");
    assert_eq!(world.wire.count(Call::is_status_write), 1, "{:#?}", world.wire.calls());
    operator.stop().await.unwrap();
    world
}

on_each_server!(
    a_true_condition_has_the_doc_sentence_or_step_message,
    another_doc_comment_writes_nothing_until_the_body_runs,
);
