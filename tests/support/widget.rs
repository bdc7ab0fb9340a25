//! The widget: an operator whose behaviour is scripted by its test.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use evenkeel::ApiError;
use evenkeel::dependency::Reference;
use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::core::CustomResourceExt;
use kube::{CustomResource, ResourceExt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub use crate::lab::Lab;

/// What a widget should be.
#[derive(CustomResource, JsonSchema, Clone, Debug, Default, Deserialize, Serialize)]
#[kube(group = "tests.evenkeel.dev", version = "v1", kind = "Widget", namespaced, status = "WidgetStatus")]
#[serde(rename_all = "camelCase", default)]
pub struct WidgetSpec {
    /// What the fetch step does: `ok` unless set; `invalid`, `broken`, `poll`, `nothing`, `panic`, `hang`, `requeue`.
    pub fetch: Option<String>,
    /// What the store step does.
    pub store: Option<String>,
    /// A secret that fetch requires.
    pub secret: Option<String>,
    /// A config map that store owns holds this, and what else the store step reads: the label `tier`, the annotation `note`, the secret.
    pub child: Option<String>,
    /// Fetch stores what it found before store begins.
    pub record: bool,
    /// The widgets that have to be ready first, where the reconciler asks for them.
    pub depends_on: Option<Vec<Reference>>,
    /// A widget that a step requires, where the reconciler has such a step.
    pub needs: Option<Reference>,
    /// Nothing is done for it.
    pub suspend: Option<bool>,
    /// How often to look again.
    pub interval: Option<Interval>,
}

/// What a widget is.
#[evenkeel::status]
pub struct WidgetStatus {
    /// The revision that fetch found.
    pub fetched: Option<String>,
    /// The revision that store stored.
    pub stored: Option<String>,
    /// A time stamp, where the test wants that mistake.
    pub stamp: Option<String>,
}

/// The conditions of a widget.
#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub enum WidgetCondition {
    /// The revision is known.
    #[condition(positive)]
    Fetched,
    /// A newer revision exists than the stored one.
    #[condition(negative)]
    Outdated,
    /// The revision is stored.
    #[condition(positive)]
    Stored,
}

/// The condition of a copy of a widget.
#[derive(ConditionSet)]
#[condition_set(mod = is)]
pub enum CopyCondition {
    /// There is a copy.
    #[condition(positive)]
    Copied,
}

/// What can go wrong with a widget.
#[derive(Debug, thiserror::Error, ReconcileError)]
pub enum WidgetError {
    /// Stalled.
    #[error("the widget is not valid")]
    #[class(stalled)]
    Invalid,
    /// Waiting for a secret.
    #[error(transparent)]
    #[class(waiting)]
    SecretMissing(#[from] Absent<Secret>),
    /// Waiting for time to pass.
    #[error("not yet")]
    #[class(waiting(poll = "5s"))]
    NotYet,
    /// Transient.
    #[error("{0}")]
    #[class(transient)]
    Broken(String),
    /// A call failed.
    #[error(transparent)]
    #[class(transient)]
    Api(#[from] ApiError),
    /// Ignored.
    #[error("nothing to do")]
    #[class(ignored)]
    Nothing,
}

async fn act(how: Option<&str>) -> Result<(), WidgetError> {
    match how {
        Some("invalid") => Err(WidgetError::Invalid),
        Some("broken") => Err(WidgetError::Broken("out of order".into())),
        Some("poll") => Err(WidgetError::NotYet),
        Some("nothing") => Err(WidgetError::Nothing),
        Some("panic") => panic!("as the test wished"),
        Some("hang") => std::future::pending().await,
        _ => Ok(()),
    }
}

/// The value that the fetch step returns.
#[derive(Debug)]
pub struct Found {
    revision: String,
    secret: Option<String>,
}

impl From<&str> for Found {
    fn from(revision: &str) -> Self {
        Self { revision: revision.to_owned(), secret: None }
    }
}

fn opened(secret: &Secret) -> Option<String> {
    let data = secret.data.as_ref()?.get("k")?;
    Some(String::from_utf8_lossy(&data.0).into_owned())
}

/// Finds the revision.
#[sub_reconciler(sets(on::Fetched, on::Outdated), watches(Secret, by_name))]
pub async fn fetch(widget: &Widget, lab: &Arc<Lab>, cx: &mut Cx<'_, fetch>) -> Result<Found, WidgetError> {
    lab.fetches.fetch_add(1, Ordering::SeqCst);
    lab.note_step("fetch", widget);
    drop(lab.hold.lock().await);
    let secret = match &widget.spec.secret {
        Some(name) => opened(&cx.require::<Secret>(name).await?),
        None => None,
    };
    act(widget.spec.fetch.as_deref()).await?;
    let revision = lab.revision();
    if cx.status().stored.as_ref().is_some_and(|stored| *stored != revision) {
        cx.set(on::Outdated, ConditionStatus::True, "NewRevision", format!("revision {revision} is newer"));
    }
    if widget.spec.record {
        cx.status().fetched = Some(revision.clone());
        cx.commit().await?;
    }
    cx.status().fetched = Some(revision.clone());
    if lab.stamps {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        cx.status().stamp = Some(
            jiff::Timestamp::UNIX_EPOCH
                .checked_add(jiff::SignedDuration::try_from(now).unwrap_or_default())
                .unwrap_or_default()
                .to_string(),
        );
    }
    if widget.spec.fetch.as_deref() == Some("requeue") {
        cx.requeue_after(Duration::from_secs(3600));
    }
    Ok(Found { revision, secret })
}

/// The content of the child: everything that the store step reads.
fn content(widget: &Widget, lab: &Lab, found: &Found, data: &str) -> BTreeMap<String, String> {
    let code = Some(lab.code.load(Ordering::SeqCst)).filter(|code| *code > 0).map(|code| code.to_string());
    let read = [
        ("data", Some(data.to_owned())),
        ("tier", widget.labels().get("tier").cloned()),
        ("note", widget.annotations().get("note").cloned()),
        ("secret", found.secret.clone()),
        ("code", code),
    ];
    read.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

/// Stores the revision. The revision `bad` cannot be stored.
#[sub_reconciler(sets(on::Stored), clears(on::Outdated), owns(ConfigMap), external)]
pub async fn store(widget: &Widget, lab: &Arc<Lab>, found: &Found, cx: &mut Cx<'_, store>) -> Result<(), WidgetError> {
    lab.note_step("store", widget);
    act(widget.spec.store.as_deref()).await?;
    if found.revision == "bad" {
        return Err(WidgetError::Broken("a bad revision".into()));
    }
    let content = widget.spec.child.as_deref().map(|data| content(widget, lab, found, data));
    lab.affect(format!("store {} at {}: {content:?}", widget.name_any(), found.revision));
    if let Some(data) = content {
        let mut map = ConfigMap::default();
        map.metadata.name = Some(widget.name_any());
        map.data = Some(data);
        cx.apply(&map).await?;
    }
    cx.set(on::Stored, ConditionStatus::True, "Stored", format!("stored revision {}", found.revision));
    cx.status().stored = Some(found.revision.clone());
    Ok(())
}

/// Undoes the store.
#[cleanup(of = store)]
pub async fn remove(widget: &Widget, lab: &Arc<Lab>, _cx: &mut Cx<'_, store>) -> Result<(), WidgetError> {
    lab.cleanups.fetch_add(1, Ordering::SeqCst);
    lab.note_step("remove", widget);
    lab.affect(format!("remove {}", widget.name_any()));
    act(widget.spec.store.as_deref().filter(|how| *how != "broken" || lab.cleanups() < 3)).await
}

/// The pipeline.
#[reconciler(conditions = WidgetCondition, requeue = spec.interval, timeout = "3s", suspend(field = spec.suspend, annotation),
    policies(unobserved), previously(field_managers("old-tool")))]
pub async fn widget(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    let found = fetch(widget, lab, cx).await?;
    store(widget, lab, &found, cx).await?;
    Ok(())
}

/// The next revision of the code: another effect under the same name.
pub mod revised {
    use super::{Arc, Lab, Pass, PassResult, Widget, WidgetCondition, fetch, reconciler, store};

    /// The pipeline.
    #[reconciler(conditions = WidgetCondition, requeue = spec.interval, timeout = "3s", suspend(field = spec.suspend, annotation),
        policies(unobserved), revision = 2, previously(field_managers("old-tool")))]
    pub async fn widget(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
        let found = fetch(widget, lab, cx).await?;
        store(widget, lab, &found, cx).await?;
        Ok(())
    }
}

/// A widget with this name and spec.
#[must_use]
pub fn a_widget(name: &str, spec: Value) -> Value {
    let mut widget = json!({ "apiVersion": "tests.evenkeel.dev/v1", "kind": "Widget", "metadata": { "name": name } });
    widget["spec"] = spec;
    widget
}

/// The CRD of the kind.
#[must_use]
pub fn definition() -> k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition {
    Widget::crd()
}

/// The condition of the type in the raw object.
#[must_use]
pub fn condition<'a>(object: &'a Value, type_: &str) -> Option<&'a Value> {
    object["status"]["conditions"].as_array()?.iter().find(|c| c["type"] == type_)
}

/// The status of the condition in the raw object; empty if it is absent.
#[must_use]
pub fn status_of(object: &Value, type_: &str) -> String {
    condition(object, type_).and_then(|c| c["status"].as_str()).unwrap_or_default().to_owned()
}

/// The reason of the condition in the raw object; empty if it is absent.
#[must_use]
pub fn reason<'a>(object: &'a Value, type_: &str) -> &'a str {
    condition(object, type_).and_then(|c| c["reason"].as_str()).unwrap_or_default()
}

/// The message of the condition in the raw object; empty if it is absent.
#[must_use]
pub fn message<'a>(object: &'a Value, type_: &str) -> &'a str {
    condition(object, type_).and_then(|c| c["message"].as_str()).unwrap_or_default()
}

/// Whether the raw object is Ready for its own generation.
#[must_use]
pub fn is_ready(object: &Value) -> bool {
    status_of(object, "Ready") == "True" && object["status"]["observedGeneration"] == object["metadata"]["generation"]
}
