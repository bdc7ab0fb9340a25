//! A test of a conflict: another client changes the object during a pass.

use std::time::Duration;

use evenkeel::prelude::*;
use evenkeel_testkit::{Effect, Fault, Row, Verb};
use serde_json::json;

use crate::dns::{Dns, DnsError};
use crate::kinds::{Site, SiteCondition, on};
use crate::world::{World, pass, shop};

#[derive(Debug, thiserror::Error, ReconcileError)]
#[error(transparent)]
pub enum ServeError {
    #[class(transient)]
    Dns(#[from] DnsError),
}

#[sub_reconciler(sets(on::Served))]
pub async fn serve(site: &Site, dns: &Dns, cx: &mut Cx) -> Result<(), ServeError> {
    dns.put(&site.spec.host).await?;
    cx.status().record = Some(site.spec.host.clone());
    Ok(())
}

#[reconciler(conditions = SiteCondition)]
pub async fn sites(site: &Site, dns: &Dns, cx: &mut Pass<'_>) -> PassResult {
    serve(site, dns, cx).await?;
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_rejected_status_is_written_again_without_the_step() {
    let conflict = Fault::new(Effect::Conflict).verb(Verb::Patch).resource("sites").subresource("status");
    let row = Row::new("a conflict").given(shop("{host: a.example.com}")).fault(conflict);
    let dns = Dns::default();
    row.pass::<sites>(dns.clone()).await.expect(
        "
        writes:
        - patch sites/status default/shop -> 409
        - patch sites/status default/shop: {status: {record: a.example.com}}
        events: [Normal Succeeded]
        conditions: {Ready: True Succeeded, Served: True Succeeded}
        ",
    );
    assert_eq!(dns.calls().len(), 1);
}

/// Without the check of the version, the status of the first host would stay.
#[tokio::test(start_paused = true)]
async fn a_change_during_a_pass_leads_to_one_more_pass() {
    let (world, dns) = (World::with(shop("{host: a.example.com}")).await, Dns::default());
    dns.delay(Duration::from_secs(10));
    let _running = world.run(Operator::new("cookbook").reconciler::<sites>(dns.clone()));
    pass(5).await;
    world.change::<Site>("shop", json!({ "spec": { "host": "b.example.com" } })).await;
    pass(60).await;
    assert_eq!(dns.calls(), ["put a.example.com", "put b.example.com"]);
    let status = world.api::<Site>().get("shop").await.unwrap().status.unwrap();
    assert_eq!(status.record.as_deref(), Some("b.example.com"));
}
