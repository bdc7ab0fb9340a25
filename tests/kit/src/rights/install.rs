//! The manifests of an operator in a cluster of the test kit.

use evenkeel::Operator;
use evenkeel::manifests::{ManifestOptions, ManifestSet, Part};
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::Namespace;
use k8s_openapi::api::rbac::v1::Role;
use kube::api::{ObjectMeta, Patch, PatchParams, PostParams};
use kube::core::{DynamicObject, GroupVersionKind};
use kube::discovery::{Scope, pinned_kind};
use kube::{Api, Client};

use super::grant::{self, Grant};
use crate::cluster::Cluster;

/// The manifests, and as whom the operator runs.
pub(super) struct Installation {
    set: ManifestSet,
    namespace: String,
    /// The name of the operator, as in its User-Agent.
    pub(super) caller: String,
    /// The user of the ServiceAccount.
    pub(super) user: String,
    /// The namespace and the name of the Lease, if replicas elect a leader.
    lease: Option<(String, String)>,
}

impl Installation {
    pub(super) fn of(operator: &Operator, options: &ManifestOptions) -> Self {
        let set = operator.manifest_set(options).unwrap_or_else(|error| panic!("there are no manifests: {error}"));
        let account = set.service_account.metadata.name.clone().unwrap_or_default();
        let namespace = set.service_account.metadata.namespace.clone().unwrap_or_default();
        let user = format!("system:serviceaccount:{namespace}:{account}");
        let lease = lease_of(&set);
        Self { set, namespace, caller: account, user, lease }
    }

    /// Whether replicas elect a leader.
    pub(super) fn elects(&self) -> bool {
        self.lease.is_some()
    }

    /// The number of the term, which each new leader raises; 0 before the first one.
    pub(super) async fn term(&self, cluster: &Cluster) -> i32 {
        let Some((namespace, name)) = &self.lease else { return 0 };
        let lease = Api::<Lease>::namespaced(cluster.client(), namespace).get_opt(name).await;
        let spec = lease.ok().flatten().and_then(|lease| lease.spec);
        spec.and_then(|spec| spec.lease_transitions).unwrap_or_default()
    }

    /// The operator as the Deployment starts it: as the ServiceAccount, in the namespace, with `--replicas` if replicas elect a leader.
    pub(super) fn started(&self, operator: Operator, cluster: &Cluster) -> Operator {
        let operator = operator.test_client(cluster.client_in(&self.namespace, &self.user));
        let has_replicas = || operator.roles().roles.iter().any(elects);
        if self.elects() && !has_replicas() { operator.replicas() } else { operator }
    }

    /// What the roles grant. Those of the certificate of the webhook server are left out, since calls need no certificate here.
    pub(super) fn grants(&self) -> Vec<Grant> {
        grant::grants(&self.set).into_iter().filter(|grant| !grant.role.ends_with("-webhooks")).collect()
    }

    /// Serves the webhooks and conversions of an operator at its Service.
    pub(super) fn serve(&self, cluster: &Cluster, operator: &Operator) {
        let failed = |error: evenkeel::Error| -> ! { panic!("the webhooks cannot be served: {error}") };
        let reviews = operator.admission_service().unwrap_or_else(|error| failed(error)).into_router();
        let router = operator.conversion_service().unwrap_or_else(|error| failed(error)).into_router().merge(reviews);
        let name = self.set.service_account.metadata.name.clone().unwrap_or_default();
        cluster.webhook_service(&self.namespace, &format!("{name}-webhooks"), router);
    }

    /// Applies everything but the pods, in order.
    pub(super) async fn apply(&self, client: &Client, missing: Option<&Grant>) {
        let set = missing.map_or_else(|| self.set.clone(), |grant| grant::without(&self.set, grant));
        let objects = set.objects().unwrap_or_else(|error| panic!("the manifests cannot be written: {error}"));
        let parts = [Part::Namespace, Part::Crds, Part::Rbac, Part::Policies, Part::Webhooks];
        for (_, object) in objects.into_iter().filter(|(part, _)| parts.contains(part)) {
            apply(client, &object).await;
        }
    }
}

/// Whether it is the role by which replicas elect a leader.
fn elects(role: &Role) -> bool {
    role.metadata.name.as_ref().is_some_and(|name| name.ends_with("-leader-election"))
}

/// The namespace and the name of the Lease for which there is a role.
fn lease_of(set: &ManifestSet) -> Option<(String, String)> {
    let role = set.roles.iter().find(|role| elects(role))?;
    let name = role.rules.iter().flatten().find_map(|rule| rule.resource_names.as_ref()?.first())?;
    Some((role.metadata.namespace.clone()?, name.clone()))
}

async fn apply(client: &Client, object: &DynamicObject) {
    let types = object.types.clone().unwrap_or_default();
    let (group, version) = types.api_version.split_once('/').unwrap_or(("", &types.api_version));
    let found = pinned_kind(client, &GroupVersionKind::gvk(group, version, &types.kind)).await;
    let (resource, capabilities) = found.unwrap_or_else(|error| panic!("the test kit has no {}: {error}", types.kind));
    let namespace = object.metadata.namespace.as_deref().unwrap_or_default();
    let api: Api<DynamicObject> = match capabilities.scope {
        Scope::Cluster => Api::all_with(client.clone(), &resource),
        Scope::Namespaced => {
            create_namespace(client, namespace).await;
            Api::namespaced_with(client.clone(), namespace, &resource)
        }
    };
    let name = object.metadata.name.as_deref().unwrap_or_default();
    let applied = api.patch(name, &PatchParams::apply("manifests").force(), &Patch::Apply(object)).await;
    applied.unwrap_or_else(|error| panic!("the {} {name} is refused: {error}", types.kind));
}

/// A namespace that the operator watches is not part of its manifests.
async fn create_namespace(client: &Client, name: &str) {
    let metadata = ObjectMeta { name: Some(name.to_owned()), ..ObjectMeta::default() };
    let namespace = Namespace { metadata, ..Namespace::default() };
    // It exists already, or the next request fails.
    let _ = Api::all(client.clone()).create(&PostParams::default(), &namespace).await;
}
