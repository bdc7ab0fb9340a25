//! The roles of the operator and their bindings to its ServiceAccount.

use k8s_openapi::api::rbac::v1::{ClusterRole, ClusterRoleBinding, Role, RoleBinding};

use super::aggregated_roles::aggregated_roles;
use super::certificate::is_issued;
use super::labels::Source;
use crate::introspection::Roles;

/// All roles and bindings of an installation.
#[derive(Default)]
pub(super) struct AllRoles {
    pub(super) cluster_roles: Vec<ClusterRole>,
    pub(super) cluster_role_bindings: Vec<ClusterRoleBinding>,
    pub(super) roles: Vec<Role>,
    pub(super) role_bindings: Vec<RoleBinding>,
}

pub(super) fn roles(source: Source<'_>) -> AllRoles {
    let mut all = AllRoles::default();
    all.add(source, &source.parts.roles);
    // A certificate from cert-manager needs no rights of the operator.
    for hooks in source.parts.hooks.iter().filter(|_| !is_issued(source)) {
        all.add(source, &hooks.roles);
    }
    if source.elects() {
        all.add(source, &Roles { roles: vec![source.parts.lease_role.clone()], ..Roles::default() });
    }
    all.cluster_roles.extend(aggregated_roles(source));
    all
}

impl AllRoles {
    /// Adds the roles and binds them. Those of users of sites stay unbound: they are bound where the users are.
    fn add(&mut self, source: Source<'_>, roles: &Roles) {
        let (cluster, own) = roles.bindings(&source.options.namespace, &source.name(""));
        let labelled = |metadata: &_| source.label(Clone::clone(metadata));
        let cluster_roles = roles.cluster_role.iter().chain(&roles.site_role);
        self.cluster_roles
            .extend(cluster_roles.map(|role| ClusterRole { metadata: labelled(&role.metadata), ..role.clone() }));
        self.roles.extend(roles.roles.iter().map(|role| Role { metadata: labelled(&role.metadata), ..role.clone() }));
        self.cluster_role_bindings
            .extend(cluster.map(|binding| ClusterRoleBinding { metadata: labelled(&binding.metadata), ..binding }));
        self.role_bindings
            .extend(own.into_iter().map(|binding| RoleBinding { metadata: labelled(&binding.metadata), ..binding }));
    }
}
