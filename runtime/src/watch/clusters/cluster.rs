//! One cluster of a kubeconfig: its client, and what is known of the dependents in it.

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::Namespace;
use kube::core::ApiResource;
use kube::{Api, Client};
use tokio::sync::OnceCell;
use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;

use super::keeper::Keeper;
use crate::api::ApiError;
use crate::api::grant::Grant;
use crate::client::{StepClient, counted};
use crate::watch::dependents::{Component, DependentCache};
use crate::watch::health::Health;
use crate::watch::scope::Scope;
use crate::watch::shared::SharedWatches;
use crate::watch::streaming_list::Streaming;

/// The namespace whose uid identifies a cluster: every cluster has it, and its uid never changes.
const IDENTIFYING: &str = "kube-system";

/// How long a pass waits for the first answer of a cluster.
const PATIENCE: Duration = Duration::from_secs(10);

/// A cluster that is not the one of the operator.
pub(crate) struct Cluster {
    pub(crate) client: Arc<StepClient>,
    watched: OnceCell<Watched>,
}

/// What is known of the dependents in a cluster.
struct Watched {
    uid: Arc<str>,
    cache: DependentCache,
    _watches: AbortOnDropHandle<()>,
}

impl Cluster {
    /// A cluster to which nothing was sent yet. Its calls are counted with those of `own`.
    pub(super) fn new(client: Client, own: &StepClient) -> Self {
        let (_, meter) = own.parts();
        Self { client: Arc::new(StepClient::new(client, meter.clone())), watched: OnceCell::new() }
    }

    /// Waits until the dependents are listed.
    pub(super) async fn listed(&self, keeper: &Keeper, own: (&Arc<str>, bool)) -> Result<(), ApiError> {
        let reached = timeout(PATIENCE, self.watched.get_or_try_init(|| self.watch(keeper, own))).await;
        let late = |_| ApiError::Failed(format!("no answer within {PATIENCE:?}").into());
        reached.map_err(late)??.cache.listed().await
    }

    async fn watch(&self, keeper: &Keeper, (own_uid, streams): (&Arc<str>, bool)) -> Result<Watched, ApiError> {
        let (client, meter) = self.client.parts();
        let client = counted(client, meter);
        let uid = uid_of(&client).await?;
        // A watch that fails there is no fault of the operator, so it does not count for its readiness.
        let watches = SharedWatches::new(client, Health::default(), Streaming::wanted(streams));
        let component = Component {
            kind: keeper.kind.clone(),
            wiring: keeper.wiring,
            operator: &keeper.operator,
            cluster: Some(own_uid.clone()),
        };
        let cache = DependentCache::new(&watches, component, Scope::default(), &keeper.queue);
        cache.go_live();
        Ok(Watched { uid, cache, _watches: watches.run() })
    }

    /// The uid of the cluster; `None`: it has not been reached yet.
    pub(crate) fn uid(&self) -> Option<&str> {
        self.watched.get().map(|watched| &*watched.uid)
    }

    /// What is known of the dependents; `None`: the cluster has not been reached yet.
    pub(crate) fn cache(&self) -> Option<&DependentCache> {
        self.watched.get().map(|watched| &watched.cache)
    }
}

/// Reads the uid of the cluster of a client.
pub(super) async fn uid_of(client: &Client) -> Result<Arc<str>, ApiError> {
    let found = Api::<Namespace>::all(client.clone()).get_metadata(IDENTIFYING).await;
    let resource = ApiResource::erase::<Namespace>(&());
    let grant = Grant { verbs: &["get"], resource: &resource, subresource: None, namespace: None };
    let found = found.map_err(|error| grant.explain(error.into()))?;
    let none = || ApiError::Failed(format!("the namespace {IDENTIFYING} has no uid").into());
    found.metadata.uid.map(Into::into).ok_or_else(none)
}
