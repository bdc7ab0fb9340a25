//! Built-in objects: the default values that a server sets.

use serde_json::{Value, json};

use crate::check::{Verdict, same};
use crate::env::{Answer, Env};
use crate::rule::rules;

rules!(
    a_deployment_gets_its_defaults,
    a_job_gets_its_defaults_and_its_selector,
    a_service_gets_type_and_target_ports,
    removed_defaults_are_set_again,
    explicit_values_override_defaults,
);

/// Checks that the answer has these values at these paths.
fn at(answer: &Answer, places: &[(&str, Value)]) -> Verdict {
    for (pointer, expected) in places {
        same(pointer, answer.body.pointer(pointer).unwrap_or(&Value::Null), expected)?;
    }
    Ok(())
}

fn template() -> Value {
    let probe = json!({"httpGet": {"port": 80}});
    let ports = json!([{"containerPort": 80}]);
    let container = json!({"name": "c", "image": "i", "ports": ports, "livenessProbe": probe});
    json!({"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [container], "volumes": [{"name": "v"}, {"name": "s", "secret": {"secretName": "s"}}]}})
}

fn deployment() -> Value {
    json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"},
        "spec": {"paused": true, "replicas": 0, "selector": {"matchLabels": {"a": "b"}}, "template": template()}})
}

impl Env {
    fn of(&self, group: &str, rest: &str) -> String {
        format!("/apis/{group}/v1/namespaces/{}/{rest}", self.namespace)
    }
}

async fn a_deployment_gets_its_defaults(env: &Env) -> Verdict {
    let answer = env.post(&env.of("apps", "deployments"), &deployment()).await?.is(201)?;
    at(
        &answer,
        &[
            (
                "/spec/strategy",
                json!({"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "25%", "maxSurge": "25%"}}),
            ),
            ("/spec/revisionHistoryLimit", json!(10)),
            ("/spec/progressDeadlineSeconds", json!(600)),
            ("/spec/template/spec/restartPolicy", json!("Always")),
            ("/spec/template/spec/dnsPolicy", json!("ClusterFirst")),
            ("/spec/template/spec/terminationGracePeriodSeconds", json!(30)),
            ("/spec/template/spec/schedulerName", json!("default-scheduler")),
            ("/spec/template/spec/securityContext", json!({})),
            ("/spec/template/spec/volumes/0", json!({"name": "v", "emptyDir": {}})),
            ("/spec/template/spec/volumes/1/secret/defaultMode", json!(420)),
            ("/spec/template/spec/containers/0/imagePullPolicy", json!("Always")),
            ("/spec/template/spec/containers/0/terminationMessagePath", json!("/dev/termination-log")),
            ("/spec/template/spec/containers/0/ports/0/protocol", json!("TCP")),
            ("/spec/template/spec/containers/0/livenessProbe/httpGet/scheme", json!("HTTP")),
            ("/spec/template/spec/containers/0/livenessProbe/periodSeconds", json!(10)),
        ],
    )
}

async fn a_job_gets_its_defaults_and_its_selector(env: &Env) -> Verdict {
    let mut template = template();
    template["spec"]["restartPolicy"] = json!("Never");
    let job =
        json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j"}, "spec": {"template": template}});
    let answer = env.post(&env.of("batch", "jobs"), &job).await?.is(201)?;
    let uid = answer.body["metadata"]["uid"].clone();
    at(
        &answer,
        &[
            ("/spec/parallelism", json!(1)),
            ("/spec/completions", json!(1)),
            ("/spec/backoffLimit", json!(6)),
            ("/spec/template/metadata/labels/controller-uid", uid),
            ("/spec/template/metadata/labels/job-name", json!("j")),
        ],
    )
}

async fn a_service_gets_type_and_target_ports(env: &Env) -> Verdict {
    let service = json!({"metadata": {"name": "s"}, "spec": {"selector": {"a": "b"}, "ports": [{"port": 80}]}});
    let answer = env.post(&env.core("services"), &service).await?.is(201)?;
    at(
        &answer,
        &[
            ("/spec/type", json!("ClusterIP")),
            ("/spec/sessionAffinity", json!("None")),
            ("/spec/ports/0", json!({"port": 80, "protocol": "TCP", "targetPort": 80})),
        ],
    )
}

async fn removed_defaults_are_set_again(env: &Env) -> Verdict {
    env.post(&env.of("apps", "deployments"), &deployment()).await?.is(201)?;
    let patch = json!({"spec": {"revisionHistoryLimit": null, "replicas": null}});
    let answer = env.merge(&env.of("apps", "deployments/d"), &patch).await?.is(200)?;
    at(&answer, &[("/spec/revisionHistoryLimit", json!(10)), ("/spec/replicas", json!(1))])
}

async fn explicit_values_override_defaults(env: &Env) -> Verdict {
    let mut own = deployment();
    own["spec"]["strategy"] = json!({"type": "Recreate"});
    own["spec"]["template"]["spec"]["containers"][0]["image"] = json!("i:1");
    let answer = env.post(&env.of("apps", "deployments"), &own).await?.is(201)?;
    at(
        &answer,
        &[
            ("/spec/strategy", json!({"type": "Recreate"})),
            ("/spec/template/spec/containers/0/imagePullPolicy", json!("IfNotPresent")),
        ],
    )
}
