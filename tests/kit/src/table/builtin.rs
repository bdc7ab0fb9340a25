//! The columns of built-in kinds, as in the printers of Kubernetes; other kinds have name and creation time.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::age;
use super::column::{Column, count, items, labels, number, or_none, text};
use super::{pod, workload};

pub(super) fn columns(group: &str, kind: &str) -> Vec<Column> {
    let (name, age) = (Column::name(), Column::age());
    match (group, kind) {
        ("", "ConfigMap") => vec![name, Column::known("Data", CONFIG, |map, _| json!(entries(map))), age],
        ("", "Secret") => vec![
            name,
            Column::known("Type", "Used to facilitate programmatic handling of secret data.", |secret, _| {
                json!(text(secret, "/type"))
            }),
            Column::known("Data", "How many keys the secret has.", |secret, _| json!(count(secret, "/data"))),
            age,
        ],
        ("", "Namespace") => {
            vec![
                name,
                Column::known("Status", "The status of the namespace", |n, _| json!(text(n, "/status/phase"))),
                age,
            ]
        }
        ("", "ServiceAccount") => {
            vec![
                name,
                Column::known("Secrets", "How many secrets it may use.", |sa, _| json!(count(sa, "/secrets"))),
                age,
            ]
        }
        ("", "Service") => service(name, age),
        ("", "Node") => node(name, age),
        ("", "PersistentVolumeClaim") => claim(name, age),
        ("", "Pod") => pod::columns(),
        ("" | "events.k8s.io", "Event") => event(name),
        ("apps" | "batch", kind) => workload::columns(kind),
        ("coordination.k8s.io", "Lease") => {
            vec![name, Column::known("Holder", HOLDER, |lease, _| json!(text(lease, "/spec/holderIdentity"))), age]
        }
        ("networking.k8s.io", "Ingress") => ingress(name, age),
        ("rbac.authorization.k8s.io", "RoleBinding" | "ClusterRoleBinding") => binding(name, age),
        _ => vec![name, Column::created()],
    }
}

const CONFIG: &str = "Data contains the configuration data. Each key must consist of alphanumeric characters, '-', '_' or '.'. \
    Values with non-UTF-8 byte sequences must use the BinaryData field. The keys stored in Data must not overlap with the keys \
    in the BinaryData field, this is enforced during validation process.";
const HOLDER: &str = "holderIdentity contains the identity of the holder of a current lease.";

fn entries(map: &Value) -> usize {
    count(map, "/data") + count(map, "/binaryData")
}

fn service(name: Column, age: Column) -> Vec<Column> {
    vec![
        name,
        Column::known("Type", "How the service is exposed.", |service, _| json!(text(service, "/spec/type"))),
        Column::known("Cluster-IP", "The address inside the cluster.", |service, _| {
            or_none(service, "/spec/clusterIP")
        }),
        Column::known("External-IP", "The addresses outside.", |service, _| json!(external(service))),
        Column::known("Port(s)", "The ports.", |service, _| json!(ports(service))),
        age,
        Column::known("Selector", "The labels of its pods.", |service, _| labels(service, "/spec/selector")).wide(),
    ]
}

fn external(service: &Value) -> String {
    let own = || listed(items(service, "/spec/externalIPs").iter().filter_map(Value::as_str));
    match text(service, "/spec/type") {
        "ExternalName" => text(service, "/spec/externalName").to_owned(),
        "LoadBalancer" => {
            let ingress = items(service, "/status/loadBalancer/ingress").iter();
            let given: Vec<String> = ingress.map(|at| [text(at, "/ip"), text(at, "/hostname")].concat()).collect();
            if given.is_empty() { "<pending>".to_owned() } else { given.join(",") }
        }
        _ => own(),
    }
}

fn ports(service: &Value) -> String {
    let port = |port: &Value| {
        let node = number(port, "/nodePort");
        let node = if node == 0 { String::new() } else { format!(":{node}") };
        let protocol = Some(text(port, "/protocol")).filter(|protocol| !protocol.is_empty()).unwrap_or("TCP");
        format!("{}{node}/{protocol}", number(port, "/port"))
    };
    let ports: Vec<String> = items(service, "/spec/ports").iter().map(port).collect();
    listed(ports.iter().map(String::as_str))
}

/// The strings joined by commas, or `<none>`.
pub(super) fn listed<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let texts: Vec<&str> = texts.collect();
    if texts.is_empty() { "<none>".to_owned() } else { texts.join(",") }
}

fn node(name: Column, age: Column) -> Vec<Column> {
    let version = |node: &Value, _: Timestamp| json!(text(node, "/status/nodeInfo/kubeletVersion"));
    vec![
        name,
        Column::known("Status", "The status of the node", |node, _| json!(node_status(node))),
        Column::known("Roles", "The roles of the node", |node, _| json!(roles(node))),
        age,
        Column::known("Version", "Kubelet Version reported by the node.", version),
    ]
}

fn node_status(node: &Value) -> String {
    let ready = items(node, "/status/conditions").iter().find(|condition| condition["type"] == "Ready");
    let mut status = match ready.map(|ready| text(ready, "/status")) {
        None => "Unknown",
        Some("True") => "Ready",
        Some(_) => "NotReady",
    }
    .to_owned();
    if node["spec"]["unschedulable"] == true {
        status.push_str(",SchedulingDisabled");
    }
    status
}

fn roles(node: &Value) -> String {
    let labels = node["metadata"]["labels"].as_object().into_iter().flatten();
    let roles = labels.filter_map(|(label, _)| label.strip_prefix("node-role.kubernetes.io/"));
    listed(roles.filter(|role| !role.is_empty()))
}

fn claim(name: Column, age: Column) -> Vec<Column> {
    let capacity = |claim: &Value, _: Timestamp| json!(text(claim, "/status/capacity/storage"));
    vec![
        name,
        Column::known("Status", "The phase of the claim.", |claim, _| json!(text(claim, "/status/phase"))),
        Column::known("Volume", "The volume behind it.", |claim, _| json!(text(claim, "/spec/volumeName"))),
        Column::known("Capacity", "The actual size of the volume.", capacity),
        Column::known("Access Modes", "How the volume may be mounted.", |claim, _| json!(modes(claim))),
        Column::known("StorageClass", "StorageClass of the pvc", |claim, _| {
            json!(text(claim, "/spec/storageClassName"))
        }),
        age,
    ]
}

fn modes(claim: &Value) -> String {
    let short = |mode: &Value| match mode.as_str().unwrap_or_default() {
        "ReadWriteOnce" => "RWO",
        "ReadOnlyMany" => "ROX",
        "ReadWriteMany" => "RWX",
        "ReadWriteOncePod" => "RWOP",
        _ => "",
    };
    let modes: Vec<&str> = items(claim, "/status/accessModes").iter().map(short).collect();
    modes.join(",")
}

fn event(name: Column) -> Vec<Column> {
    vec![
        Column::known(
            "Last Seen",
            "The time at which the most recent occurrence of this event was recorded.",
            |event, now| age::since(last_seen(event), now),
        ),
        Column::known(
            "Type",
            "Type of this event (Normal, Warning), new types could be added in the future",
            |event, _| json!(text(event, "/type")),
        ),
        Column::known("Reason", "Why it was recorded.", |event, _| json!(text(event, "/reason"))),
        Column::known("Object", "The object that this event is about.", |event, _| json!(about(event))),
        Column::known("Source", "The component reporting this event.", |event, _| json!(source(event))).wide(),
        Column::known("Message", "A human-readable description of the status of this operation.", |event, _| {
            json!(either(event, "message", "note").as_str().unwrap_or_default().trim())
        }),
        Column::known("Count", "The number of times this event has occurred.", |event, _| json!(times(event))).wide(),
        name.wide(),
    ]
}

/// A field of an Event of either API group.
fn either<'a>(event: &'a Value, core: &str, new: &str) -> &'a Value {
    if event[core].is_null() { &event[new] } else { &event[core] }
}

fn last_seen(event: &Value) -> &Value {
    let last = either(event, "lastTimestamp", "deprecatedLastTimestamp");
    let series = &event["series"]["lastObservedTime"];
    [series, last, &event["eventTime"]].into_iter().find(|time| !time.is_null()).unwrap_or(&Value::Null)
}

fn about(event: &Value) -> String {
    let object = either(event, "involvedObject", "regarding");
    let (kind, name) = (text(object, "/kind").to_lowercase(), text(object, "/name"));
    if name.is_empty() { kind } else { format!("{kind}/{name}") }
}

fn source(event: &Value) -> String {
    let source = either(event, "source", "deprecatedSource");
    let component = text(source, "/component");
    let reporter = either(event, "reportingComponent", "reportingController").as_str().unwrap_or_default();
    let host = text(source, "/host");
    let component = if component.is_empty() { reporter } else { component };
    if host.is_empty() { component.to_owned() } else { format!("{component}, {host}") }
}

fn times(event: &Value) -> i64 {
    let counted = number(event, "/series/count").max(number(event, "/count")).max(number(event, "/deprecatedCount"));
    counted.max(1)
}

fn ingress(name: Column, age: Column) -> Vec<Column> {
    vec![
        name,
        Column::known("Class", "The class of the ingress.", |ingress, _| or_none(ingress, "/spec/ingressClassName")),
        Column::known(
            "Hosts",
            "Hosts that incoming requests are matched against before the ingress rule",
            |ingress, _| json!(hosts(ingress)),
        ),
        Column::known("Address", "Address is a list containing ingress points for the load-balancer", |ingress, _| {
            let points = items(ingress, "/status/loadBalancer/ingress").iter();
            json!(points.map(|at| [text(at, "/ip"), text(at, "/hostname")].concat()).collect::<Vec<_>>().join(","))
        }),
        Column::known("Ports", "Ports of TLS configurations that open", |ingress, _| {
            json!(if count(ingress, "/spec/tls") > 0 { "80, 443" } else { "80" })
        }),
        age,
    ]
}

fn hosts(ingress: &Value) -> String {
    let hosts: Vec<&str> =
        items(ingress, "/spec/rules").iter().map(|rule| text(rule, "/host")).filter(|host| !host.is_empty()).collect();
    if hosts.is_empty() { "*".to_owned() } else { hosts.join(",") }
}

fn binding(name: Column, age: Column) -> Vec<Column> {
    let role = |binding: &Value, _: Timestamp| {
        json!(format!("{}/{}", text(binding, "/roleRef/kind"), text(binding, "/roleRef/name")))
    };
    vec![
        name,
        Column::known("Role", "The role that is given.", role),
        age,
        Column::known("Users", "Users in the binding", |binding, _| json!(subjects(binding, "User"))).wide(),
        Column::known("Groups", "Groups in the binding", |binding, _| json!(subjects(binding, "Group"))).wide(),
        Column::known("ServiceAccounts", "ServiceAccounts in the binding", |binding, _| {
            json!(subjects(binding, "ServiceAccount"))
        })
        .wide(),
    ]
}

fn subjects(binding: &Value, kind: &str) -> String {
    let named = |subject: &Value| match text(subject, "/namespace") {
        "" => text(subject, "/name").to_owned(),
        namespace => format!("{namespace}/{}", text(subject, "/name")),
    };
    let subjects = items(binding, "/subjects").iter().filter(|subject| subject["kind"] == kind);
    subjects.map(named).collect::<Vec<_>>().join(", ")
}
