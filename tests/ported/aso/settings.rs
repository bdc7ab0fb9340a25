//! Settings of an operator.

use std::time::Duration;

use evenkeel::prelude::*;
use serde_json::{Value, json};

use super::policy::effective;
use crate::stage::Stage;

pub(super) async fn adapter(given: Value) -> Value {
    let (key, value) = given.as_object().unwrap().iter().next().unwrap();
    match key.as_str() {
        "DEFAULT_RECONCILE_POLICY" => policy(value).await,
        "AZURE_TARGET_NAMESPACES" => {
            let names: Vec<&str> =
                value.as_str().unwrap().split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
            json!({ "watch": watched(&names).await })
        }
        "AZURE_SYNC_PERIOD" => period(value.as_str()).await,
        other => panic!("no setting {other}"),
    }
}

/// The policy of an object without one, in a namespace without one.
async fn policy(default: &Value) -> Value {
    if default.as_str().is_some_and(|text| !text.is_empty() && text.parse::<Policy>().is_err()) {
        return json!({ "startup_error": true });
    }
    let (policy, _stage) = effective(&Value::Null, &Value::Null, default).await;
    json!({ "startup_error": false, "policy": policy })
}

/// The pause between two resyncs: the text of the setting if it matches, else the seconds.
async fn period(text: Option<&str>) -> Value {
    let wanted = text.filter(|text| *text != "never").map(str::parse::<Interval>).transpose();
    let Ok(wanted) = wanted.map(|interval| interval.map(Duration::from)) else {
        return json!({ "startup_error": true });
    };
    let mut stage = Stage::new().await;
    stage.create(json!({}), json!({ "sync": wanted.map(|wanted| wanted.as_secs()) })).await;
    stage.operate(|operator| operator);
    tokio::time::sleep(wanted.unwrap_or(Duration::from_secs(2400)) * 3).await;
    // The first one has the phase of the object.
    match (stage.script.pauses("create_or_update").get(1), wanted) {
        (None, None) => json!({ "sync_period": "never" }),
        (Some(seconds), Some(wanted)) if is_near(*seconds, wanted) => json!({ "sync_period": text }),
        (found, _) => json!({ "sync_period": found }),
    }
}

/// Whether the pause is the interval, spread by a tenth at most.
fn is_near(seconds: f64, interval: Duration) -> bool {
    (seconds / interval.as_secs_f64() - 1.0).abs() < 0.1
}

/// The namespaces that the operator requests from the server.
async fn watched(names: &[&str]) -> Value {
    let mut stage = Stage::new().await;
    stage.operate(|operator| operator.namespaces(names));
    stage.settle().await;
    let calls = stage.world.wire.calls();
    let lists = calls.iter().filter(|call| call.path.ends_with("/outsides") && call.method == "GET");
    let mut asked: Vec<&str> =
        lists.filter_map(|call| call.path.split("/namespaces/").nth(1)?.split('/').next()).collect();
    asked.sort_unstable();
    asked.dedup();
    if asked.is_empty() { json!("all") } else { json!(asked) }
}
