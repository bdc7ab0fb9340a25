//! The role by which replicas elect their leader, in the namespace of the Lease.

use k8s_openapi::api::rbac::v1::{PolicyRule, Role};
use kube::Client;
use kube::api::ObjectMeta;

use super::builder::Operator;
use super::lease_name::leader_id;
use super::replicas::Replicas;
use crate::introspection::{RbacRule, Roles};
use crate::lease::{LeaseName, shard_lease};
use crate::wiring::Verb;

const GROUP: &str = "coordination.k8s.io";

/// The name of the Lease.
pub(super) fn lease_name(operator: &Operator, replicas: &Replicas) -> String {
    replicas.name.clone().unwrap_or_else(|| instance(operator))
}

/// The name of the operator, with a hash of the label selector if there is one.
pub(super) fn instance(operator: &Operator) -> String {
    let selectors: Vec<&str> = operator.label_selector.iter().map(|selector| &**selector).collect();
    leader_id(&operator.name, &selectors)
}

/// The names of all Leases: the one of the operator, and those of its shards.
fn lease_names(operator: &Operator, replicas: &Replicas) -> Vec<String> {
    let group = LeaseName { namespace: String::new(), name: lease_name(operator, replicas) };
    let shards = 0..replicas.shards.map_or(0, |shards| usize::from(shards.get()));
    let shards: Vec<_> = shards.map(|shard| shard_lease(&group, shard).name).collect();
    [vec![group.name], shards].concat()
}

/// The lease of a running operator.
pub(super) fn lease_at(operator: &Operator, replicas: &Replicas, client: &Client) -> LeaseName {
    let namespace = replicas.namespace().unwrap_or_else(|| client.default_namespace().to_owned());
    LeaseName { namespace, name: lease_name(operator, replicas) }
}

/// The role of an operator that is installed in this namespace, whether it has replicas already or not.
#[cfg(feature = "manifests")]
pub(super) fn role_in(operator: &Operator, namespace: &str, others: &Roles) -> Role {
    let replicas = operator.replicas.clone().unwrap_or_default();
    let namespace = replicas.namespace.as_deref().unwrap_or(namespace);
    role(&instance(operator), namespace, lease_names(operator, &replicas), others)
}

/// The leases of an operator with replicas, for its RBAC rules. The namespace is `None` if only the cluster knows it.
fn leases_of(operator: &Operator) -> Option<(Option<String>, Vec<String>)> {
    let replicas = operator.replicas.as_ref()?;
    Some((replicas.namespace(), lease_names(operator, replicas)))
}

/// The role of an operator with replicas. `namespace`: where the operator runs, if that is known.
pub(super) fn lease_role(operator: &Operator, namespace: Option<&str>, others: &Roles) -> Option<Role> {
    let (own, leases) = leases_of(operator)?;
    let namespace = own.or_else(|| namespace.map(ToOwned::to_owned)).unwrap_or_else(|| "default".to_owned());
    Some(role(&instance(operator), &namespace, leases, others))
}

/// The role for leases in this namespace, besides the other roles of the operator. `instance`: its name begins so.
fn role(instance: &str, namespace: &str, leases: Vec<String>, others: &Roles) -> Role {
    let rule = |group: &str, resource: &str, verbs: &[&str], names: Option<Vec<String>>| PolicyRule {
        api_groups: Some(vec![group.to_owned()]),
        resources: Some(vec![resource.to_owned()]),
        verbs: verbs.iter().map(|verb| (*verb).to_owned()).collect(),
        resource_names: names,
        ..PolicyRule::default()
    };
    let metadata = ObjectMeta {
        name: Some(format!("{instance}-leader-election")),
        namespace: Some(namespace.to_owned()),
        ..ObjectMeta::default()
    };
    let mut rules = vec![
        // An object that does not exist yet has no name for RBAC.
        rule(GROUP, "leases", &["create"], None),
        rule(GROUP, "leases", &["get", "update", "watch"], Some(leases)),
    ];
    if !record_events(others, namespace) {
        rules.push(rule("events.k8s.io", "events", &["create"], None));
    }
    Role { metadata, rules: Some(rules) }
}

/// Whether these roles record events in the namespace.
fn record_events(roles: &Roles, namespace: &str) -> bool {
    let is_here = |role: &&Role| role.metadata.namespace.as_deref() == Some(namespace);
    let wide = roles.cluster_role.iter().flat_map(|role| role.rules.iter().flatten());
    let own = roles.roles.iter().filter(is_here).flat_map(|role| role.rules.iter().flatten());
    wide.chain(own).any(|rule| rule.resources.iter().flatten().any(|resource| resource == "events"))
}

/// The same rules for a table.
#[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "only the command line prints it"))]
pub(super) fn lease_rules(operator: &Operator) -> Vec<RbacRule> {
    let Some((_, leases)) = leases_of(operator) else { return Vec::new() };
    let named = leases.iter().map(|lease| format!("\"{lease}\"")).collect::<Vec<_>>().join(", ");
    let rule = |group: &str, resource: String, verbs: &[Verb], why| {
        RbacRule::namespaced(group, resource, verbs.iter().copied(), why)
    };
    vec![
        rule(GROUP, "leases".to_owned(), &[Verb::Create], "makes the lease of its replicas"),
        rule(GROUP, format!("leases {named}"), &[Verb::Get, Verb::Update, Verb::Watch], "elects a leader"),
        rule("events.k8s.io", "events".to_owned(), &[Verb::Create], "records who became leader"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_operator_with_replicas_has_the_role() {
        assert_eq!(lease_role(&Operator::new("shop"), None, &Roles::default()), None);
        assert!(lease_rules(&Operator::new("shop")).is_empty());
        let operator =
            Operator::new("shop").replicas_with(Replicas { namespace: Some("ops".into()), ..Replicas::default() });
        let role = lease_role(&operator, Some("other"), &Roles::default()).unwrap();
        assert_eq!(role.metadata.namespace.as_deref(), Some("ops"), "the namespace of the lease wins");
        let rules = role.rules.unwrap();
        assert_eq!(rules[1].resource_names.as_deref(), Some(&["shop".to_owned()][..]));
        assert_eq!(rules[0].resource_names, None);
        assert_eq!(lease_rules(&operator).len(), rules.len());
    }
}
