//! Descriptions of an operator that does not run: CRDs with their rules, policies, graphs, reference pages, contract, RBAC rules.

use std::fmt;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::core::DynamicObject;

use super::builder::Operator;
use super::error::Result;
#[cfg(feature = "manifests")]
use super::manifest_parts;
#[cfg(feature = "manifests")]
use super::monitoring;
use super::registration::Registration;
use super::{app, contract, rule_check};
#[cfg(feature = "metrics")]
use crate::introspection;
use crate::introspection::{AllRules, AppManifest, Contract, RbacRule, ReconcilerInfo, Roles, all_rules};
#[cfg(feature = "manifests")]
use crate::manifests::{ManifestOptions, ManifestSet};
#[cfg(feature = "manifests")]
use crate::monitoring::AlertSet;
use crate::rule::{AdmissionPolicy, Rules};

impl fmt::Debug for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reconcilers: Vec<_> = self.members.iter().map(|member| member.identity().name).collect();
        f.debug_struct("Operator").field("name", &self.name).field("reconcilers", &reconcilers).finish_non_exhaustive()
    }
}

impl Operator {
    /// The CRDs of all reconciled kinds, as `crds` prints them.
    ///
    /// Printer columns are added for Ready, its message, each condition (shown by `kubectl get -o wide`) and the age. A
    /// column that the author declared under one of these names takes precedence. [`crd`](crate::crd) returns the CRD
    /// of one reconciler. A [`Bare`](crate::Bare) kind has none.
    ///
    /// The CRDs contain the [rules](Self::rules) of their kinds. A rule with which the operator does not start is left out.
    #[cfg_attr(feature = "webhooks", doc = "")]
    #[cfg_attr(
        feature = "webhooks",
        doc = "A kind with further [served versions](Self::serves) has them in its CRD. API servers then call the [target](crate::WebhookServer::target) of the webhook server for conversions; unless it is set, that is the Service `<operator>-webhooks` in the namespace `default`."
    )]
    #[must_use]
    pub fn definitions(&self) -> Vec<CustomResourceDefinition> {
        #[cfg(feature = "webhooks")]
        return self.definitions_calling(&super::served_versions::target(self));
        #[cfg(not(feature = "webhooks"))]
        self.own_definitions()
    }

    /// The CRDs without further served versions.
    pub(super) fn own_definitions(&self) -> Vec<CustomResourceDefinition> {
        let mut definitions: Vec<CustomResourceDefinition> = Vec::new();
        for member in &self.members {
            let Some(definition) = member.definition() else { continue };
            // Two reconcilers of one kind share its CRD.
            match definitions.iter_mut().find(|other| other.metadata.name == definition.metadata.name) {
                Some(other) => member.add_columns(other),
                None => definitions.push(definition),
            }
        }
        for rule in &self.rules {
            rule_check::add(rule, &mut definitions);
        }
        definitions
    }

    /// Adds rules that the API server checks: types of functions with [`#[rule]`](macro@crate::rule), one or a tuple of up to 16, or of such
    /// tuples.
    ///
    /// `crds` prints the rules of CRDs, and `policies` those about requests. The [guide](crate::guide::rules) has an example.
    ///
    /// # Errors
    /// The operator does not start if it does not reconcile the kind of a rule, or if a rule cannot be printed for the schema of its kind.
    #[must_use = "an operator does nothing until it is run"]
    pub fn rules<R: Rules>(mut self) -> Self {
        self.rules.extend(R::registered());
        self
    }

    /// The policies of the [rules](Self::rules) about requests, as `policies` prints them. A rule with which the operator does not start
    /// is left out.
    #[cfg_attr(feature = "webhooks", doc = "")]
    #[cfg_attr(
        feature = "webhooks",
        doc = "The rules in the CRD of a kind with further [served versions](Self::serves) are policies, too: the API server checks those of a CRD only for writes in their own version."
    )]
    #[must_use]
    pub fn admission_policies(&self) -> Vec<AdmissionPolicy> {
        let policies = self.rules.iter().filter_map(|rule| rule.admission_policy().ok().flatten());
        #[cfg(feature = "webhooks")]
        let policies = policies.chain(super::spoke_check::hub_policies(self).filter_map(Result::ok));
        policies.collect()
    }

    /// Rejects rules that cannot be printed.
    pub(super) fn check_rules(&self) -> Result {
        rule_check::check(&self.rules, &self.members)?;
        #[cfg(feature = "webhooks")]
        super::spoke_check::hub_policies(self).try_for_each(|policy| policy.map(drop).map_err(rule_check::setup))?;
        Ok(())
    }

    /// The compile-time information about each reconciler.
    #[must_use]
    pub fn introspect(&self) -> Vec<ReconcilerInfo> {
        let introspect = |member: &dyn Registration| {
            let info = member.introspect(&self.name);
            ReconcilerInfo { backoff: self.limits.backoff(info.wiring.name).unwrap_or(info.backoff), ..info }
        };
        self.members.iter().map(|member| introspect(&**member)).collect()
    }

    /// The status contract, on which consumers of the objects may rely, as `contract` prints it.
    #[must_use]
    pub fn contract(&self) -> Contract {
        contract::contract(self)
    }

    /// What the operator consists of, as `app` prints it: kinds, versions, functions, conditions and rights.
    #[must_use]
    pub fn app_manifest(&self) -> AppManifest {
        app::manifest(self)
    }

    /// The same as objects of `apps.grafana.app/v1alpha1`, kind `AppManifest`, as `app --format grafana` prints them: one for each API group
    /// of the operator's kinds.
    ///
    /// The name of the app is that of the operator. If its kinds are of several groups, the group follows: `shop-source-example-com`.
    /// Reviews of subresources have no place in this format, and a permission for one object by name becomes one for all.
    ///
    /// # Errors
    /// The name of the operator does not begin with a letter, or has only one.
    pub fn grafana_manifests(&self) -> Result<Vec<DynamicObject>> {
        app::grafana_manifests(self)
    }

    /// The RBAC rules that the role of the operator must contain, as `rbac` prints them.
    #[must_use]
    pub fn rbac_rules(&self) -> Vec<RbacRule> {
        self.all_rules().operator
    }

    /// The RBAC rules for the users as which steps with a `site` act. `rbac` prints them as a table of its own.
    #[must_use]
    pub fn site_rules(&self) -> Vec<RbacRule> {
        self.all_rules().sites
    }

    fn all_rules(&self) -> AllRules {
        let rules = all_rules(&self.introspect(), self.default_service_account.is_some());
        #[cfg(feature = "webhooks")]
        let rules = AllRules { operator: super::webhooks::with_reviews(self, rules.operator), ..rules };
        #[cfg(feature = "routes")]
        let rules = AllRules { operator: super::routes::with_routes(self, rules.operator), ..rules };
        #[cfg(feature = "metrics")]
        if !self.custom.guard.is_open() {
            return AllRules { operator: introspection::with_listener(rules.operator), ..rules };
        }
        rules
    }

    /// The roles that contain these rules, for the [namespaces](Self::namespaces) of the operator. They have its name.
    /// `rbac --output yaml` prints them.
    #[cfg_attr(feature = "lease", doc = "")]
    #[cfg_attr(
        feature = "lease",
        doc = "An operator with [replicas](Self::replicas) has a further role, `<operator>-leader-election`, in the namespace of its Lease."
    )]
    #[must_use]
    pub fn roles(&self) -> Roles {
        self.roles_in(None)
    }

    /// The roles of an operator that runs in this namespace.
    #[cfg_attr(
        not(feature = "lease"),
        expect(unused_mut, unused_variables, reason = "only the role of a lease has a place")
    )]
    pub(super) fn roles_in(&self, namespace: Option<&str>) -> Roles {
        let mut roles = self.roles_alone();
        #[cfg(feature = "lease")]
        if let Some(role) = super::lease_role::lease_role(self, namespace, &roles) {
            roles.roles.push(role);
        }
        roles
    }

    /// The roles without that of the lease.
    pub(super) fn roles_alone(&self) -> Roles {
        Roles::new(&self.name, &self.all_rules(), &self.namespaces, self.watches_cluster())
    }

    /// Changes the objects that `manifests` prints, such as the node selector of the pods. The functions run in the order of the calls.
    ///
    /// ```
    /// use evenkeel::Operator;
    ///
    /// let operator = Operator::new("source-controller").manifests(|set| {
    ///     if let Some(pod) = &mut set.deployment.spec.template.spec {
    ///         pod.node_selector = Some([("kubernetes.io/os".into(), "linux".into())].into());
    ///     }
    /// });
    /// ```
    ///
    /// The [guide](crate::guide::manifests) describes the objects.
    #[cfg(feature = "manifests")]
    #[must_use = "an operator does nothing until it is run"]
    pub fn manifests(mut self, edit: impl Fn(&mut ManifestSet) + Send + Sync + 'static) -> Self {
        self.edits.add(edit);
        self
    }

    /// The objects that install the operator, as `manifests` prints them.
    ///
    /// # Errors
    /// An option has a value that an API server or the kubelet would reject, or the operator would not start.
    #[cfg(feature = "manifests")]
    pub fn manifest_set(&self, options: &ManifestOptions) -> Result<ManifestSet> {
        manifest_parts::manifest_set(self, options)
    }

    /// The mermaid graphs of all reconcilers, as `wiring` prints them.
    #[must_use]
    pub fn graphs(&self) -> String {
        let graphs = self.introspect().into_iter().map(|known| format!("%% {}\n{}", known.wiring.name, known.graph()));
        graphs.collect::<Vec<_>>().join("\n")
    }

    /// The reference pages of all reconcilers, as `docs` prints them.
    #[cfg_attr(feature = "manifests", doc = "Sections about the [alerts](Self::alerts) follow.")]
    #[must_use]
    pub fn pages(&self) -> String {
        let pages = self.introspect().into_iter().map(|known| known.page());
        #[cfg(feature = "manifests")]
        let pages = pages.chain(super::monitoring::runbook_of(self));
        pages.collect::<Vec<_>>().join("\n")
    }
}

#[cfg(feature = "manifests")]
impl Operator {
    /// Changes the alerts that `alerts` and `manifests` print, such as their thresholds. The functions run in the order of the calls.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use evenkeel::Operator;
    /// use evenkeel::monitoring::{Alert, AlertName};
    ///
    /// let operator = Operator::new("source-controller").alerts(|set| {
    ///     set.runbooks = Some("https://git.example.com/source-controller/blob/main/docs.md".into());
    ///     set.change(AlertName::NotReady, |alert| alert.lasts = Duration::from_secs(2 * 3600));
    ///     set.alerts.retain(|alert| alert.name != "Panics");
    ///     set.alerts.push(Alert::new("Disk", "mirror_used_bytes / mirror_size_bytes > 0.9", "The disk is nearly full"));
    /// });
    /// ```
    ///
    /// The [guide](crate::guide::monitoring) describes the alerts.
    #[must_use = "an operator does nothing until it is run"]
    pub fn alerts(mut self, edit: impl Fn(&mut AlertSet) + Send + Sync + 'static) -> Self {
        self.edits.alerts.add(edit);
        self
    }

    /// The alerts, as `alerts` prints them, for metrics that Prometheus has under the job `<operator>-metrics`.
    ///
    /// Those about the leader are among them if the operator has [replicas](Self::replicas).
    #[must_use]
    pub fn alert_set(&self) -> AlertSet {
        monitoring::alert_set_of(self, None)
    }

    /// The dashboard of Grafana, as `dashboard` prints it.
    #[must_use]
    pub fn dashboard(&self) -> serde_json::Value {
        monitoring::dashboard_of(self)
    }
}
