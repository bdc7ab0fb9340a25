//! Deletion with an external cleanup converges after any fault: external effects are always removed.

use std::time::Duration;

use evenkeel_tests::sweep::from_everywhere;
use evenkeel_tests::widget::{Lab, Widget, a_widget, definition, is_ready, widget};
use kube::api::DeleteParams;
use serde_json::{Value, json};

/// A widget with a child becomes ready, is changed, and becomes ready again; another one is deleted ten seconds after its creation.
async fn through(spec: Value) {
    from_everywhere(&definition(), async |stage| {
        for name in ["stays", "goes"] {
            stage.create::<Widget>(a_widget(name, spec.clone())).await;
        }
        let lab = Lab::at("a");
        stage.operate::<widget>(lab.clone());
        tokio::time::sleep(Duration::from_secs(10)).await;
        stage.api::<Widget>().delete("goes", &DeleteParams::default()).await.unwrap();
        stage.rest().await;
        assert!(is_ready(&stage.raw::<Widget>("stays").await));
        stage.merge::<Widget>("stays", json!({ "spec": { "child": "other" } })).await;
        stage.rest().await;
        assert!(is_ready(&stage.raw::<Widget>("stays").await));
        assert!(stage.api::<Widget>().get_opt("goes").await.unwrap().is_none());
        // The external effect of the deleted widget was removed if it was stored at all.
        let effects = lab.effects();
        let stored = effects.iter().any(|effect| effect.starts_with("store goes"));
        stored && !effects.contains("remove goes")
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_widget_with_a_child_converges_after_any_fault() {
    through(json!({ "child": "x" })).await;
}

#[tokio::test(start_paused = true)]
async fn a_widget_that_records_progress_converges_after_any_fault() {
    through(json!({ "child": "x", "record": true })).await;
}
