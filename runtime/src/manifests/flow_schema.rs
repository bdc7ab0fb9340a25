//! The FlowSchema that keeps the lease out of the queue of the operator's own requests. It needs Kubernetes 1.29.

use k8s_openapi::api::flowcontrol::v1::{
    FlowSchema, FlowSchemaSpec, PolicyRulesWithSubjects, PriorityLevelConfigurationReference, ResourcePolicyRule,
    ServiceAccountSubject, Subject,
};

use super::labels::Source;

/// Before the schema of all service accounts, which has 9,000, and after those of the system.
const PRECEDENCE: i32 = 1_000;

/// Gives the lease of this operator the priority that an API server gives to leases in `kube-system` only.
///
/// Source: <https://kubernetes.io/docs/concepts/cluster-administration/flow-control/>.
#[allow(clippy::useless_conversion, reason = "the spec is an Option in the types before Kubernetes 1.37")]
pub(super) fn flow_schema(source: Source<'_>) -> Option<FlowSchema> {
    let subject = Subject {
        kind: "ServiceAccount".to_owned(),
        service_account: Some(ServiceAccountSubject {
            name: source.name(""),
            namespace: source.options.namespace.clone(),
        }),
        ..Subject::default()
    };
    let rule = ResourcePolicyRule {
        api_groups: vec!["coordination.k8s.io".to_owned()],
        resources: vec!["leases".to_owned()],
        namespaces: Some(vec![source.options.namespace.clone()]),
        verbs: ["create", "get", "update", "watch"].map(ToOwned::to_owned).into(),
        ..ResourcePolicyRule::default()
    };
    let rules = PolicyRulesWithSubjects {
        subjects: vec![subject],
        resource_rules: Some(vec![rule]),
        ..PolicyRulesWithSubjects::default()
    };
    let spec = FlowSchemaSpec {
        matching_precedence: Some(PRECEDENCE),
        priority_level_configuration: PriorityLevelConfigurationReference { name: "leader-election".to_owned() },
        rules: Some(vec![rules]),
        ..FlowSchemaSpec::default()
    };
    let metadata = source.cluster_meta("-leases");
    source.elects().then(|| FlowSchema { metadata, spec: spec.into(), ..FlowSchema::default() })
}
