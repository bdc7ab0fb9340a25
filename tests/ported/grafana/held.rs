//! A watcher with two finalizers: one while an object is being added, the other one afterwards.

use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::{Value, json};

use super::excluded;
use super::kinds::{Foreign, Policy};
use super::lab::{Kept, Lab, NAMESPACE};
use super::plot::End;
use super::watchers::{Held, HeldMaps};

/// Sets the outcomes of the methods and of the writes of finalizers.
fn follow(lab: &Lab, given: &Value) {
    for method in ["add", "sync", "delete"] {
        if given[method] == "error" {
            lab.plot.always(method, End::error(&format!("{method} error"), Policy::default()));
        }
    }
    let code = |answer: &Value| match answer.as_str() {
        Some("ok") => 0,
        Some("conflict") => 409,
        other => panic!("{other:?}"),
    };
    let mut state = lab.plot.lock();
    match &given["patch"] {
        Value::Array(answers) => state.answers.extend(answers.iter().map(code)),
        Value::String(_) => state.answer = 500,
        _ => {}
    }
}

/// What happened since the case began.
async fn found<K: Kept>(lab: &Lab) -> Value {
    lab.settle().await;
    let (calls, changes, order) = (lab.plot.calls(), lab.plot.changes(), lab.plot.lock().order.clone());
    let calls: Vec<&str> = calls.into_iter().map(|call| call.method).collect();
    let (attempts, reads) = (lab.plot.lock().attempts.len(), lab.reads());
    let held = lab.held::<K>().await;
    tokio::time::sleep(Duration::from_secs(10)).await;
    json!({
        "calls": calls,
        "finalizer_patches": changes.iter().filter(|change| change.starts_with("remove")).collect::<Vec<_>>(),
        "order": order,
        "finalizers_after": held,
        "patch_attempts": attempts,
        "object_refetched": reads,
        "error": lab.plot.error(),
    })
}

/// An object that the operator lists.
pub(super) async fn add(given: Value) -> Value {
    if given.get("object").is_some() {
        return excluded();
    }
    let mut lab = Lab::new().await;
    lab.create_held::<Foreign>(&given["finalizers"]).await;
    if given["deleting"] == true {
        lab.delete::<Foreign>().await;
    }
    follow(&lab, &given);
    lab.operate::<Held>(Held(lab.plot.clone()));
    found::<Foreign>(&lab).await
}

/// A change of an object that the operator has listed.
pub(super) async fn update(given: Value) -> Value {
    if given["old"].is_null() {
        return excluded();
    }
    let (old, new) = (&given["old"], &given["new"]);
    let is_held = |version: &Value, name: &str| version["finalizers"] == json!([name]);
    let is_other = old["generation"] != new["generation"];
    let mut lab = Lab::new().await;
    if old["generation"] == 0 {
        return changed_map(&mut lab).await;
    }
    if !is_held(old, "ours") && is_held(new, "ours") && new["deleting"] != true {
        return appeared(&mut lab, is_other).await;
    }
    if is_held(old, "wip") {
        lab.plot.next("add", [End::error("add error", Policy::default())]);
    }
    lab.operate::<Held>(Held(lab.plot.clone()));
    lab.create::<Foreign>("x").await;
    lab.settle().await;
    lab.begin();
    follow(&lab, &given);
    match (new["deleting"] == true, is_other) {
        (true, false) => lab.delete::<Foreign>().await,
        (false, true) => lab.rewrite::<Foreign>("two").await,
        (false, false) => lab.label::<Foreign>().await,
        (true, true) => panic!("{given}"),
    }
    found::<Foreign>(&lab).await
}

/// A kind without generations.
async fn changed_map(lab: &mut Lab) -> Value {
    lab.operate::<HeldMaps>(HeldMaps(lab.plot.clone()));
    lab.create::<ConfigMap>("x").await;
    lab.settle().await;
    lab.begin();
    lab.rewrite::<ConfigMap>("two").await;
    found::<ConfigMap>(lab).await
}

/// The next version that the operator sees has its own finalizer, and another spec if `is_other`.
async fn appeared(lab: &mut Lab, is_other: bool) -> Value {
    lab.plot.lock().takes.insert("x".into(), Duration::from_secs(10));
    lab.operate::<Held>(Held(lab.plot.clone()));
    lab.create::<Foreign>("x").await;
    lab.settle().await;
    // The watch ends while the object is being added, and cannot begin again before all of it is over.
    lab.plot.lock().is_down = true;
    lab.world.cluster().drop_watches();
    tokio::time::sleep(Duration::from_secs(15)).await;
    assert_eq!(lab.held::<Foreign>().await, ["ours"]);
    if is_other {
        lab.rewrite::<Foreign>("two").await;
    }
    lab.world.cluster().compact();
    lab.begin();
    lab.plot.lock().is_down = false;
    tokio::time::sleep(Duration::from_secs(120)).await;
    let mut found = found::<Foreign>(lab).await;
    if let [call] = lab.plot.calls().as_slice()
        && is_other
    {
        let names = |text: &str| if text == "one" { "old" } else { "new" };
        let old = call.old.as_deref().map(|old| format!("{},", names(old))).unwrap_or_default();
        found["calls"] = json!([format!("{}({old}{})", call.method, names(&call.text))]);
    }
    found
}

/// The watch reports that an object is gone: one that was deleted, and one whose finalizer another client removed.
pub(super) async fn delete(_given: Value) -> Value {
    let mut lab = Lab::new().await;
    lab.operate::<Held>(Held(lab.plot.clone()));
    lab.create::<Foreign>("x").await;
    lab.settle().await;
    let ours_and_hold = json!({ "metadata": { "finalizers": ["example.com/ours", "example.com/hold"] } });
    lab.world.merge::<Foreign>("x", ours_and_hold).await;
    lab.delete::<Foreign>().await;
    lab.settle().await;
    assert_eq!(lab.plot.methods(), ["add", "delete"]);
    lab.begin();
    lab.world.merge::<Foreign>("x", json!({ "metadata": { "finalizers": null } })).await;
    let handled = found::<Foreign>(&lab).await;
    assert_eq!(handled["calls"], json!([]), "an object that was handled");
    lab.create::<Foreign>("x").await;
    lab.settle().await;
    lab.begin();
    assert!(lab.world.cluster().delete_despite_finalizers::<Foreign>(NAMESPACE, "x"));
    found::<Foreign>(&lab).await
}
