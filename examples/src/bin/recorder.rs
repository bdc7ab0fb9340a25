//! Records an event for each change of an object: a reconciler of a kind that a flag names.
//!
//! `cargo run -p examples --bin recorder -- --once` records one event on an API server in this process.
#![allow(missing_docs, unreachable_pub, reason = "it shows the shortest way, in a program of one file")]

use evenkeel::prelude::*;
use evenkeel::{Dynamic, EventLevel};
use k8s_openapi::api::events::v1::Event;
use kube::api::{Api, GroupVersionKind, ListParams};
use kube::discovery::pinned_kind;
use kube::{Client, ResourceExt};

const MAP: &str = "{apiVersion: v1, kind: ConfigMap, metadata: {name: recorded}, data: {a: '1'}}";

#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub enum RecordCondition {
    /// The change is recorded.
    #[condition(positive)]
    Recorded,
}

#[sub_reconciler(sets(on::Recorded))]
pub async fn record(object: &Dynamic, cx: &mut Cx) -> Result<(), ApiError> {
    cx.event(EventLevel::Normal, "Changed", format!("{} has changed", object.name_any()));
    Ok(())
}

#[reconciler(conditions = RecordCondition)]
pub async fn recorder(object: &Dynamic, cx: &mut Pass<'_>) -> PassResult {
    record(object, cx).await?;
    Ok(())
}

/// Finds the kind of `--kind apps/v1/Deployment`; the group of the core kinds is empty.
async fn operator(client: &Client) -> kube::Result<Operator> {
    let flag = examples::once::flag("--kind").unwrap_or_else(|| "/v1/ConfigMap".to_owned());
    let mut parts = flag.splitn(3, '/').map(ToOwned::to_owned);
    let [group, version, kind] = [(); 3].map(|()| parts.next().unwrap_or_default());
    let kind = pinned_kind(client, &GroupVersionKind { group, version, kind }).await?;
    Ok(Operator::new("recorder").dynamic_reconciler::<recorder>(kind, ()))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    examples::once::main_with(operator, MAP, async |client| {
        let events = Api::<Event>::default_namespaced(client.clone()).list(&ListParams::default()).await?;
        let mut notes = events.items.into_iter().filter_map(|event| event.note);
        Ok(notes.find(|note| note == "recorded has changed"))
    })
    .await
}
