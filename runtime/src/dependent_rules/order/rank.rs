//! Ranks: in which order the calls of one wave start. Lower ranks come first.

/// The rank of a kind when objects are applied.
#[must_use]
pub fn apply_rank(group: &str, kind: &str) -> i8 {
    match group_of(group, kind) {
        Group::Namespace => -4,
        Group::Webhook => -3,
        Group::Definition | Group::Parameters | Group::Role => -2,
        Group::Binding | Group::Data => -1,
        Group::Service | Group::Other => 0,
        Group::ApiService => 1,
    }
}

/// The rank of a kind when objects are deleted.
#[must_use]
pub fn delete_rank(group: &str, kind: &str) -> i8 {
    match group_of(group, kind) {
        Group::Definition | Group::ApiService => -1,
        Group::Role | Group::Binding | Group::Other => 0,
        Group::Webhook => 1,
        Group::Service | Group::Data => 2,
        Group::Namespace => 3,
        Group::Parameters => 4,
    }
}

/// Whether objects of the kind have pods that end after them, unless they are deleted in the foreground.
#[must_use]
pub fn has_pods(group: &str, kind: &str) -> bool {
    matches!(
        (group, kind),
        ("apps", "DaemonSet" | "Deployment" | "ReplicaSet" | "StatefulSet") | ("batch", "CronJob" | "Job")
    )
}

/// Kinds with the same ranks. `Parameters` are classes, which other objects name: StorageClass and the like.
enum Group {
    Namespace,
    Webhook,
    Definition,
    Parameters,
    Role,
    Binding,
    Data,
    Service,
    ApiService,
    Other,
}

fn group_of(group: &str, kind: &str) -> Group {
    match (group, kind) {
        ("", "Namespace") => Group::Namespace,
        ("admissionregistration.k8s.io", "MutatingWebhookConfiguration" | "ValidatingWebhookConfiguration") => {
            Group::Webhook
        }
        ("apiextensions.k8s.io", "CustomResourceDefinition") => Group::Definition,
        ("networking.k8s.io", "IngressClass")
        | ("node.k8s.io", "RuntimeClass")
        | ("scheduling.k8s.io", "PriorityClass")
        | ("storage.k8s.io", "StorageClass") => Group::Parameters,
        ("rbac.authorization.k8s.io", "ClusterRole" | "Role") => Group::Role,
        ("rbac.authorization.k8s.io", "ClusterRoleBinding" | "RoleBinding") => Group::Binding,
        ("", "ConfigMap" | "Secret") => Group::Data,
        ("", "Service") => Group::Service,
        ("apiregistration.k8s.io", "APIService") => Group::ApiService,
        _ => Group::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_group_of_a_kind_counts() {
        assert_eq!((apply_rank("", "Secret"), delete_rank("", "Service")), (-1, 2));
        assert_eq!((apply_rank("x.example.com", "Secret"), delete_rank("serving.knative.dev", "Service")), (0, 0));
    }
}
