//! The retry pace and the events of errors, as declared by their variants.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::sync::Arc;
use std::time::Duration;

use evenkeel::prelude::*;
use evenkeel_testkit::eventually;
use evenkeel_tests::recording_client::Call;
use evenkeel_tests::test_env::{SOON, Server, World};
use evenkeel_tests::widget::{Lab, Widget, a_widget, definition};
use serde_json::json;

/// Fails as its spec names.
mod paced {
    use super::*;

    #[derive(ConditionSet)]
    #[condition_set(mod = is)]
    pub(super) enum PaceCondition {
        /// It is through.
        #[condition(positive)]
        Through,
    }

    #[derive(Debug, thiserror::Error, ReconcileError)]
    pub(super) enum PaceError {
        #[error("fast")]
        #[class(transient, retry = "fast", severity = "info")]
        Fast,
        #[error("slow")]
        #[class(transient, retry = "slow")]
        Slow,
        #[error("very slow")]
        #[class(transient, retry = "very-slow", severity = "error")]
        VerySlow,
        #[error("postponed")]
        #[class(waiting(poll = requeue))]
        Postponed,
    }

    #[sub_reconciler(sets(is::Through))]
    async fn go(widget: &Widget, lab: &Arc<Lab>, _cx: &mut Cx) -> Result<(), PaceError> {
        lab.note("tried");
        match widget.spec.fetch.as_deref() {
            Some("fast") => Err(PaceError::Fast),
            Some("slow") => Err(PaceError::Slow),
            Some("very slow") => Err(PaceError::VerySlow),
            Some("postponed") => Err(PaceError::Postponed),
            _ => Ok(()),
        }
    }

    #[reconciler(conditions = PaceCondition, requeue = "2h")]
    pub(super) async fn pace(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
        go(widget, lab, cx).await?;
        Ok(())
    }
}

/// The longest pause between two attempts of a day, and the number of attempts.
async fn tries(how: &str) -> (u64, usize) {
    let lab = Lab::at("a");
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    let operator = world.operator::<paced::pace>(lab.clone());
    world.create::<Widget>(a_widget("w", json!({ "fetch": how }))).await;
    tokio::time::sleep(Duration::from_secs(24 * 3600)).await;
    operator.stop().await.unwrap();
    let pauses = lab.pauses("tried");
    (pauses.iter().max().unwrap().as_secs(), pauses.len())
}

#[tokio::test(start_paused = true)]
async fn an_error_variant_sets_its_retry_pace() {
    // At most 30 s, 10 min and 2 h apart, less up to a quarter of jitter.
    for (how, longest, least) in [("fast", 30, 2800), ("slow", 600, 140), ("very slow", 7200, 11)] {
        let (found, times) = tries(how).await;
        assert!(found <= longest && times >= least && times <= least * 3 / 2, "{how}: {found} s, {times} times");
    }
    // At the resyncs, which are two hours apart, plus or minus their jitter.
    let (found, times) = tries("postponed").await;
    assert!((5400..=9000).contains(&found) && (9..=15).contains(&times), "postponed: {found} s, {times} times");
}

#[tokio::test(start_paused = true)]
async fn the_severity_of_an_error_sets_its_event_type() {
    let (lab, world) = (Lab::at("a"), World::on(Server::InProcess).await.unwrap());
    world.install(&definition()).await;
    let operator = world.operator::<paced::pace>(lab.clone());
    for (name, how, reason, type_) in
        [("a", "fast", "Fast", "Normal"), ("b", "slow", "Slow", "Warning"), ("c", "very slow", "VerySlow", "Warning")]
    {
        world.create::<Widget>(a_widget(name, json!({ "fetch": how }))).await;
        let (reason, type_) = (format!("\"{reason}\""), format!("\"{type_}\""));
        let is_event = |call: &Call| {
            call.is_event() && call.is_write() && call.body.contains(&reason) && call.body.contains(&type_)
        };
        eventually(SOON, || async { (world.wire.count(is_event) == 1).then_some(()) }).await;
    }
    operator.stop().await.unwrap();
}
