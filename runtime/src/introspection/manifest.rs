//! RBAC rules as the manifests that `kubectl apply` takes: a ClusterRole, or a Role in each namespace of the operator.

use std::collections::BTreeMap;

use k8s_openapi::api::rbac::v1::{ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding, RoleRef, Subject};
use kube::core::ObjectMeta;

use super::rbac::AllRules;
use super::rbac_rule::RbacRule;
use crate::wiring::Verb;

const GROUP: &str = "rbac.authorization.k8s.io";

/// The roles that an operator needs.
///
/// An operator for all namespaces needs one ClusterRole. One for single namespaces needs a Role in each of them, and a
/// ClusterRole for the kinds that are not namespaced, and for [watches of the whole cluster](crate::Operator::cluster_wide_watches).
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Roles {
    /// The role for all namespaces and for kinds that are not namespaced.
    pub cluster_role: Option<ClusterRole>,
    /// The role of each namespace.
    pub roles: Vec<Role>,
    /// The role for the users as which steps with a `site` act, with the suffix `-site`. Bind it in their namespaces.
    pub site_role: Option<ClusterRole>,
}

impl Roles {
    /// The roles of this name for an operator of these namespaces; an empty list means all namespaces. `cluster_wide`: one watch covers the
    /// namespaces.
    pub(crate) fn new(
        name: &str,
        AllRules { operator: rules, sites }: &AllRules,
        namespaces: &[impl AsRef<str>],
        cluster_wide: bool,
    ) -> Self {
        // Events about objects that are not namespaced are stored in another namespace.
        let reconciles_cluster_scoped = rules.iter().any(|rule| !rule.namespaced && rule.resource.contains('/'));
        let is_wide = |rule: &RbacRule| {
            !rule.namespaced || namespaces.is_empty() || reconciles_cluster_scoped && rule.resource == "events"
        };
        let (mut wide, mut narrow): (Vec<RbacRule>, Vec<RbacRule>) = rules.iter().cloned().partition(is_wide);
        if cluster_wide {
            wide.extend(take_cached(&mut narrow));
        }
        let meta = |namespace: Option<&str>| ObjectMeta {
            name: Some(name.to_owned()),
            namespace: namespace.map(ToOwned::to_owned),
            ..ObjectMeta::default()
        };
        let role = |namespace: &str| Role { metadata: meta(Some(namespace)), rules: Some(policy_rules(&narrow)) };
        let cluster_role =
            ClusterRole { metadata: meta(None), rules: Some(policy_rules(&wide)), ..ClusterRole::default() };
        let site_role = ClusterRole {
            metadata: ObjectMeta { name: Some(format!("{name}-site")), ..ObjectMeta::default() },
            rules: Some(policy_rules(sites)),
            ..ClusterRole::default()
        };
        Self {
            site_role: (!sites.is_empty()).then_some(site_role),
            cluster_role: (!wide.is_empty()).then_some(cluster_role),
            roles: namespaces.iter().filter(|_| !narrow.is_empty()).map(|name| role(name.as_ref())).collect(),
        }
    }

    /// The bindings of these roles to a service account.
    #[must_use]
    pub fn bindings(&self, namespace: &str, service_account: &str) -> (Option<ClusterRoleBinding>, Vec<RoleBinding>) {
        let subject = Subject {
            kind: "ServiceAccount".into(),
            name: service_account.to_owned(),
            namespace: Some(namespace.to_owned()),
            ..Subject::default()
        };
        let subjects = Some(vec![subject]);
        let role_ref = |kind: &str, meta: &ObjectMeta| RoleRef {
            api_group: Some(GROUP.into()),
            kind: kind.into(),
            name: meta.name.clone().unwrap_or_default(),
        };
        let cluster = self.cluster_role.as_ref().map(|role| ClusterRoleBinding {
            role_ref: role_ref("ClusterRole", &role.metadata),
            metadata: role.metadata.clone(),
            subjects: subjects.clone(),
        });
        let bindings = self.roles.iter().map(|role| RoleBinding {
            role_ref: role_ref("Role", &role.metadata),
            metadata: role.metadata.clone(),
            subjects: subjects.clone(),
        });
        (cluster, bindings.collect())
    }
}

/// Moves the verbs of caches to rules of their own.
fn take_cached(rules: &mut Vec<RbacRule>) -> Vec<RbacRule> {
    let cached: Vec<_> = rules.iter().map(|rule| RbacRule { verbs: rule.cached.clone(), ..rule.clone() }).collect();
    rules.iter_mut().for_each(|rule| rule.verbs.retain(|verb| !rule.cached.contains(verb)));
    rules.retain(|rule| !rule.verbs.is_empty());
    cached.into_iter().filter(|rule| !rule.verbs.is_empty()).collect()
}

/// The rules, one for all resources of a group with the same verbs and the same name.
fn policy_rules(rules: &[RbacRule]) -> Vec<PolicyRule> {
    /// Group, verbs and name.
    type Key<'a> = (&'a str, Vec<Verb>, Option<&'a str>);
    let mut resources: BTreeMap<Key<'_>, Vec<String>> = BTreeMap::new();
    for rule in rules {
        let verbs = rule.verbs.iter().copied().collect();
        resources.entry((&rule.group, verbs, rule.name)).or_default().push(rule.resource.clone());
    }
    let rule = |((group, verbs, name), resources): (Key<'_>, Vec<String>)| PolicyRule {
        api_groups: Some(vec![group.to_owned()]),
        resources: Some(resources),
        resource_names: name.map(|name| vec![name.to_owned()]),
        verbs: verbs.into_iter().map(|verb| verb.as_str().to_owned()).collect(),
        ..PolicyRule::default()
    };
    resources.into_iter().map(rule).collect()
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    fn resources(rules: Option<&Vec<PolicyRule>>) -> Vec<String> {
        rules.into_iter().flatten().flat_map(|rule| rule.resources.clone().unwrap_or_default()).collect()
    }

    #[test]
    fn an_operator_of_all_namespaces_needs_one_cluster_role() {
        let rules = fixture::known().rbac_rules();
        let roles =
            Roles::new("op", &AllRules { operator: rules.clone(), ..AllRules::default() }, &[] as &[&str], false);
        assert_eq!(roles.roles, []);
        let role = roles.cluster_role.as_ref().unwrap();
        assert_eq!(resources(role.rules.as_ref()).len(), rules.len());
        let verbs = |role: &ClusterRole| role.rules.iter().flatten().flat_map(|rule| rule.verbs.clone()).count();
        assert!(verbs(role) > 0 && role.rules.iter().flatten().all(|rule| !rule.verbs.contains(&"*".to_owned())));
        let (binding, none) = roles.bindings("team-a", "robot");
        assert_eq!((binding.unwrap().role_ref.kind.as_str(), none), ("ClusterRole", Vec::new()));
    }

    #[test]
    fn an_operator_of_two_namespaces_needs_a_role_in_each() {
        let rules = fixture::known().rbac_rules();
        let roles = Roles::new("op", &AllRules { operator: rules.clone(), ..AllRules::default() }, &["a", "b"], false);
        let wide = roles.cluster_role.as_ref().and_then(|role| role.rules.as_ref());
        assert_eq!(resources(wide), ["nodes", "customresourcedefinitions"]);
        let namespaces: Vec<_> = roles.roles.iter().filter_map(|role| role.metadata.namespace.as_deref()).collect();
        assert_eq!(namespaces, ["a", "b"]);
        assert_eq!(resources(roles.roles[0].rules.as_ref()).len() + 2, rules.len());
        let (_, bindings) = roles.bindings("team-a", "robot");
        assert_eq!(bindings.len(), 2);
        assert_eq!(bindings[1].subjects.as_ref().unwrap()[0].namespace.as_deref(), Some("team-a"));
        assert_eq!(bindings[1].metadata.namespace.as_deref(), Some("b"));
    }

    #[test]
    fn one_watch_for_several_namespaces_needs_list_and_watch_in_the_cluster() {
        let rules = fixture::known().rbac_rules();
        let all = AllRules { operator: rules.clone(), ..AllRules::default() };
        let roles = Roles::new("op", &all, &["a", "b"], true);
        let verbs_of = |rules: Option<&Vec<PolicyRule>>, resource: &str| -> Vec<String> {
            let of = |rule: &&PolicyRule| rule.resources.iter().flatten().any(|one| one == resource);
            rules.into_iter().flatten().filter(of).flat_map(|rule| rule.verbs.clone()).collect()
        };
        let wide = roles.cluster_role.as_ref().and_then(|role| role.rules.as_ref());
        let narrow = roles.roles[0].rules.as_ref();
        let of = |resource| (verbs_of(wide, resource), verbs_of(narrow, resource));
        let strings = |verbs: &[&str]| -> Vec<String> { verbs.iter().map(ToString::to_string).collect() };
        assert_eq!(of("configmaps"), (strings(&["list", "watch"]), strings(&["get", "create", "patch", "delete"])));
        assert_eq!(of("secrets"), (Vec::new(), strings(&["list", "watch"])), "watched by name");
        assert_eq!(of("pods/status"), (Vec::new(), strings(&["patch"])));
        let count = |rules: Option<&Vec<PolicyRule>>| -> usize {
            rules.into_iter().flatten().map(|rule| rule.verbs.len() * rule.resources.iter().flatten().count()).sum()
        };
        assert_eq!(
            count(wide) + count(narrow),
            rules.iter().map(|rule| rule.verbs.len()).sum::<usize>(),
            "no right twice"
        );
    }
}
