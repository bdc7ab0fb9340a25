//! Detection of API servers that select shards (KEP-5866, alpha).

use kube::api::ListParams;
use kube::{Client, Error};

use super::error::WatchError;
use super::watch_target::WatchTarget;
use crate::client;
use crate::client::decode::Meta;

/// Whether the API server lists and watches single shards: its feature gate `ShardedListAndWatch` is enabled.
///
/// Lists of custom resources do not show that a selector was obeyed, and a server without the feature ignores it in silence. One with the
/// feature answers 500 to a selector that it cannot read. Behind a load balancer, another server may answer the next request.
///
/// # Errors
/// The API server does not list the target.
pub(crate) async fn offers_sharding(client: &Client, place: &WatchTarget) -> Result<bool, Error> {
    let client = client::in_shard(&client::metadata_only(client), "unreadable");
    let params = ListParams { limit: Some(1), ..ListParams::default() };
    match place.api::<Meta>(client).list(&params).await {
        Ok(_) => Ok(false),
        Err(error) if matches!(WatchError::of_client(&error), WatchError::ShardSelector(_)) => Ok(true),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use evenkeel_testkit::{Cluster, Effect, Fault};
    use k8s_openapi::api::core::v1::ConfigMap;

    use super::*;
    use crate::watch::Scope;
    use crate::wiring::KindInfo;

    async fn offers(cluster: &Cluster) -> Result<bool, Error> {
        let place = Scope::default().place(&KindInfo::of::<ConfigMap>(), Some("default".into()));
        offers_sharding(&cluster.client(), &place).await
    }

    #[tokio::test]
    async fn a_server_that_reads_selectors_offers_shards() {
        assert!(offers(&Cluster::builder().sharding().start().await).await.unwrap());
        assert!(!offers(&Cluster::start().await).await.unwrap());
    }

    #[tokio::test]
    async fn another_error_does_not_show_whether_shards_are_offered() {
        let cluster = Cluster::start().await;
        for (effect, code) in [(Effect::Internal, 500), (Effect::Forbidden, 403)] {
            cluster.faults().add(Fault::new(effect));
            assert!(matches!(offers(&cluster).await, Err(Error::Api(status)) if status.code == code));
        }
    }
}
