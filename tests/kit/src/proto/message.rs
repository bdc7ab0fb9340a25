//! The supported messages: numbers, names and types of their fields, as Kubernetes publishes them.

use std::collections::HashMap;
use std::sync::LazyLock;

use k8s_openapi::ByteString;
use serde_json::{Map, Value, json};

use super::read::{Wire, fields, text};

/// One message per line: its name, then `name:number:type` of each field. `[]` is a list and `{}` a map by name. `?` marks a field whose
/// zero value is written too, and `=` a field that is replaced by its own fields.
const MESSAGES: &str = "
ConfigMap metadata:1:ObjectMeta data:2:{}string binaryData:3:{}bytes immutable:4:?bool
Secret metadata:1:ObjectMeta data:2:{}bytes type:3:string stringData:4:{}string immutable:5:?bool
Namespace metadata:1:ObjectMeta spec:2:NamespaceSpec status:3:NamespaceStatus
NamespaceSpec finalizers:1:[]string
NamespaceStatus phase:1:string
ServiceAccount metadata:1:ObjectMeta secrets:2:[]ObjectReference imagePullSecrets:3:[]LocalObjectReference automountServiceAccountToken:4:?bool
ObjectReference kind:1:string namespace:2:string name:3:string uid:4:string apiVersion:5:string resourceVersion:6:string fieldPath:7:string
LocalObjectReference name:1:string
Service metadata:1:ObjectMeta spec:2:ServiceSpec status:3:ServiceStatus
ServiceSpec ports:1:[]ServicePort selector:2:{}string clusterIP:3:string type:4:string externalIPs:5:[]string sessionAffinity:7:string loadBalancerIP:8:string externalName:10:string externalTrafficPolicy:11:string healthCheckNodePort:12:int publishNotReadyAddresses:13:bool clusterIPs:18:[]string
ServicePort name:1:string protocol:2:string port:3:int targetPort:4:IntOrString nodePort:5:int appProtocol:6:?string
ServiceStatus loadBalancer:1:LoadBalancerStatus
LoadBalancerStatus
Deployment metadata:1:ObjectMeta spec:2:DeploymentSpec status:3:DeploymentStatus
DeploymentSpec replicas:1:?int selector:2:LabelSelector template:3:PodTemplateSpec strategy:4:DeploymentStrategy minReadySeconds:5:int revisionHistoryLimit:6:?int paused:7:bool progressDeadlineSeconds:9:?int
DeploymentStrategy type:1:string
DeploymentStatus observedGeneration:1:int replicas:2:int updatedReplicas:3:int availableReplicas:4:int unavailableReplicas:5:int readyReplicas:7:int
LabelSelector matchLabels:1:{}string matchExpressions:2:[]LabelSelectorRequirement
LabelSelectorRequirement key:1:string operator:2:string values:3:[]string
PodTemplateSpec metadata:1:ObjectMeta spec:2:PodSpec
PodSpec containers:2:[]Container restartPolicy:3:string terminationGracePeriodSeconds:4:?int dnsPolicy:6:string nodeSelector:7:{}string serviceAccountName:8:string serviceAccount:9:string nodeName:10:string hostNetwork:11:bool hostPID:12:bool hostIPC:13:bool hostname:16:string subdomain:17:string schedulerName:19:string priorityClassName:24:string
Container name:1:string image:2:string command:3:[]string args:4:[]string workingDir:5:string ports:6:[]ContainerPort env:7:[]EnvVar resources:8:ResourceRequirements terminationMessagePath:13:string imagePullPolicy:14:string stdin:16:bool stdinOnce:17:bool tty:18:bool terminationMessagePolicy:20:string
ContainerPort name:1:string hostPort:2:int containerPort:3:int protocol:4:string hostIP:5:string
EnvVar name:1:string value:2:string
ResourceRequirements limits:1:{}Quantity requests:2:{}Quantity
Job metadata:1:ObjectMeta spec:2:JobSpec status:3:JobStatus
JobSpec parallelism:1:?int completions:2:?int activeDeadlineSeconds:3:?int selector:4:LabelSelector manualSelector:5:?bool template:6:PodTemplateSpec backoffLimit:7:?int ttlSecondsAfterFinished:8:?int
JobStatus active:4:int succeeded:5:int failed:6:int completedIndexes:7:string
CronJob metadata:1:ObjectMeta spec:2:CronJobSpec status:3:CronJobStatus
CronJobSpec schedule:1:string startingDeadlineSeconds:2:?int concurrencyPolicy:3:string suspend:4:?bool jobTemplate:5:JobTemplateSpec successfulJobsHistoryLimit:6:?int failedJobsHistoryLimit:7:?int timeZone:8:?string
JobTemplateSpec metadata:1:ObjectMeta spec:2:JobSpec
CronJobStatus
ClusterRole metadata:1:ObjectMeta rules:2:[]PolicyRule aggregationRule:3:AggregationRule
AggregationRule clusterRoleSelectors:1:[]LabelSelector
Role metadata:1:ObjectMeta rules:2:[]PolicyRule
PolicyRule verbs:1:[]string apiGroups:2:[]string resources:3:[]string resourceNames:4:[]string nonResourceURLs:5:[]string
ClusterRoleBinding metadata:1:ObjectMeta subjects:2:[]Subject roleRef:3:RoleRef
RoleBinding metadata:1:ObjectMeta subjects:2:[]Subject roleRef:3:RoleRef
Subject kind:1:string apiGroup:2:string name:3:string namespace:4:string
RoleRef apiGroup:1:string kind:2:string name:3:string
Ingress metadata:1:ObjectMeta spec:2:IngressSpec status:3:IngressStatus
IngressSpec defaultBackend:1:IngressBackend tls:2:[]IngressTLS rules:3:[]IngressRule ingressClassName:4:?string
IngressBackend service:4:IngressServiceBackend
IngressServiceBackend name:1:string port:2:ServiceBackendPort
ServiceBackendPort name:1:string number:2:int
IngressTLS hosts:1:[]string secretName:2:string
IngressRule host:1:string =:2:IngressRuleValue
IngressRuleValue http:1:HTTPIngressRuleValue
HTTPIngressRuleValue paths:1:[]HTTPIngressPath
HTTPIngressPath path:1:string backend:2:IngressBackend pathType:3:string
IngressStatus loadBalancer:1:LoadBalancerStatus
PodDisruptionBudget metadata:1:ObjectMeta spec:2:PodDisruptionBudgetSpec status:3:PodDisruptionBudgetStatus
PodDisruptionBudgetSpec minAvailable:1:?IntOrString selector:2:?LabelSelector maxUnavailable:3:?IntOrString
PodDisruptionBudgetStatus observedGeneration:1:int disruptionsAllowed:3:int currentHealthy:4:int desiredHealthy:5:int expectedPods:6:int
PriorityClass metadata:1:ObjectMeta value:2:?int globalDefault:3:bool description:4:string preemptionPolicy:5:string
ResourceQuota metadata:1:ObjectMeta spec:2:ResourceQuotaSpec status:3:ResourceQuotaStatus
ResourceQuotaSpec hard:1:{}Quantity scopes:2:[]string
ResourceQuotaStatus
TokenRequest metadata:1:ObjectMeta spec:2:TokenRequestSpec status:3:TokenRequestStatus
TokenRequestSpec audiences:1:[]string boundObjectRef:3:BoundObjectReference expirationSeconds:4:?int
BoundObjectReference kind:1:string apiVersion:2:string name:3:string uid:4:string
TokenRequestStatus token:1:string expirationTimestamp:2:Time
SelfSubjectAccessReview metadata:1:ObjectMeta spec:2:SelfSubjectAccessReviewSpec status:3:SubjectAccessReviewStatus
SelfSubjectAccessReviewSpec resourceAttributes:1:ResourceAttributes nonResourceAttributes:2:NonResourceAttributes
ResourceAttributes namespace:1:string verb:2:string group:3:string version:4:string resource:5:string subresource:6:string name:7:string
NonResourceAttributes path:1:string verb:2:string
SubjectAccessReviewStatus allowed:1:bool reason:2:string evaluationError:3:string denied:4:bool
SelfSubjectRulesReview metadata:1:ObjectMeta spec:2:SelfSubjectRulesReviewSpec status:3:SubjectRulesReviewStatus
SelfSubjectRulesReviewSpec namespace:1:string
SubjectRulesReviewStatus incomplete:3:bool evaluationError:4:string
ObjectMeta name:1:string generateName:2:string namespace:3:string selfLink:4:string uid:5:string resourceVersion:6:string generation:7:int creationTimestamp:8:Time labels:11:{}string annotations:12:{}string ownerReferences:13:[]OwnerReference finalizers:14:[]string
OwnerReference kind:1:string name:3:string uid:4:string apiVersion:5:string controller:6:?bool blockOwnerDeletion:7:?bool
";

/// The kinds that are accepted as protobuf.
const KINDS: [&str; 19] = [
    "ConfigMap",
    "Secret",
    "Namespace",
    "ServiceAccount",
    "Service",
    "Deployment",
    "Job",
    "CronJob",
    "ClusterRole",
    "Role",
    "ClusterRoleBinding",
    "RoleBinding",
    "Ingress",
    "PodDisruptionBudget",
    "PriorityClass",
    "ResourceQuota",
    "TokenRequest",
    "SelfSubjectAccessReview",
    "SelfSubjectRulesReview",
];

struct Field {
    name: &'static str,
    shape: Shape,
    type_: &'static str,
    /// Whether a zero value is written.
    keeps_zero: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    One,
    List,
    Map,
}

static FIELDS: LazyLock<HashMap<(&str, u64), Field>> = LazyLock::new(|| {
    let lines = MESSAGES.lines().filter_map(|line| line.split_once(' '));
    lines.flat_map(|(message, all)| all.split(' ').filter_map(move |text| field(message, text))).collect()
});

fn field(message: &'static str, text: &'static str) -> Option<((&'static str, u64), Field)> {
    let mut parts = text.split(':');
    let (name, number, type_) = (parts.next()?, parts.next()?.parse().ok()?, parts.next()?);
    let shapes = [("[]", Shape::List), ("{}", Shape::Map)];
    let found = shapes.into_iter().find_map(|(sign, shape)| Some((shape, type_.strip_prefix(sign)?)));
    let (shape, type_) = found.unwrap_or((Shape::One, type_));
    let (type_, keeps_zero) = type_.strip_prefix('?').map_or((type_, false), |type_| (type_, true));
    Some(((message, number), Field { name, shape, type_, keeps_zero }))
}

/// Decodes an object of a kind.
///
/// # Errors
/// If the kind or a field is not supported, or the bytes are malformed.
pub(super) fn decode(kind: &str, bytes: &[u8]) -> Result<Value, String> {
    let known = KINDS.into_iter().find(|known| *known == kind);
    message(known.ok_or_else(|| format!("a {kind} is not read as protobuf here"))?, bytes)
}

fn message(name: &'static str, bytes: &[u8]) -> Result<Value, String> {
    let mut object = Map::new();
    for (number, wire) in fields(bytes)? {
        let field = FIELDS.get(&(name, number));
        let field = field.ok_or_else(|| format!("field {number} of {name} is not read as protobuf here"))?;
        match (field.shape, wire) {
            (Shape::Map, Wire::Bytes(pair)) => {
                let (key, value) = entry(field.type_, pair)?;
                member(&mut object, field.name, json!({}))[&key] = value;
            }
            (Shape::List, wire) => {
                let item = single(field.type_, wire)?;
                if let Some(items) = member(&mut object, field.name, json!([])).as_array_mut() {
                    items.push(item);
                }
            }
            (_, wire) if field.name == "=" => {
                object.extend(single(field.type_, wire)?.as_object_mut().map(std::mem::take).unwrap_or_default());
            }
            (_, wire) => {
                let value = single(field.type_, wire)?;
                if field.keeps_zero || !is_zero(&value) {
                    object.insert(field.name.to_owned(), value);
                }
            }
        }
    }
    Ok(Value::Object(object))
}

fn member<'a>(object: &'a mut Map<String, Value>, name: &str, empty: Value) -> &'a mut Value {
    object.entry(name).or_insert(empty)
}

fn entry(type_: &'static str, pair: &[u8]) -> Result<(String, Value), String> {
    let (mut key, mut value) = (String::new(), json!(""));
    for (number, wire) in fields(pair)? {
        match (number, wire) {
            (1, Wire::Bytes(name)) => key = text(name)?,
            (2, wire) => value = single(type_, wire)?,
            _ => return Err("an entry of a protobuf map has more than a name and a value".to_owned()),
        }
    }
    Ok((key, value))
}

fn single(type_: &'static str, wire: Wire<'_>) -> Result<Value, String> {
    match (type_, wire) {
        ("string", Wire::Bytes(bytes)) => text(bytes).map(Value::from),
        ("bytes", Wire::Bytes(bytes)) => Ok(json!(ByteString(bytes.to_vec()))),
        ("int", Wire::Number(number)) => Ok(json!(number.cast_signed())),
        ("bool", Wire::Number(number)) => Ok(json!(number != 0)),
        ("Time", Wire::Bytes(_)) => Ok(Value::Null),
        ("Quantity", Wire::Bytes(bytes)) => match fields(bytes)?.first() {
            Some((1, Wire::Bytes(quantity))) => text(quantity).map(Value::from),
            _ => Ok(json!("0")),
        },
        ("IntOrString", Wire::Bytes(bytes)) => int_or_string(bytes),
        (message_type, Wire::Bytes(bytes)) => message(message_type, bytes),
        (type_, Wire::Number(_)) => Err(format!("a protobuf number stands where {type_} belongs")),
    }
}

fn int_or_string(bytes: &[u8]) -> Result<Value, String> {
    let (mut is_text, mut number, mut word) = (false, json!(0), json!(""));
    for (at, wire) in fields(bytes)? {
        match (at, wire) {
            (1, Wire::Number(sort)) => is_text = sort == 1,
            (2, Wire::Number(value)) => number = json!(value.cast_signed()),
            (3, Wire::Bytes(value)) => word = json!(text(value)?),
            _ => return Err("a number or text has more than three fields".to_owned()),
        }
    }
    Ok(if is_text { word } else { number })
}

/// Whether Go omits the value from JSON.
fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(value) => !value,
        Value::Number(number) => number.as_i64() == Some(0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
    }
}
