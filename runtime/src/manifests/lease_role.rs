//! The Role for the lease, by which one of several replicas is chosen.

use k8s_openapi::api::rbac::v1::{PolicyRule, Role};

use super::labels::Source;

/// The name of an object is not known when it is created, so that rule has no name.
pub(super) fn lease_role(source: Source<'_>) -> Option<Role> {
    let rule = |group: &str, resource: &str, verbs: &[&str], name: Option<&str>| PolicyRule {
        api_groups: Some(vec![group.to_owned()]),
        resources: Some(vec![resource.to_owned()]),
        resource_names: name.map(|name| vec![name.to_owned()]),
        verbs: verbs.iter().map(|verb| (*verb).to_owned()).collect(),
        ..PolicyRule::default()
    };
    let leases = "coordination.k8s.io";
    let mut rules = vec![
        rule(leases, "leases", &["create"], None),
        rule(leases, "leases", &["get", "watch", "update"], Some(&source.parts.lease)),
    ];
    if !records_events(source) {
        rules.push(rule("events.k8s.io", "events", &["create", "patch"], None));
    }
    source.elects().then(|| Role { metadata: source.meta("-lease"), rules: Some(rules) })
}

/// Whether the operator may record events in its own namespace anyway.
fn records_events(source: Source<'_>) -> bool {
    let roles = &source.parts.roles;
    let is_here = |role: &&Role| role.metadata.namespace.as_ref() == Some(&source.options.namespace);
    let wide = roles.cluster_role.iter().flat_map(|role| role.rules.iter().flatten());
    let own = roles.roles.iter().filter(is_here).flat_map(|role| role.rules.iter().flatten());
    let is_events = |resource: &String| resource == "events";
    wide.chain(own).any(|rule| rule.resources.iter().flatten().any(is_events))
}
