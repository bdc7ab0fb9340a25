//! Builder of an operator: what it serves. Metrics and health checks, and the functions that API servers call.

#[cfg(feature = "metrics")]
use std::net::{SocketAddr, TcpListener};

#[cfg(feature = "webhooks")]
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
#[cfg(feature = "metrics")]
use prometheus_client::registry::Registry;

use super::Operator;
#[cfg(feature = "webhooks")]
use crate::admission::{AdmissionService, AdmissionSet, Backend, DependencyList, WebhookConfigurations, WebhookTarget};
#[cfg(feature = "webhooks")]
use crate::conversion::{ConversionService, RegisteredSpoke, Spoke};
#[cfg(feature = "webhooks")]
use crate::introspection::Roles;
#[cfg(feature = "metrics")]
use crate::listen::Listener;
#[cfg(feature = "webhooks")]
use crate::operator::error::Result;
#[cfg(feature = "webhooks")]
use crate::operator::webhook_roles::webhook_roles;
#[cfg(feature = "webhooks")]
use crate::operator::webhook_server::WebhookServer;
#[cfg(feature = "webhooks")]
use crate::operator::webhooks::{converted, entries};
#[cfg(feature = "webhooks")]
use crate::operator::{served_versions, spoke_check};
#[cfg(feature = "routes")]
use crate::route::RouteSet;

#[cfg(feature = "metrics")]
impl Operator {
    /// Serves `/metrics`, `/healthz`, `/readyz` and `/debug/objects` at the address, over plain HTTP.
    ///
    /// The endpoints are not authenticated and are described in the [guide](crate::guide::diagnostics). With port 0 the
    /// operator picks a free port and logs it. Without this call and without `--listen`, the operator does not listen.
    pub fn listen(mut self, address: SocketAddr) -> Self {
        self.listener = Some(Listener::At(address));
        self
    }

    /// Like [`listen`](Self::listen), with a socket that is already bound.
    pub fn listen_on(mut self, socket: TcpListener) -> Self {
        self.listener = Some(Listener::Bound(socket));
        self
    }

    /// Registers metrics of the program, which `/metrics` serves with those of the framework.
    ///
    /// The registry is one of the crate `prometheus-client`, which [`evenkeel::prometheus_client`](crate::prometheus_client)
    /// re-exports. The prefixes `evenkeel_`, `controller_runtime_`, `leader_election_`, `workqueue_` and `rest_client_` belong to the framework:
    /// the operator does not start with such a name. Without a listener, nothing is served.
    ///
    /// ```
    /// # use evenkeel::Operator;
    /// use evenkeel::prometheus_client::metrics::counter::Counter;
    ///
    /// let downloads = Counter::<u64>::default();
    /// let operator = Operator::new("mirror").register_metrics(|registry| {
    ///     registry.register("mirror_downloads", "Downloaded files", downloads.clone());
    /// });
    /// downloads.inc();
    /// ```
    pub fn register_metrics(mut self, register: impl FnOnce(&mut Registry)) -> Self {
        register(&mut self.custom.registry);
        self
    }

    /// Adds a check of whether the process works at all, which `/healthz` runs. A failure makes Kubernetes restart the pod.
    ///
    /// The check runs at each request, at most 900 ms. It fails if it returns an error, panics or takes longer. The response
    /// contains its name and the text of its error, so the text must not contain secrets.
    pub fn healthz_check<F, E>(mut self, name: &str, check: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<(), E>> + Send + 'static,
        E: std::fmt::Display,
    {
        self.custom.healthz.add(name, check);
        self
    }

    /// Adds a check of whether the operator can do its work, which `/readyz` runs in addition to those of the framework.
    ///
    /// The rules of [`healthz_check`](Self::healthz_check) apply.
    pub fn readyz_check<F, E>(mut self, name: &str, check: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<(), E>> + Send + 'static,
        E: std::fmt::Display,
    {
        self.custom.readyz.add(name, check);
        self
    }
}

#[cfg(feature = "webhooks")]
impl Operator {
    /// Adds functions that review writes, with their dependencies: `.admission::<(team_exists, who)>(())`.
    ///
    /// The type argument is one `#[validate]` or `#[mutate]` function, or a tuple of up to eight. The dependencies are one value, or a tuple in
    /// the order of the functions and their parameters.
    ///
    /// `#[mutate]` functions of a kind run in their order, one after the other. `#[validate]` functions run side by side, after them.
    ///
    /// The [guide](crate::guide::admission) has an example.
    ///
    /// # Errors
    /// The operator does not start in these cases:
    ///
    /// - Two functions have one name.
    /// - A function with `failure = "fail"` (the default) reviews a kind that the operator does not reconcile, without `anyway`.
    /// - `#[mutate]` functions of one kind have a different `failure`, `when`, `objects` or `namespaces`, or together more than 30 s of time.
    /// - A name in `field!(..)` is not in the schema of the kind.
    pub fn admission<F: AdmissionSet>(mut self, dependencies: impl DependencyList<F::List>) -> Self {
        self.reviews.functions.extend(F::functions(dependencies.into_list()));
        self
    }

    /// Adds functions that answer requests of users about an object, with their dependencies: `.routes::<(artifact,)>(git)`.
    ///
    /// The type argument is one `#[route]` function, or a tuple of up to eight. The dependencies are one value, or a tuple in the order of the
    /// functions and their parameters.
    ///
    /// The [webhook server](Self::webhooks) serves them; without it they are not served. The [guide](crate::guide::routes) has an example.
    ///
    /// # Errors
    /// The operator does not start if two functions have one name, or one method and one path, or if the `resource` of one is none of its kind.
    #[cfg(feature = "routes")]
    pub fn routes<F: RouteSet>(mut self, dependencies: impl DependencyList<F::List>) -> Self {
        self.reviews.routes.extend(F::routes(dependencies.into_list()));
        self
    }

    /// The HTTP service of the functions that review writes, to be served or called in tests.
    ///
    /// The service uses the client and the caches of this operator as soon as it [runs](Self::run_until). Until then its reads use the
    /// [client](Self::client) of the operator, if one is set.
    ///
    /// # Errors
    /// The functions contradict each other, as [`admission`](Self::admission) describes.
    pub fn admission_service(&self) -> Result<AdmissionService> {
        let service = AdmissionService::new(entries(self)?, self.reviews.slot.clone());
        if let Some(client) = self.client.as_ref().filter(|_| !self.reviews.slot.is_connected()) {
            self.reviews.slot.connect(Backend::live(client.clone()));
        }
        Ok(service)
    }

    /// The webhook configurations of the functions that review writes, as `webhooks` prints them.
    ///
    /// The [namespaces](Self::namespaces) of the operator restrict them.
    ///
    /// # Errors
    /// The functions contradict each other, as [`admission`](Self::admission) describes.
    pub fn webhook_configurations(&self, target: &WebhookTarget) -> Result<WebhookConfigurations> {
        Ok(WebhookConfigurations::new(&self.name, &self.namespaces, &entries(self)?, target))
    }

    /// Serves an older or newer version of a reconciled kind, which `#[convert]` converts to the stored one.
    ///
    /// The CRD of the kind then has both versions, and tells API servers to call this operator for conversions. So it needs a
    /// [webhook server](Self::webhooks), which answers without a lease and before the first list.
    ///
    /// The [guide](crate::guide::conversion) has an example.
    ///
    /// # Errors
    /// The operator does not start in these cases:
    ///
    /// - The stored version is not reconciled, or the served one is.
    /// - The two versions differ in group, kind, plural or scope.
    /// - The stored version is itself converted to another one.
    /// - A version is served twice, or the versions of a kind have two stored ones.
    /// - A path of `stash` or `lossy` is not in the schema of the stored version.
    pub fn serves<S: Spoke>(mut self) -> Self {
        self.reviews.spokes.push(RegisteredSpoke::of::<S>());
        self.reviews.conversions.get_or_insert_default();
        self
    }

    /// The HTTP service of the conversions, to be served or called in tests.
    ///
    /// # Errors
    /// The versions contradict each other, as [`serves`](Self::serves) describes.
    pub fn conversion_service(&self) -> Result<ConversionService> {
        let meter = self.reviews.conversions.clone().unwrap_or_default();
        Ok(ConversionService::new(spoke_check::converters(self)?, meter))
    }

    /// The [CRDs](Self::definitions) with this address for conversions, as `crds` prints them.
    #[must_use]
    pub fn definitions_calling(&self, target: &WebhookTarget) -> Vec<CustomResourceDefinition> {
        let mut definitions = self.own_definitions();
        served_versions::add(&self.reviews.spokes, &mut definitions, target);
        definitions
    }

    /// Serves the functions that review writes and the conversions over HTTPS, to the API server, and routes to users. The command-line flag is
    /// `--webhooks`.
    ///
    /// The server begins before the first list, on every replica. After a stop it answers for 15 seconds more, since API servers still send
    /// calls to a pod that ends.
    ///
    /// With a server, `/readyz` reports whether the server has a certificate, and no longer whether all objects are listed: an API server whose
    /// writes wait for this operator must reach it at once. The page lists the watches nevertheless.
    ///
    /// # Errors
    /// The operator does not start if the address is in use, or if the [files](WebhookServer::certificate_files) of the certificate cannot be
    /// used.
    pub fn webhooks(mut self, server: WebhookServer) -> Self {
        self.reviews.server = Some(server);
        self
    }

    /// The roles by which the [webhook server](Self::webhooks) keeps its certificate, as `webhooks` prints them. They have the name of the
    /// operator with `-webhooks`; `namespace` is that of the operator.
    ///
    /// With them, the operator can create Secrets in its namespace. Otherwise it reaches only its own Secret, its own webhook configurations,
    /// and the CRDs of kinds that it converts.
    #[must_use]
    pub fn webhook_roles(&self, namespace: &str) -> Roles {
        webhook_roles(&self.name, namespace, &converted(self))
    }
}
