//! Descriptions of an operator that does not run: CRDs, graphs, reference pages, contract, RBAC rules, and the account on which the rules depend.

use std::fmt;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

use super::builder::Operator;
use crate::introspection::{AllRules, Contract, RbacRule, ReconcilerInfo, Roles, all_rules};

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
    #[must_use]
    pub fn definitions(&self) -> Vec<CustomResourceDefinition> {
        let mut definitions: Vec<CustomResourceDefinition> = Vec::new();
        for member in &self.members {
            let Some(definition) = member.definition() else { continue };
            // Two reconcilers of one kind share its CRD.
            match definitions.iter_mut().find(|other| other.metadata.name == definition.metadata.name) {
                Some(other) => member.add_columns(other),
                None => definitions.push(definition),
            }
        }
        definitions
    }

    /// The compile-time information about each reconciler.
    #[must_use]
    pub fn introspect(&self) -> Vec<ReconcilerInfo> {
        self.members.iter().map(|member| member.introspect(&self.name)).collect()
    }

    /// The status contract, on which consumers of the objects may rely, as `contract` prints it.
    #[must_use]
    pub fn contract(&self) -> Contract {
        Contract::of(&self.introspect())
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
        let rules = AllRules { operator: super::admission::with_reviews(self, rules.operator), ..rules };
        rules
    }

    /// The roles that contain these rules, for the [namespaces](Self::namespaces) of the operator. They have its name.
    /// `rbac --output yaml` prints them.
    #[must_use]
    pub fn roles(&self) -> Roles {
        Roles::new(&self.name, &self.all_rules(), &self.namespaces)
    }

    /// The mermaid graphs of all reconcilers, as `wiring` prints them.
    #[must_use]
    pub fn graphs(&self) -> String {
        let graphs = self.introspect().into_iter().map(|known| format!("%% {}\n{}", known.wiring.name, known.graph()));
        graphs.collect::<Vec<_>>().join("\n")
    }

    /// The reference pages of all reconcilers, as `docs` prints them.
    #[must_use]
    pub fn pages(&self) -> String {
        let pages = self.introspect().into_iter().map(|known| known.page());
        pages.collect::<Vec<_>>().join("\n")
    }
}
