//! What an operator can tell of itself without running: definitions, graphs, pages, contract, rights.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

use super::builder::Operator;
use crate::introspection::{Contract, RbacRule, ReconcilerInfo, rbac_rules};

impl Operator {
    /// The definitions of all reconciled kinds, as `crds` prints them: with a column for Ready, its message, each condition (shown by
    /// `kubectl get -o wide`) and the age, unless the author has one of that name. [`crd`](crate::crd) returns that of one reconciler.
    #[must_use]
    pub fn definitions(&self) -> Vec<CustomResourceDefinition> {
        let mut definitions: Vec<CustomResourceDefinition> = Vec::new();
        for member in &self.members {
            let definition = member.definition();
            // Two reconcilers of one kind share its definition.
            match definitions.iter_mut().find(|other| other.metadata.name == definition.metadata.name) {
                Some(other) => member.add_columns(other),
                None => definitions.push(definition),
            }
        }
        definitions
    }

    /// What is known of each reconciler.
    #[must_use]
    pub fn introspect(&self) -> Vec<ReconcilerInfo> {
        self.members.iter().map(|member| member.introspect(&self.name)).collect()
    }

    /// What the operator promises to those who read its objects, as `contract` prints it.
    #[must_use]
    pub fn contract(&self) -> Contract {
        Contract::of(&self.introspect())
    }

    /// What the role of the operator must allow, as `rbac` prints it.
    #[must_use]
    pub fn rbac_rules(&self) -> Vec<RbacRule> {
        rbac_rules(&self.introspect())
    }

    /// The mermaid graph of each reconciler, as `wiring` prints them.
    #[must_use]
    pub fn graphs(&self) -> String {
        let graphs = self.introspect().into_iter().map(|known| format!("%% {}\n{}", known.wiring.name, known.graph()));
        graphs.collect::<Vec<_>>().join("\n")
    }

    /// The reference page of each reconciler, as `docs` prints them.
    #[must_use]
    pub fn pages(&self) -> String {
        let pages = self.introspect().into_iter().map(|known| known.page());
        pages.collect::<Vec<_>>().join("\n")
    }
}
