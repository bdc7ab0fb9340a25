//! A limit for the retries of all objects together.

use std::num::NonZero;
use std::time::Duration;

use evenkeel::prelude::*;

use crate::dns::{Dns, DnsError};
use crate::kinds::{Site, SiteCondition, on};

#[derive(Debug, thiserror::Error, ReconcileError)]
#[error(transparent)]
pub enum ServeError {
    #[class(transient)]
    Dns(#[from] DnsError),
}

#[sub_reconciler(sets(on::Served))]
pub async fn serve(site: &Site, dns: &Dns, _cx: &mut Cx) -> Result<(), ServeError> {
    Ok(dns.put(&site.spec.host).await?)
}

#[reconciler(conditions = SiteCondition)]
pub async fn sites(site: &Site, dns: &Dns, cx: &mut Pass<'_>) -> PassResult {
    serve(site, dns, cx).await?;
    Ok(())
}

pub fn operator(dns: Dns) -> Operator {
    let operator = Operator::new("cookbook").reconciler::<sites>(dns);
    operator
        .backoff_of::<sites>(Duration::from_secs(5), Duration::from_secs(60))
        .retries_per_second_of::<sites>(NonZero::<u32>::MIN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::{World, pass, site};

    /// Without `backoff_of`, the first retry follows after 1 s, and the longest pause is ten minutes.
    #[tokio::test(start_paused = true)]
    async fn an_object_is_retried_with_its_back_off() {
        let (world, dns) = (World::with(site("shop", "{host: a.example.com}")).await, Dns::default());
        dns.fail(usize::MAX);
        let _running = world.run(operator(dns.clone()));
        pass(300).await;
        let seconds = dns.seconds();
        let pauses: Vec<u64> = seconds.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(pauses[0] <= 5 && pauses[1] <= 10 && pauses[2] <= 20, "{pauses:?}");
        assert!(pauses[3..].iter().all(|pause| (30..=60).contains(pause)), "{pauses:?}");
    }

    /// Without `retries_per_second_of`, all twenty sites are tried again within two seconds.
    #[tokio::test(start_paused = true)]
    async fn many_objects_are_retried_one_per_second() {
        let sites = (0..20).map(|number| site(&format!("shop-{number}"), "{host: a.example.com}"));
        let (world, dns) = (World::with(sites.collect::<Vec<_>>().join("\n---\n")).await, Dns::default());
        dns.fail(20);
        let _running = world.run(operator(dns.clone()));
        pass(60).await;
        let retries = dns.seconds().split_off(20);
        assert_eq!(retries.len(), 20);
        let most = retries.iter().map(|second| retries.iter().filter(|other| *other == second).count()).max();
        assert!(most <= Some(2), "{retries:?}");
    }
}
