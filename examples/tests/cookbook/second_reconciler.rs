//! Two reconcilers for one kind.

use evenkeel::prelude::*;

use crate::dns::{Dns, DnsError};
use crate::kinds::{Site, SiteCondition, on};

#[derive(Debug, thiserror::Error, ReconcileError)]
#[error(transparent)]
pub enum SiteError {
    #[class(stalled)]
    Dns(#[from] DnsError),
}

#[sub_reconciler(sets(on::Served))]
pub async fn serve(site: &Site, dns: &Dns, _cx: &mut Cx) -> Result<(), SiteError> {
    Ok(dns.put(&site.spec.host).await?)
}

#[reconciler(conditions = SiteCondition)]
pub async fn sites(site: &Site, dns: &Dns, cx: &mut Pass<'_>) -> PassResult {
    serve(site, dns, cx).await?;
    Ok(())
}

#[derive(ConditionSet)]
#[condition_set(mod = backup)]
pub enum BackupCondition {
    /// The site has a copy.
    #[condition(positive)]
    BackedUp,
}

#[sub_reconciler(sets(backup::BackedUp))]
pub async fn back_up(_: &Site, cx: &mut Cx) -> Result<(), ApiError> {
    cx.status().record = Some("copy-1".to_owned());
    Ok(())
}

#[reconciler(conditions = BackupCondition, summary = "BackupReady", requeue = "1d")]
pub async fn backups(site: &Site, cx: &mut Pass<'_>) -> PassResult {
    back_up(site, cx).await?;
    Ok(())
}

pub fn operator(dns: Dns) -> Operator {
    Operator::new("cookbook").reconciler::<sites>(dns).reconciler::<backups>(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::{World, shop};

    /// Without `summary = ".."`, the operator does not start: both reconcilers would write Ready.
    #[tokio::test(start_paused = true)]
    async fn an_error_of_one_reconciler_is_not_one_of_the_other() {
        let world = World::with(shop("{host: unknown}")).await;
        let _running = world.run(operator(Dns::default()));
        world.shows("Ready", "False Dns").await;
        world.shows("BackupReady", "True Succeeded").await;
        let status = world.api::<Site>().get("shop").await.unwrap().status.unwrap();
        assert_eq!(status.record.as_deref(), Some("copy-1"));
    }

    #[tokio::test]
    async fn two_reconcilers_without_a_summary_of_their_own_do_not_start() {
        let both = Operator::new("cookbook").reconciler::<sites>(Dns::default());
        let both = both.reconciler::<crate::step_results::sites>(());
        let ended = both.run_until(std::future::pending()).await;
        assert!(ended.unwrap_err().to_string().contains("summary"));
    }
}
