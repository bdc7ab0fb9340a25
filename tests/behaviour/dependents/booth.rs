//! A kind whose steps read, write and fail in each way, for the command `render`.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use evenkeel::ApiError;
use evenkeel::dependents::{Dependents, DependentsError, Site};
use evenkeel::prelude::*;
use evenkeel_tests::widget::Lab;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::PostParams;
use kube::{Api, CustomResource, KubeSchema, ResourceExt};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::dependents::shop::named;

#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "tests.evenkeel.dev", version = "v1", kind = "Booth", namespaced, status = "BoothStatus")]
pub(crate) struct BoothSpec {
    /// The secret that `build` requires.
    login: Option<String>,
    /// What goes wrong.
    fault: Option<String>,
    /// `decorate` is skipped.
    #[serde(default)]
    closed: bool,
}

#[status(dependents)]
pub(crate) struct BoothStatus {}

#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub(crate) enum BoothCondition {
    /// The booth is announced.
    #[condition(positive)]
    Announced,
    /// The secret is stored.
    #[condition(positive)]
    Signed,
    /// The notice is read.
    #[condition(positive)]
    Noticed,
    /// The objects are as wanted.
    #[condition(positive)]
    Built,
    /// The decoration is as wanted.
    #[condition(positive)]
    Decorated,
}

#[derive(Debug, thiserror::Error, ReconcileError)]
pub(crate) enum BoothError {
    #[error(transparent)]
    #[class(transparent)]
    Dependents(#[from] DependentsError),
    #[error(transparent)]
    #[class(transparent)]
    Call(#[from] ApiError),
    #[error(transparent)]
    #[class(waiting)]
    NoSecret(#[from] Absent<Secret>),
    #[error(transparent)]
    #[class(waiting)]
    NoMap(#[from] Absent<ConfigMap>),
    #[error(transparent)]
    #[class(transient)]
    Client(#[from] kube::Error),
    #[error("the notice is not there")]
    #[class(transient)]
    NoNotice,
    #[error("the booth is not allowed")]
    #[class(stalled)]
    NotAllowed,
}

/// Changes the object only.
#[claim]
async fn label(booth: &mut Booth) -> Result<(), BoothError> {
    booth.labels_mut().insert("tier".into(), "web".into());
    Ok(())
}

/// It may change something else, since it has a dependency.
#[claim]
async fn ask(_: &mut Booth, lab: &Arc<Lab>) -> Result<(), BoothError> {
    lab.note("ask");
    Ok(())
}

#[sub_reconciler(sets(on::Announced), external)]
async fn announce(_: &Booth, lab: &Arc<Lab>, _cx: &mut Cx) -> Result<(), BoothError> {
    lab.note("announce");
    Ok(())
}

#[cleanup(of = announce)]
async fn recall(_: &Booth, lab: &Arc<Lab>, _cx: &mut Cx<'_, announce>) -> Result<(), BoothError> {
    lab.note("recall");
    Ok(())
}

#[sub_reconciler(sets(on::Signed), owns(Secret))]
async fn sign(booth: &Booth, cx: &mut Cx) -> Result<(), BoothError> {
    cx.apply::<Secret>(&named("signature", &json!({ "stringData": { "of": booth.name_any() } }))).await?;
    Ok(())
}

#[sub_reconciler(sets(on::Noticed), uses(ConfigMap, create))]
async fn notice(booth: &Booth, cx: &mut Cx) -> Result<Notice, BoothError> {
    match booth.spec.fault.as_deref() {
        Some("notice") => Err(BoothError::NoNotice),
        Some("forbidden") => Err(BoothError::NotAllowed),
        Some("client") => {
            let maps = Api::<ConfigMap>::default_namespaced(cx.client());
            maps.create(&PostParams::default(), &named("notice", &json!({}))).await?;
            Ok(Notice)
        }
        _ => Ok(Notice),
    }
}

/// What the notice says.
struct Notice;

async fn place(_: &Booth, _: &mut Cx<'_, build>) -> Result<Site, BoothError> {
    Ok(Site::here().namespace("elsewhere").service_account("robot"))
}

/// A number that is another one each time.
static NUMBER: AtomicUsize = AtomicUsize::new(0);

#[sub_reconciler(sets(on::Built), dependents(ConfigMap, Secret), watches(Secret, by_name), site = place)]
async fn build(booth: &Booth, cx: &mut Cx) -> Result<Dependents, BoothError> {
    let mut wanted = cx.wanted();
    let data = json!({ "of": booth.name_any(), "tier": booth.labels().get("tier") });
    wanted.add::<ConfigMap>(&named("walls", &json!({ "data": data }))).apply_order(1);
    if let Some(login) = &booth.spec.login {
        let secret = cx.require::<Secret>(login.as_str()).await?;
        let user = secret.data.unwrap_or_default().remove("user").unwrap_or_default();
        wanted.add::<Secret>(&named("key", &json!({ "stringData": { "user": String::from_utf8_lossy(&user.0) } })));
    }
    match booth.spec.fault.as_deref() {
        Some("invalid") => {
            wanted.add::<ConfigMap>(&named("roof", &json!({}))).object()["metadata"]["labels"] = json!({ "size": 1 });
        }
        Some("random") => {
            let number = NUMBER.fetch_add(1, Ordering::SeqCst).to_string();
            wanted.add::<ConfigMap>(&named("roof", &json!({ "data": { "number": number } })));
        }
        _ => {}
    }
    Ok(cx.converge(wanted).await?)
}

/// It needs what `build` has applied.
#[sub_reconciler(sets(on::Decorated), dependents(ConfigMap), watches(ConfigMap, by_name))]
async fn decorate(_: &Booth, cx: &mut Cx) -> Result<Dependents, BoothError> {
    let walls = cx.require::<ConfigMap>("walls").await?;
    let mut wanted = cx.wanted();
    wanted.add::<ConfigMap>(&named("lights", &json!({ "data": walls.data })));
    Ok(cx.converge(wanted).await?)
}

#[reconciler(conditions = BoothCondition, claim = label)]
pub(crate) async fn booth(booth: &Booth, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    announce(booth, lab, cx).await?;
    sign(booth, cx).await?;
    notice(booth, cx).await?;
    build(booth, cx).await?;
    if booth.spec.closed {
        skip(decorate, "Closed");
    } else {
        decorate(booth, cx).await?;
    }
    Ok(())
}

/// It needs the notice.
#[sub_reconciler(sets(on::Built), dependents(ConfigMap))]
async fn copy(_: &Booth, _notice: &Notice, cx: &mut Cx) -> Result<Dependents, BoothError> {
    let mut wanted = cx.wanted();
    wanted.add::<ConfigMap>(&named("walls", &json!({})));
    Ok(cx.converge(wanted).await?)
}

#[reconciler(conditions = BoothCondition, claim = ask)]
pub(crate) async fn strict(booth: &Booth, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    announce(booth, lab, cx).await?;
    sign(booth, cx).await?;
    let notice = notice(booth, cx).await?;
    copy(booth, &notice, cx).await?;
    decorate(booth, cx).await?;
    Ok(())
}

pub(crate) fn a_booth(spec: &Value) -> String {
    let meta = json!({ "name": "b", "namespace": "team-a" });
    json!({ "apiVersion": "tests.evenkeel.dev/v1", "kind": "Booth", "metadata": meta, "spec": spec }).to_string()
}
