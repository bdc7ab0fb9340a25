//! One verb on one resource, as a role grants it.

use std::fmt;

use evenkeel::manifests::ManifestSet;
use k8s_openapi::api::rbac::v1::PolicyRule;

/// A verb on a resource that a role grants to the operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Grant {
    /// The namespace of the Role; `None`: a ClusterRole.
    pub(super) namespace: Option<String>,
    /// The name of the role.
    pub(super) role: String,
    pub(super) group: String,
    pub(super) resource: String,
    pub(super) verb: String,
    /// The names of the objects; empty: all.
    pub(super) names: Vec<String>,
}

impl Grant {
    /// As in an exception: the verb and the resource.
    pub(super) fn rule(&self) -> String {
        format!("{} {}", self.verb, self.resource)
    }
}

impl fmt::Display for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let group = if self.group.is_empty() { "core" } else { &self.group };
        let place = match &self.namespace {
            None => format!("ClusterRole {}", self.role),
            Some(namespace) => format!("Role {namespace}/{}", self.role),
        };
        write!(f, "{} of {group}, in {place}", self.rule())
    }
}

/// What the roles that are bound to the operator grant.
pub(super) fn grants(set: &ManifestSet) -> Vec<Grant> {
    let bound: Vec<&str> = set.cluster_role_bindings.iter().map(|binding| &*binding.role_ref.name).collect();
    let cluster = set.cluster_roles.iter().filter_map(|role| Some((None, role.metadata.name.clone()?, &role.rules)));
    let cluster = cluster.filter(|(_, name, _)| bound.contains(&&**name));
    let own = set
        .roles
        .iter()
        .filter_map(|role| Some((role.metadata.namespace.clone(), role.metadata.name.clone()?, &role.rules)));
    let of_role = |(namespace, role, rules): (Option<String>, String, &Option<Vec<PolicyRule>>)| {
        let rules = rules.iter().flatten().flat_map(triples).collect::<Vec<_>>();
        rules.into_iter().map(move |(group, resource, verb, names)| Grant {
            namespace: namespace.clone(),
            role: role.clone(),
            group,
            resource,
            verb,
            names,
        })
    };
    cluster.chain(own).flat_map(of_role).collect()
}

/// The single combinations that a rule grants.
fn triples(rule: &PolicyRule) -> Vec<(String, String, String, Vec<String>)> {
    let names = rule.resource_names.clone().unwrap_or_default();
    let mut all = Vec::new();
    for group in rule.api_groups.iter().flatten() {
        for resource in rule.resources.iter().flatten() {
            for verb in &rule.verbs {
                all.push((group.clone(), resource.clone(), verb.clone(), names.clone()));
            }
        }
    }
    all
}

/// The rules without this grant.
pub(super) fn without(set: &ManifestSet, grant: &Grant) -> ManifestSet {
    let mut set = set.clone();
    let all = grants(&set);
    let rules = |namespace: Option<&String>, role: Option<&String>| {
        let own = |other: &&Grant| other.namespace.as_ref() == namespace && Some(&other.role) == role;
        let rest = all.iter().filter(own).filter(|other| *other != grant);
        Some(rest.map(policy_rule).collect::<Vec<_>>())
    };
    if grant.namespace.is_none() {
        let changed = set.cluster_roles.iter_mut().filter(|role| role.metadata.name.as_ref() == Some(&grant.role));
        changed.for_each(|role| role.rules = rules(None, Some(&grant.role)));
    } else {
        let is = |role: &&mut k8s_openapi::api::rbac::v1::Role| {
            role.metadata.name.as_ref() == Some(&grant.role) && role.metadata.namespace == grant.namespace
        };
        set.roles
            .iter_mut()
            .filter(is)
            .for_each(|role| role.rules = rules(grant.namespace.as_ref(), Some(&grant.role)));
    }
    set
}

fn policy_rule(grant: &Grant) -> PolicyRule {
    PolicyRule {
        api_groups: Some(vec![grant.group.clone()]),
        resources: Some(vec![grant.resource.clone()]),
        resource_names: (!grant.names.is_empty()).then(|| grant.names.clone()),
        verbs: vec![grant.verb.clone()],
        ..PolicyRule::default()
    }
}
