//! The framework needs its fields.
use evenkeel::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ui_tests::{RepoError, on};

#[derive(kube::CustomResource, JsonSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "ui.evenkeel.dev", version = "v1", kind = "Mirror", namespaced, status = "MirrorStatus")]
struct MirrorSpec {}

#[derive(JsonSchema, Clone, Debug, Default, Deserialize, Serialize)]
struct MirrorStatus {}

#[sub_reconciler(sets(on::SourceFetched))]
async fn fetch(_mirror: &Mirror, _cx: &mut Cx) -> Result<(), RepoError> {
    Ok(())
}

fn main() {
    let _ = fetch;
}
