//! A condition that is neither True nor False.

use std::time::Duration;

use evenkeel::prelude::*;

use crate::dns::{Dns, DnsError};
use crate::kinds::{Site, SiteCondition, on};

#[derive(Debug, thiserror::Error, ReconcileError)]
#[error(transparent)]
pub enum ServeError {
    #[class(stalled)]
    Dns(#[from] DnsError),
}

#[sub_reconciler(sets(on::Served))]
pub async fn probe(site: &Site, dns: &Dns, cx: &mut Cx) -> Result<(), ServeError> {
    match dns.put(&site.spec.host).await {
        Err(DnsError::Busy) => {
            let message = "the provider does not answer, so the state of the record is not known";
            cx.set(on::Served, ConditionStatus::Unknown, "NoAnswer", message);
            cx.requeue_after(Duration::from_secs(30));
            Ok(())
        }
        answer => Ok(answer?),
    }
}

#[reconciler(conditions = SiteCondition)]
pub async fn sites(site: &Site, dns: &Dns, cx: &mut Pass<'_>) -> PassResult {
    probe(site, dns, cx).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::{World, shop};

    /// If the step returned the error instead, the condition would be False.
    #[tokio::test(start_paused = true)]
    async fn a_provider_without_an_answer_makes_the_condition_unknown() {
        let (world, dns) = (World::with(shop("{host: a.example.com}")).await, Dns::default());
        dns.fail(1);
        let _running = world.run(Operator::new("cookbook").reconciler::<sites>(dns.clone()));
        world.shows("Served", "Unknown NoAnswer").await;
        world.shows("Ready", "False ProgressingWithRetry").await;
        world.shows("Served", "True Succeeded").await;
        assert_eq!(dns.seconds(), [0, 30]);
    }
}
