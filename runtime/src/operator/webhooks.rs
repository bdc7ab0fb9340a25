//! The functions of an operator that API servers call, reviews and conversions: their registration, their HTTP services and what installs them.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

use super::builder::Operator;
use super::controller::OperatorContext;
use super::error::{Error, Reason, Result};
use super::instrument::Telemetry;
use super::webhook_roles::webhook_roles;
use super::webhook_server::WebhookServer;
use super::{served_versions, spoke_check};
use crate::admission::{
    AdmissionService, AdmissionSet, Backend, DependencyList, Entries, Function, OwnKind, WebhookConfigurations,
    WebhookTarget,
};
use crate::conversion::{ConversionService, RegisteredSpoke, Spoke};
use crate::introspection::{self, RbacRule, Roles};
#[cfg(feature = "routes")]
use crate::route::RouteSet;
use crate::watch::SelectedObjects;
use crate::wiring::Relation;

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

/// The names of the CRDs with conversions, each once.
pub(super) fn converted(operator: &Operator) -> Vec<String> {
    let mut names: Vec<String> = operator.reviews.spokes.iter().map(RegisteredSpoke::crd_name).collect();
    names.sort();
    names.dedup();
    names
}

/// The webhooks of the operator.
///
/// # Errors
/// The functions contradict each other.
pub(super) fn entries(operator: &Operator) -> Result<Entries> {
    // An operator without functions makes no CRD at its start.
    let members = operator.members.iter().filter(|_| !operator.reviews.functions.is_empty());
    let own = members.filter_map(|member| {
        let definition = member.definition()?;
        Some(OwnKind { kind: member.identity().kind, definition })
    });
    let refused = |refusal: crate::admission::Refusal| Error::new(Reason::Setup, refusal.headline, refusal.help);
    Entries::new(&operator.reviews.functions, &own.collect::<Vec<_>>()).map_err(refused)
}

/// Rejects functions and versions that contradict each other.
pub(super) fn check(operator: &Operator) -> Result {
    entries(operator)?;
    spoke_check::converters(operator).map(drop)
}

/// The RBAC rules of the reconcilers, and those of the functions that review writes.
pub(super) fn with_reviews(operator: &Operator, rules: Vec<RbacRule>) -> Vec<RbacRule> {
    introspection::with_reviews(rules, relations(operator))
}

fn relations(operator: &Operator) -> impl Iterator<Item = &'static Relation> {
    operator.reviews.functions.iter().flat_map(|function| function.wiring().relations)
}

/// Connects the service to the operator that starts. Its watches join those of the reconcilers.
pub(super) fn connect(operator: &Operator, context: &OperatorContext, telemetry: &Telemetry) {
    let functions = &operator.reviews.functions;
    if functions.is_empty() {
        return;
    }
    let caches = SelectedObjects::join(&context.watches, relations(operator), &context.scope);
    let meter = telemetry.reviews(functions.iter().map(Function::wiring));
    operator.reviews.slot.connect(Backend { client: context.client.clone(), caches, meter });
}
