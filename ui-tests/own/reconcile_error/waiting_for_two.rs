//! One object is waited for at a time.
use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};

#[derive(Debug, thiserror::Error, ReconcileError)]
enum Missing {
    #[error("{0} and {1} are missing")]
    #[class(waiting)]
    Both(Absent<Secret>, Absent<ConfigMap>),
}

fn main() {
    let _: fn(&Missing) -> &'static str = Missing::reason;
}
