//! A status has one shape.
use evenkeel::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(kube::CustomResource, JsonSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "ui.evenkeel.dev", version = "v1", kind = "Mirror", namespaced, status = "MirrorStatus")]
struct MirrorSpec {}

#[status]
pub struct MirrorStatus<T> {
    pub revision: Option<T>,
    pub note: Option<String>,
}

fn main() {
    let _ = MirrorStatus::default().note;
}
