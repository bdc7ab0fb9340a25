//! Settings of an operator.

use std::time::Duration;

use evenkeel::prelude::*;
use serde_json::{Value, json};

use crate::stage::Stage;

pub(super) async fn adapter(given: Value) -> Value {
    let (key, value) = given.as_object().unwrap().iter().next().unwrap();
    match key.as_str() {
        "DEFAULT_RECONCILE_POLICY" => match value.as_str() {
            Some(text) => json!({ "startup_error": text.parse::<Policy>().is_err() }),
            None => {
                let mut stage = Stage::new().await;
                stage.create(json!({}), json!({})).await;
                stage.operate(|operator| operator);
                stage.settle().await;
                json!({ "policy": if stage.script.count("create_or_update") == 1 { "manage" } else { "skip" } })
            }
        },
        "AZURE_TARGET_NAMESPACES" => {
            let names: Vec<&str> =
                value.as_str().unwrap().split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
            json!({ "watch": watched(&names).await })
        }
        _ => {
            let mut stage = Stage::new().await;
            stage.create(json!({}), json!({})).await;
            stage.operate(|operator| operator);
            tokio::time::sleep(Duration::from_secs(7200)).await;
            json!({ "sync_period": if stage.script.count("create_or_update") > 1 { "1h" } else { "never" } })
        }
    }
}

/// Which namespaces the operator asks the server for.
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
