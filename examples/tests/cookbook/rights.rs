//! The roles of an operator, and a proof that they are enough and no more.

use std::time::Duration;

use evenkeel::prelude::*;
use evenkeel_testkit::{Scene, eventually, rights, until};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt;
use kube::api::{Api, DeleteParams, ObjectMeta, PostParams};

use crate::kinds::{Site, SiteCondition, SiteSpec, on};

#[sub_reconciler(sets(on::Served), owns(ConfigMap))]
pub async fn configure(site: &Site, cx: &mut Cx) -> Result<(), ApiError> {
    let metadata = ObjectMeta { name: Some(site.name_any()), ..ObjectMeta::default() };
    let data = Some([("host".to_owned(), site.spec.host.clone())].into());
    cx.apply(&ConfigMap { metadata, data, ..ConfigMap::default() }).await?;
    Ok(())
}

#[reconciler(conditions = SiteCondition)]
pub async fn sites(site: &Site, cx: &mut Pass<'_>) -> PassResult {
    configure(site, cx).await?;
    Ok(())
}

pub fn operator() -> Operator {
    Operator::new("cookbook").reconciler::<sites>(())
}

const LONG: Duration = Duration::from_secs(600);

/// If the step also declared `owns(Secret)`, it would fail: no scenario needs that rule.
#[tokio::test(start_paused = true)]
async fn the_roles_are_what_the_operator_needs() {
    let proof = rights(operator).scenario("a site is created", a_site_is_created);
    proof.scenario("an upgrade", a_former_finalizer_is_removed).prove().await;
}

async fn a_site_is_created(scene: Scene) {
    let sites: Api<Site> = Api::namespaced(scene.client(), "default");
    let spec = SiteSpec { host: "a.example.com".to_owned(), ..SiteSpec::default() };
    sites.create(&PostParams::default(), &Site::new("shop", spec)).await.unwrap();
    let is_owned = |map: &ConfigMap| map.metadata.owner_references.is_some();
    until(&Api::namespaced(scene.client(), "default"), "shop", LONG, is_owned).await;
}

/// An earlier version has left its finalizer on a site, which is being deleted.
async fn a_former_finalizer_is_removed(scene: Scene) {
    let sites: Api<Site> = Api::namespaced(scene.client(), "default");
    let mut site = Site::new("old", SiteSpec::default());
    site.metadata.finalizers = Some(vec!["cookbook.evenkeel.dev/cookbook".to_owned()]);
    sites.create(&PostParams::default(), &site).await.unwrap();
    sites.delete("old", &DeleteParams::default()).await.unwrap();
    eventually(LONG, || async { sites.get_opt("old").await.unwrap().is_none().then_some(()) }).await;
}
