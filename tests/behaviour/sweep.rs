//! The widget goes through the fault sweep: trouble at each call and each await, and always the same end.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::sync::Arc;
use std::time::Duration;

use evenkeel::Operator;
use evenkeel_testkit::{Crash, Effect, Report, Seed, Sweep, Trouble, eventually, until};
use evenkeel_tests::widget::{Lab, Widget, a_widget, definition, is_ready, widget};
use kube::Api;
use kube::api::{DeleteParams, Patch, PatchParams};
use serde_json::{Value, json};

const LONG: Duration = Duration::from_secs(1200);

fn ready(widget: &Widget) -> bool {
    is_ready(&serde_json::to_value(widget).unwrap())
}

/// A widget with a child is made ready, changed, and made ready again; another one is deleted ten seconds after its creation.
async fn through(sweep: Sweep, spec: Value) -> Report {
    // It holds digests of uids.
    let report = sweep.ignore("status.observedInputs").run(async |trial| {
        let widgets: Api<Widget> = Api::default_namespaced(trial.client());
        let seed = Seed::from(&definition()).and(a_widget("stays", spec.clone())).and(a_widget("goes", spec.clone()));
        trial.cluster().seed(seed).await.unwrap();
        let lab = Lab::at("a");
        let of_operator = Arc::clone(&lab);
        trial.operate(move |client| {
            let operator = Operator::new("tester").client(client).reconciler::<widget>(of_operator.clone());
            operator.run_until(std::future::pending())
        });
        tokio::time::sleep(Duration::from_secs(10)).await;
        widgets.delete("goes", &DeleteParams::default()).await.unwrap();
        until(&widgets, "stays", LONG, ready).await;
        let patch = Patch::Merge(json!({ "spec": { "child": "other" } }));
        widgets.patch("stays", &PatchParams::default(), &patch).await.unwrap();
        until(&widgets, "stays", LONG, |widget| widget.metadata.generation == Some(2) && ready(widget)).await;
        eventually(LONG, || async { widgets.get_opt("goes").await.unwrap().is_none().then_some(()) }).await;
        // What was stored outside for the widget that is gone was removed, if it was stored at all.
        let effects = lab.effects();
        let stored = effects.iter().any(|effect| effect.starts_with("store goes"));
        stored && !effects.contains("remove goes")
    });
    report.await
}

#[tokio::test(start_paused = true)]
async fn a_widget_with_a_child_converges_from_everywhere() {
    through(Sweep::new(), json!({ "child": "x" })).await.assert_converged();
}

#[tokio::test(start_paused = true)]
async fn a_widget_that_records_its_progress_converges_from_everywhere() {
    let troubles = [Trouble::Fault(Effect::Internal), Trouble::Crash(Crash::Before), Trouble::Crash(Crash::After)];
    let sweep = Sweep::new().troubles(troubles);
    through(sweep, json!({ "child": "x", "record": true })).await.assert_converged();
}
