//! The pod fits the restricted level of the Pod Security Standards, rule by rule.

use serde_json::{Value, json};

use crate::printed::{Example, find};

/// A rule of <https://kubernetes.io/docs/concepts/security/pod-security-standards/>: its name, and whether a pod follows it.
type Rule = (&'static str, fn(&Value) -> bool);

/// The rules of the levels baseline and restricted.
const RULES: [Rule; 16] = [
    ("HostProcess", |pod| each(pod, "securityContext/windowsOptions", Value::is_null)),
    ("Host Namespaces", |pod| ["hostNetwork", "hostPID", "hostIPC"].iter().all(|field| is_off(&pod[*field]))),
    ("Privileged Containers", |pod| each(pod, "securityContext/privileged", is_off)),
    ("Capabilities (baseline)", |pod| each(pod, "securityContext/capabilities/add", Value::is_null)),
    ("HostPath Volumes", |pod| volumes(pod).all(|volume| volume["hostPath"].is_null())),
    ("Host Ports", |pod| containers(pod).flat_map(|one| list(&one["ports"])).all(|port| port["hostPort"].is_null())),
    ("Host Probes", |pod| {
        ["startupProbe", "livenessProbe", "readinessProbe"]
            .iter()
            .all(|probe| each(pod, &format!("{probe}/httpGet/host"), Value::is_null))
    }),
    ("AppArmor", |pod| pod["securityContext"]["appArmorProfile"].is_null()),
    ("SELinux", |pod| pod["securityContext"]["seLinuxOptions"].is_null()),
    ("/proc Mount Type", |pod| each(pod, "securityContext/procMount", Value::is_null)),
    ("Sysctls", |pod| list(&pod["securityContext"]["sysctls"]).next().is_none()),
    ("Volume Types", |pod| volumes(pod).all(is_allowed_volume)),
    ("Privilege Escalation", |pod| {
        each(pod, "securityContext/allowPrivilegeEscalation", |value| value == &json!(false))
    }),
    ("Running as Non-root", |pod| {
        pod["securityContext"]["runAsNonRoot"] == true && pod["securityContext"]["runAsUser"].as_u64() > Some(0)
    }),
    ("Seccomp", |pod| pod["securityContext"]["seccompProfile"]["type"] == "RuntimeDefault"),
    ("Capabilities", |pod| each(pod, "securityContext/capabilities/drop", |drop| drop == &json!(["ALL"]))),
];

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn containers(pod: &Value) -> impl Iterator<Item = &Value> {
    ["containers", "initContainers", "ephemeralContainers"].into_iter().flat_map(|field| list(&pod[field]))
}

fn volumes(pod: &Value) -> impl Iterator<Item = &Value> {
    list(&pod["volumes"])
}

fn each(pod: &Value, path: &str, follows: impl Fn(&Value) -> bool) -> bool {
    containers(pod).all(|container| follows(container.pointer(&format!("/{path}")).unwrap_or(&Value::Null)))
}

fn is_off(value: &Value) -> bool {
    value.is_null() || value == &json!(false)
}

fn is_allowed_volume(volume: &Value) -> bool {
    let allowed =
        ["configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "persistentVolumeClaim", "projected", "secret"];
    volume.as_object().unwrap().keys().filter(|key| *key != "name").all(|key| allowed.contains(&&**key))
}

/// The names of the rules that the pod does not follow.
fn broken(pod: &Value) -> Vec<&'static str> {
    RULES.iter().filter(|(_, follows)| !follows(pod)).map(|(name, _)| *name).collect()
}

#[test]
fn each_pod_is_restricted() {
    for example in Example::ALL {
        for certs in ["self", "cert-manager"] {
            let objects = example.objects(&["--certs", certs, "--replicas", "2"]);
            let pod = &find(&objects, "Deployment", "")["spec"]["template"]["spec"];
            assert_eq!(broken(pod), Vec::<&str>::new(), "{example:?}");
            assert!(each(pod, "securityContext/readOnlyRootFilesystem", |value| value == &json!(true)));
            assert!(each(pod, "resources/limits/cpu", Value::is_null), "a limit of processor time costs the lease");
            let namespace = find(&objects, "Namespace", "");
            assert_eq!(namespace["metadata"]["labels"]["pod-security.kubernetes.io/enforce"], "restricted");
        }
    }
}

#[test]
fn each_rule_rejects_a_pod() {
    let objects = Example::Hello.objects(&[]);
    let pod = find(&objects, "Deployment", "")["spec"]["template"]["spec"].clone();
    let own = |path: &str| format!("/containers/0/{path}");
    let context = |field: &str| own(&format!("securityContext/{field}"));
    let changes = [
        (context("windowsOptions"), json!({ "hostProcess": true })),
        ("/hostNetwork".to_owned(), json!(true)),
        (context("privileged"), json!(true)),
        (context("capabilities/add"), json!(["SYS_ADMIN"])),
        ("/volumes".to_owned(), json!([{ "name": "x", "hostPath": {} }])),
        (own("ports/0/hostPort"), json!(80)),
        (own("livenessProbe/httpGet/host"), json!("192.0.2.1")),
        ("/securityContext/appArmorProfile".to_owned(), json!({ "type": "Unconfined" })),
        ("/securityContext/seLinuxOptions".to_owned(), json!({ "user": "x" })),
        (context("procMount"), json!("Unmasked")),
        ("/securityContext/sysctls".to_owned(), json!([{ "name": "kernel.msgmax" }])),
        ("/volumes".to_owned(), json!([{ "name": "x", "nfs": {} }])),
        (context("allowPrivilegeEscalation"), json!(true)),
        ("/securityContext/runAsNonRoot".to_owned(), json!(false)),
        ("/securityContext/seccompProfile/type".to_owned(), json!("Unconfined")),
        (context("capabilities/drop"), json!([])),
    ];
    for ((path, value), (name, _)) in changes.into_iter().zip(RULES) {
        let mut pod = pod.clone();
        let (parent, field) = path.rsplit_once('/').unwrap();
        pod.pointer_mut(parent).unwrap()[field] = value;
        assert!(broken(&pod).contains(&name), "{name}: {path}");
    }
}
