//! A pass at an hour of the day.

use std::convert::Infallible;
use std::time::{Duration, SystemTime};

use evenkeel::prelude::*;

use crate::dns::{Dns, DnsError};
use crate::kinds::{Site, SiteCondition, on};

#[derive(Debug, thiserror::Error, ReconcileError)]
#[error("the site was not built: {0}")]
pub enum BuildError {
    #[class(transient)]
    Dns(#[from] DnsError),
}

#[sub_reconciler(sets(on::Served))]
pub async fn build(site: &Site, dns: &Dns, _cx: &mut Cx) -> Result<(), BuildError> {
    Ok(dns.put(&site.spec.host).await?)
}

/// Requests a pass at the hour that the spec names.
#[daemon]
pub async fn wait_for_the_hour(site: &Site, daemon: &Daemon) -> Result<(), Infallible> {
    const DAY: u64 = 24 * 3_600;
    let Some(hour) = site.spec.hour else { return Ok(()) };
    loop {
        let now = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default().as_secs() % DAY;
        let seconds = (u64::from(hour) * 3_600 + DAY - now) % DAY;
        tokio::time::sleep(Duration::from_secs(if seconds == 0 { DAY } else { seconds })).await;
        daemon.reconcile();
    }
}

#[reconciler(conditions = SiteCondition, daemons(wait_for_the_hour))]
pub async fn sites(site: &Site, dns: &Dns, cx: &mut Pass<'_>) -> PassResult {
    build(site, dns, cx).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::{World, pass, shop};

    /// Without the daemon, the site is built once.
    #[tokio::test(start_paused = true)]
    async fn a_site_is_built_at_its_hour() {
        let now = SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs();
        let hour = (now / 3_600 + 11) % 24;
        let until = 11 * 3_600 - now % 3_600;
        let (world, dns) = (World::with(shop(&format!("{{host: a.example.com, hour: {hour}}}"))).await, Dns::default());
        let _running = world.run(Operator::new("cookbook").reconciler::<sites>(dns.clone()));
        pass(until - 60).await;
        assert_eq!(dns.calls().len(), 1, "the first pass");
        pass(120).await;
        assert_eq!(dns.calls().len(), 2, "the hour has come");
    }
}
