//! A transparent variant of an error: everything is that of the error in its field.

use std::sync::Arc;
use std::time::Duration;

use evenkeel::prelude::*;
use evenkeel::{Actions, ApiError, Class, Reconciler, Retry};
use evenkeel_tests::on_each_server;
use evenkeel_tests::test_env::World;
use evenkeel_tests::widget::{Lab, Widget, WidgetCondition, a_widget, condition, definition, on};
use serde_json::json;

#[derive(Debug, thiserror::Error, ReconcileError)]
enum DiskError {
    /// The disk is full.
    #[error("the disk is full")]
    #[class(waiting(poll = "2m"), reason = "DiskFull", event = "warning")]
    Full,
    /// The disk is slow.
    #[error("the disk is slow")]
    #[class(transient, retry = "fast")]
    Slow,
}

#[derive(Debug, thiserror::Error, ReconcileError)]
enum StepError {
    /// The name is wrong.
    #[error("the name is wrong")]
    #[class(stalled)]
    WrongName,
    /// Not shown: the variants of the field have documentation of their own.
    #[error(transparent)]
    #[class(transparent)]
    Disk(#[from] DiskError),
    #[error(transparent)]
    #[class(transparent)]
    Call {
        /// A field with a name works as well.
        #[from]
        error: ApiError,
    },
}

#[sub_reconciler(sets(on::Fetched, on::Outdated, on::Stored))]
async fn store(widget: &Widget, _: &Arc<Lab>, _cx: &mut Cx) -> Result<(), StepError> {
    match widget.spec.fetch.as_deref() {
        Some("full") => Err(DiskError::Full.into()),
        Some("forbidden") => Err(ApiError::Forbidden("no".into()).into()),
        Some(_) => Err(StepError::WrongName),
        None => Ok(()),
    }
}

#[reconciler(conditions = WidgetCondition)]
async fn keeper(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    store(widget, lab, cx).await?;
    Ok(())
}

on_each_server!(a_condition_has_the_reason_of_the_error_in_the_field);

async fn a_condition_has_the_reason_of_the_error_in_the_field(world: World) -> World {
    world.install(&definition()).await;
    let operator = world.operator::<keeper>(Lab::at("a"));
    for (fetch, reason, message) in [
        ("full", "DiskFull", "the disk is full"),
        ("forbidden", "Forbidden", "no"),
        ("other", "WrongName", "the name is wrong"),
    ] {
        world.create::<Widget>(a_widget(fetch, json!({ "fetch": fetch }))).await;
        let is_shown = |object: &serde_json::Value| {
            condition(object, "Ready").is_some_and(|ready| {
                ready["reason"] == reason && ready["message"].as_str().is_some_and(|text| text.contains(message))
            })
        };
        world.until::<Widget>(fetch, reason, is_shown).await;
    }
    operator.stop().await.unwrap();
    world
}

#[test]
fn everything_is_that_of_the_error_in_the_field() {
    let full = StepError::from(DiskError::Full);
    assert_eq!(full.class(), Class::Waiting { poll: Some(Duration::from_secs(120)) });
    assert_eq!((full.reason(), full.retry(), full.actions()), ("DiskFull", Retry::Slow, DiskError::Full.actions()));
    assert_ne!(full.actions(), Actions::WAITING, "the event is a warning");
    let slow = StepError::from(DiskError::Slow);
    assert_eq!((slow.class(), slow.reason(), slow.retry()), (Class::Transient, "Slow", Retry::Fast));
    let call = StepError::from(ApiError::Forbidden("no".into()));
    assert_eq!((call.class(), call.reason()), (Class::Transient, "Forbidden"));
    assert_eq!((StepError::WrongName.class(), StepError::WrongName.retry()), (Class::Stalled, Retry::Slow));
}

#[test]
fn the_variants_are_listed_in_place_of_the_transparent_one() {
    let own = &StepError::VARIANTS[0];
    assert_eq!((own.reason, own.class, own.doc), ("WrongName", "stalled", "The name is wrong."));
    let inner: Vec<_> = DiskError::VARIANTS.iter().chain(ApiError::VARIANTS).collect();
    assert_eq!(StepError::VARIANTS[1..].iter().collect::<Vec<_>>(), inner);
    assert_eq!(keeper::WIRING.steps[0].errors, StepError::VARIANTS, "the reference page and the contract have them");
}
