//! A time limit for a step, and its test.

use std::time::Duration;

use evenkeel::prelude::*;
use evenkeel_testkit::Row;

use crate::dns::{Dns, DnsError};
use crate::kinds::{Site, SiteCondition, on};
use crate::world::{World, shop};

#[derive(Debug, thiserror::Error, ReconcileError)]
#[error(transparent)]
pub enum ServeError {
    #[class(transient)]
    Dns(#[from] DnsError),
}

#[sub_reconciler(sets(on::Served), timeout = "10s")]
pub async fn serve(site: &Site, dns: &Dns, _cx: &mut Cx) -> Result<(), ServeError> {
    Ok(dns.put(&site.spec.host).await?)
}

#[reconciler(conditions = SiteCondition)]
pub async fn sites(site: &Site, dns: &Dns, cx: &mut Pass<'_>) -> PassResult {
    serve(site, dns, cx).await?;
    Ok(())
}

/// Without `timeout`, the call ends after a minute, and the outcome is Done. The minute is virtual.
#[tokio::test(start_paused = true)]
async fn a_slow_provider_is_given_up_after_ten_seconds() {
    let dns = Dns::default();
    dns.delay(Duration::from_secs(60));
    Row::new("a slow provider").given(shop("{host: a.example.com}")).pass::<sites>(dns).await.expect(
        "
        outcome: Failed
        writes: [patch sites/status default/shop]
        events: [Warning TimedOut]
        conditions: {Ready: False TimedOut, Reconciling: True ProgressingWithRetry, Served: False TimedOut}
        ",
    );
}

#[tokio::test(start_paused = true)]
async fn the_site_recovers_when_the_provider_does() {
    let (world, dns) = (World::with(shop("{host: a.example.com}")).await, Dns::default());
    dns.delay(Duration::from_secs(60));
    let _running = world.run(Operator::new("cookbook").reconciler::<sites>(dns.clone()));
    world.shows("Ready", "False TimedOut").await;
    dns.delay(Duration::from_secs(1));
    world.shows("Ready", "True Succeeded").await;
}
