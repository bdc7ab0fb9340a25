//! The operator of the sequences, and the mistakes that it can make.

use std::sync::atomic::{AtomicU32, Ordering};

use evenkeel::dependents::{Dependents, DependentsError};
use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::ResourceExt;
use kube::api::{Api, DeleteParams, ListParams, PostParams};
use serde_json::json;

use super::super::shop::{Part, PartSpec, Shop, named};

/// A mistake of the operator, to show that the sequences find it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mistake {
    None,
    /// The waves are ignored.
    NoWaves,
    /// The config map `b` is left out.
    LeavesOut,
    /// Each pass wants other objects.
    Counts,
    /// Config maps without our mark are deleted.
    DeletesOfOthers,
    /// A secret is created without its kind in the register.
    Unregistered,
}

#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub(crate) enum SetCondition {
    /// All objects are as wanted, and ready.
    #[condition(positive)]
    Kept,
    /// The step that makes some of the mistakes has run.
    #[condition(positive)]
    Meddled,
}

#[derive(Debug, thiserror::Error, ReconcileError)]
pub(crate) enum SetError {
    #[error(transparent)]
    #[class(transparent)]
    Dependents(#[from] DependentsError),
    #[error(transparent)]
    #[class(transient)]
    Call(#[from] kube::Error),
}

static COUNT: AtomicU32 = AtomicU32::new(0);

/// Makes the mistakes that no set of dependents can make.
#[sub_reconciler(sets(on::Meddled), uses(ConfigMap, list, delete), uses(Secret, create))]
async fn meddle(shop: &Shop, mistake: &Mistake, cx: &mut Cx) -> Result<(), SetError> {
    let namespace = shop.namespace().unwrap_or_default();
    let handled = shop.status.as_ref().and_then(|status| status.last_handled_reconcile_at.as_ref());
    // A requested pass must send nothing, and another test looks for that.
    let is_requested = shop.annotations().get("evenkeel.dev/requestedAt") != handled;
    match mistake {
        Mistake::DeletesOfOthers if !is_requested => {
            let maps: Api<ConfigMap> = Api::namespaced(cx.client(), &namespace);
            for map in maps.list(&ListParams::default()).await? {
                if !map.labels().contains_key("evenkeel.dev/dependent-of") {
                    maps.delete(&map.name_any(), &DeleteParams::default()).await?;
                }
            }
        }
        Mistake::Unregistered if shop.spec.secret.is_none() => {
            let secrets: Api<Secret> = Api::namespaced(cx.client(), &namespace);
            secrets.create(&PostParams::default(), &named("rogue", &json!({}))).await?;
        }
        _ => {}
    }
    Ok(())
}

#[sub_reconciler(sets(on::Kept), dependents(ConfigMap, Secret, Part, policies = spec.policies, ready_within = "9h"))]
async fn keep(shop: &Shop, mistake: &Mistake, cx: &mut Cx) -> Result<Dependents, SetError> {
    let mut wanted = cx.wanted();
    for (name, value) in &shop.spec.maps {
        if *mistake == Mistake::LeavesOut && name == "b" {
            continue;
        }
        let mut map: ConfigMap = named(name, &json!({ "data": { "value": value } }));
        map.metadata.annotations = Some(shop.spec.annotations.clone()).filter(|all| !all.is_empty());
        if *mistake == Mistake::Counts {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            map.annotations_mut().insert("count".into(), count.to_string());
        }
        wanted.add(&map);
    }
    if let Some(secret) = &shop.spec.secret {
        wanted.add::<Secret>(&named("login", &json!({ "stringData": { "value": secret } })));
    }
    for (name, wave) in &shop.spec.parts {
        let mut part = Part::new(name, PartSpec { size: 1 });
        part.annotations_mut().insert("evenkeel.dev/status-hint".into(), "has-ready-condition".into());
        let wave = if *mistake == Mistake::NoWaves { 0 } else { *wave };
        wanted.add(&part).apply_order(wave).delete_order(-wave);
    }
    Ok(cx.converge(wanted).await?)
}

#[reconciler(conditions = SetCondition)]
pub(crate) async fn set(shop: &Shop, mistake: &Mistake, cx: &mut Pass<'_>) -> PassResult {
    meddle(shop, mistake, cx).await?;
    if shop.spec.closed {
        skip(keep, "Closed");
    } else {
        keep(shop, mistake, cx).await?;
    }
    Ok(())
}
