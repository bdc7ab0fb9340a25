//! A watcher of Namespaces, which writes nothing to them.

use std::convert::Infallible;
use std::sync::Arc;

use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::Namespace;
use kube::ResourceExt;

use crate::journal::Journal;

/// Records the namespaces of teams.
#[watcher(plain, labels = "app.evenkeel.dev/team")]
pub async fn namespaces(event: Event<'_, Namespace>, journal: &Arc<Journal>) -> Result<(), Infallible> {
    let action = event.action().to_lowercase();
    journal.record(format!("{action} namespace {}", event.object().name_any()));
    Ok(())
}
