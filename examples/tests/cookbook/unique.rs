//! Two objects with the same host: the older one keeps it, and the other one is stalled.

use evenkeel::Index;
use evenkeel::prelude::*;
use kube::ResourceExt;

use crate::kinds::{Site, SiteCondition, on};

/// The sites by their host.
pub struct ByHost;

impl Index for ByHost {
    const NAME: &'static str = "by-host";
    type Object = Site;

    fn keys(site: &Site) -> Vec<String> {
        vec![site.spec.host.clone()]
    }
}

#[derive(Debug, thiserror::Error, ReconcileError)]
pub enum HostError {
    /// An older site has the host. Choose another host, or delete the other site.
    #[error("the site {0:?} has this host")]
    #[class(stalled)]
    HostTaken(String),
    /// The API server does not answer.
    #[error(transparent)]
    #[class(transparent)]
    Api(#[from] ApiError),
}

#[sub_reconciler(sets(on::Served), watches(Site, labels = "!example.com/ignored", index = ByHost))]
pub async fn check_host(site: &Site, cx: &mut Cx) -> Result<(), HostError> {
    let rivals = cx.indexed(ByHost, &site.spec.host).await?;
    let oldest = rivals.iter().min_by_key(|rival| (rival.creation_timestamp(), rival.uid()));
    match oldest.filter(|oldest| oldest.uid() != site.uid()) {
        Some(oldest) => Err(HostError::HostTaken(oldest.name_any())),
        None => Ok(()),
    }
}

#[reconciler(conditions = SiteCondition)]
pub async fn sites(site: &Site, cx: &mut Pass<'_>) -> PassResult {
    check_host(site, cx).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::{World, pass, site};

    /// Without the index, or with `reads(Site)` in its place, the second site is not tried again when the first one is deleted.
    #[tokio::test(start_paused = true)]
    async fn the_second_site_with_a_host_gets_it_when_the_first_one_is_deleted() {
        let world = World::with(site("first", "{host: a.example.com}")).await;
        let _running = world.run(Operator::new("cookbook").reconciler::<sites>(()));
        pass(1).await;
        world
            .cluster
            .seed([site("shop", "{host: a.example.com}"), site("other", "{host: b.example.com}")].join("\n---\n"))
            .await
            .unwrap();
        assert_eq!(world.shows("Stalled", "True HostTaken").await, "the site \"first\" has this host");
        world.delete::<Site>("first").await;
        world.shows("Ready", "True Succeeded").await;
    }
}
