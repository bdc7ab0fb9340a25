//! RBAC rules, and rules of several purposes as one.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

#[cfg(feature = "cli")]
use super::table;
use crate::wiring::{KindInfo, Verb};

/// The permissions that an operator needs on one resource.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct RbacRule {
    /// The API group; empty for the core group.
    pub group: String,
    /// The resource as in an RBAC rule: `secrets`, `gitrepositories/status`.
    pub resource: String,
    /// The name of the only object that the rule is about; `None`: it is about all.
    pub name: Option<&'static str>,
    /// Whether the resource is namespaced.
    pub namespaced: bool,
    /// The verbs that the operator needs.
    pub verbs: BTreeSet<Verb>,
    /// The purposes for which it needs them.
    pub why: BTreeSet<&'static str>,
    /// The verbs of watches that cover all objects, in all namespaces with `cluster_wide_watches`.
    #[serde(skip)]
    pub(crate) cached: BTreeSet<Verb>,
}

impl RbacRule {
    /// A rule for one purpose.
    #[cfg(feature = "lease")]
    pub(crate) fn namespaced(
        group: &str,
        resource: String,
        verbs: impl Iterator<Item = Verb>,
        why: &'static str,
    ) -> Self {
        Self {
            group: group.to_owned(),
            resource,
            name: None,
            namespaced: true,
            verbs: verbs.collect(),
            why: [why].into(),
            cached: BTreeSet::new(),
        }
    }
}

/// The rules by group, resource and name.
#[derive(Default)]
pub(super) struct Rules(BTreeMap<(String, String, Option<&'static str>), RbacRule>);

impl Rules {
    pub(super) fn add(&mut self, kind: &KindInfo, subresource: &str, verbs: &[Verb], why: &'static str) {
        let (group, resource) = (kind.resource.group.clone(), format!("{}{subresource}", kind.resource.plural));
        self.add_named(group, resource, kind.namespaced, verbs, why);
    }

    pub(super) fn add_named(
        &mut self,
        group: String,
        resource: String,
        namespaced: bool,
        verbs: &[Verb],
        why: &'static str,
    ) {
        let rule = RbacRule {
            group,
            resource,
            name: None,
            namespaced,
            verbs: verbs.iter().copied().collect(),
            why: [why].into(),
            cached: BTreeSet::new(),
        };
        self.add_rule(rule);
    }

    /// What a cache of all objects of the kind needs.
    pub(super) fn add_cached(&mut self, kind: &KindInfo, verbs: &[Verb], why: &'static str) {
        let (group, resource) = (kind.resource.group.clone(), kind.resource.plural.clone());
        let (verbs, cached) = (verbs.iter().copied().collect(), [Verb::List, Verb::Watch].into());
        let namespaced = kind.namespaced;
        self.add_rule(RbacRule { group, resource, name: None, namespaced, verbs, why: [why].into(), cached });
    }

    pub(super) fn add_rule(&mut self, rule: RbacRule) {
        let key = (rule.group.clone(), rule.resource.clone(), rule.name);
        let known = self.0.entry(key).or_insert_with(|| rule.clone());
        known.verbs.extend(rule.verbs);
        known.why.extend(rule.why);
        known.cached.extend(rule.cached);
    }

    /// The rules, sorted by group and resource.
    pub(super) fn into_sorted(self) -> Vec<RbacRule> {
        self.0.into_values().filter(|rule| !rule.verbs.is_empty()).collect()
    }
}

impl FromIterator<RbacRule> for Rules {
    fn from_iter<I: IntoIterator<Item = RbacRule>>(rules: I) -> Self {
        let mut all = Self::default();
        rules.into_iter().for_each(|rule| all.add_rule(rule));
        all
    }
}

/// Prints the rules as a table for a terminal.
#[cfg(feature = "cli")]
pub(crate) fn text(rbac_rules: &[RbacRule]) -> String {
    let rows: Vec<_> = rbac_rules.iter().map(row).collect();
    table::columns(&["group", "resource", "verbs", "why"], &rows)
}

#[cfg(feature = "cli")]
fn row(right: &RbacRule) -> Vec<String> {
    let verbs: Vec<_> = right.verbs.iter().map(|verb| verb.as_str()).collect();
    let why: Vec<_> = right.why.iter().copied().collect();
    let group = if right.group.is_empty() { "core" } else { &right.group };
    let resource = right.name.iter().fold(right.resource.clone(), |resource, name| format!("{resource} \"{name}\""));
    vec![group.to_owned(), resource, verbs.join(","), why.join("; ")]
}
