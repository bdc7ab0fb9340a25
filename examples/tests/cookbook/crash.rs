//! A crash between the creation of an external resource and the write that records it.

use std::time::Duration;

use evenkeel::prelude::*;
use evenkeel_testkit::{Crash, Disruption, ExternalState, Refused, Seed, Sweep, Trial};
use kube::ResourceExt;
use kube::api::{Api, DeleteParams};
use tokio::time::sleep;

use crate::kinds::{Site, SiteCondition, on};
use crate::world::shop;

#[derive(Debug, thiserror::Error, ReconcileError)]
pub enum BucketError {
    #[error(transparent)]
    #[class(transient)]
    Refused(#[from] Refused),
    #[error(transparent)]
    #[class(transparent)]
    Api(#[from] ApiError),
}

#[sub_reconciler(sets(on::Served), external)]
pub async fn create_bucket(site: &Site, buckets: &ExternalState, cx: &mut Cx) -> Result<(), BucketError> {
    // The name is in the status before the bucket exists.
    let name = format!("bucket-{}", site.uid().unwrap_or_default());
    let name = cx.status().record.get_or_insert(name).clone();
    cx.commit().await?;
    if buckets.get(&name).await?.is_none() {
        buckets.put(&name, &site.spec.host).await?;
    }
    Ok(())
}

#[cleanup(of = create_bucket)]
pub async fn remove_bucket(
    _: &Site,
    buckets: &ExternalState,
    cx: &mut Cx<'_, create_bucket>,
) -> Result<(), BucketError> {
    match cx.status().record.clone() {
        Some(name) => Ok(buckets.remove(&name).await?),
        None => Ok(()),
    }
}

#[reconciler(conditions = SiteCondition)]
pub async fn sites(site: &Site, buckets: &ExternalState, cx: &mut Pass<'_>) -> PassResult {
    create_bucket(site, buckets, cx).await?;
    Ok(())
}

const REST: Duration = Duration::from_secs(60);

/// With a random name that is recorded after the creation, a crash between the two leaves a second bucket.
#[tokio::test(start_paused = true)]
async fn a_crash_at_any_call_leaves_no_bucket() {
    let crashes = [Crash::Before, Crash::After].map(Disruption::Crash);
    let report = Sweep::new().disruptions(crashes).ignore("status.observedInputs").run(life).await;
    report.assert_converged();
}

/// A site is created and deleted again. Returns whether there was a bucket, and whether the site is still there.
async fn life(trial: Trial) -> (bool, bool) {
    let seed = Seed::from(&evenkeel::crd::<sites>()).and(shop("{host: a.example.com}"));
    trial.cluster().seed(seed).await.unwrap();
    let buckets = trial.external();
    trial.operate(move |client| {
        let operator = Operator::new("cookbook").client(client).reconciler::<sites>(buckets.clone());
        operator.run_until(std::future::pending())
    });
    sleep(REST).await;
    let all: Api<Site> = Api::default_namespaced(trial.client());
    let site = all.get("shop").await.unwrap();
    let record = site.status.unwrap().record.unwrap();
    let had_bucket = trial.external().get(&record).await.unwrap().is_some();
    all.delete("shop", &DeleteParams::default()).await.unwrap();
    sleep(REST).await;
    (had_bucket, all.get_opt("shop").await.unwrap().is_some())
}
