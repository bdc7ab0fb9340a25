//! Admission policies in one process: what takes effect at once, and what this server does not provide.

use k8s_openapi::api::admissionregistration::v1::ValidatingAdmissionPolicy;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;
use kube::api::PostParams;
use serde_json::{Value, json};

use crate::Cluster;

/// A policy and its binding for ConfigMaps.
fn objects(expression: &str) -> [Value; 2] {
    let head = |kind: &str, spec: Value| json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": {"name": "p"}, "spec": spec});
    let rule = json!({"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]});
    let spec = json!({"matchConstraints": {"resourceRules": [rule]}, "validations": [{"expression": expression}]});
    let binding = json!({"policyName": "p", "validationActions": ["Deny"]});
    [head("ValidatingAdmissionPolicy", spec), head("ValidatingAdmissionPolicyBinding", binding)]
}

async fn create(cluster: &Cluster, name: &str) -> kube::Result<ConfigMap> {
    let map = serde_json::from_value(json!({"metadata": {"name": name}})).unwrap();
    Api::namespaced(cluster.client(), "default").create(&PostParams::default(), &map).await
}

#[tokio::test]
async fn a_policy_has_an_effect_at_once() {
    let cluster = Cluster::start().await;
    for object in objects("object.metadata.name.startsWith('a')") {
        cluster.seed(object.to_string()).await.unwrap();
    }
    create(&cluster, "a").await.unwrap();
    let error = create(&cluster, "b").await.unwrap_err();
    let why = "ValidatingAdmissionPolicy 'p' with binding 'p' denied request: failed expression: \
               object.metadata.name.startsWith('a')";
    assert!(
        matches!(error, kube::Error::Api(status) if status.message == format!("configmaps \"b\" is forbidden: {why}"))
    );
}

#[tokio::test]
async fn a_policy_that_reads_the_authorizer_is_not_served() {
    let cluster = Cluster::start().await;
    let expression = "authorizer.group('').resource('pods').check('get').allowed()";
    let [policy, _] = objects(expression);
    let policy = serde_json::from_value(policy).unwrap();
    let policies: Api<ValidatingAdmissionPolicy> = Api::all(cluster.client());
    let error = format!("{:?}", policies.create(&PostParams::default(), &policy).await.unwrap_err());
    assert!(error.contains("501"), "{error}");
    let why = "the variable authorizer in spec.validations[0].expression of ValidatingAdmissionPolicy";
    assert!(error.contains(why), "{error}");
}
