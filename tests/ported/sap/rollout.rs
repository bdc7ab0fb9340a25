//! The revision of a set, and the time within which it has to be ready.

use std::time::Duration;

use serde_json::{Value, json};

use super::lab::{Lab, of_map};

/// A set whose content has moved as often as the revision says, and then once more or not.
pub(super) async fn revision(given: Value) -> Value {
    let lab = Lab::running().await;
    let text = |key: &str| given[key].as_str().unwrap();
    for past in 1..given["revision"].as_u64().unwrap() {
        lab.apply("x", of_map(&format!("past {past}"), &json!({}))).await;
    }
    for digest in [text("last_processing_digest"), text("processing_digest")] {
        lab.apply("x", of_map(digest, &json!({}))).await;
        lab.trigger("x");
        lab.settle().await;
    }
    json!({ "revision": lab.component("x").await["status"]["dependents"]["component/install"]["revision"] })
}

/// The time within which a set has to be ready, and half of it.
const LIMIT: Duration = Duration::from_secs(600);
const HALF: Duration = Duration::from_secs(300);

/// Something changes after half of the time.
pub(super) async fn restart(given: Value) -> Value {
    let lab = Lab::running().await;
    let spec = |content: &str| json!({ "objects": [{ "kind": "Foo", "name": "foo", "content": content }] });
    lab.open("x", spec("old")).await;
    tokio::time::sleep(HALF).await;
    match given["changed"].as_str() {
        Some("component") => lab.change("x", json!({ "spec": spec("new") })).await,
        Some("dependent status") => lab.set_ready("foo", "False").await,
        None => {}
        Some(other) => panic!("no adapter changes `{other}`"),
    }
    assert_eq!(lab.reason("x", "Healthy").await, "DependentsProgressing");
    tokio::time::sleep(LIMIT - HALF).await;
    let is_late = lab.reason("x", "Healthy").await == "DependentsTimedOut";
    tokio::time::sleep(HALF).await;
    assert_eq!(lab.reason("x", "Healthy").await, "DependentsTimedOut");
    json!({ "restarts": !is_late })
}
