//! Immutable fields of built-in objects.

use serde_json::Value;

use crate::registry::Kind;
use crate::schema::Cause;

/// The immutable fields of a Job.
const OF_JOB: [&str; 8] = [
    "completions",
    "selector",
    "template",
    "completionMode",
    "podFailurePolicy",
    "backoffLimitPerIndex",
    "managedBy",
    "successPolicy",
];

/// The scheduling fields of a Job's pods, which may change until the suspended Job starts.
const WHERE: [&str; 4] = ["nodeSelector", "affinity", "tolerations", "schedulingGates"];

/// The errors for changes of immutable fields.
pub(super) fn causes(kind: &Kind, live: &Value, sent: &Value) -> Vec<Cause> {
    match (kind.group.as_str(), kind.kind.as_str()) {
        ("", "ConfigMap") => frozen(live, sent),
        ("", "Secret") => [typed(live, sent), frozen(live, sent)].concat(),
        ("", "Pod") => pod(&live["spec"], &sent["spec"]),
        ("", "PersistentVolumeClaim") => claim(live, sent).into_iter().collect(),
        ("batch", "Job") => job(live, sent),
        _ => Vec::new(),
    }
}

fn frozen(live: &Value, sent: &Value) -> Vec<Cause> {
    if live["immutable"] != true {
        return Vec::new();
    }
    let changed = ["immutable", "data", "binaryData"].into_iter().filter(|field| live[*field] != sent[*field]);
    changed.map(|field| Cause::forbidden(field, "field is immutable when `immutable` is set")).collect()
}

fn typed(live: &Value, sent: &Value) -> Vec<Cause> {
    let changed = live["type"] != sent["type"];
    changed.then(|| Cause::invalid("type", &sent["type"], "field is immutable")).into_iter().collect()
}

/// The value without the given members.
fn without(value: &Value, members: &[&str]) -> Value {
    let mut value = value.clone();
    if let Some(value) = value.as_object_mut() {
        value.retain(|name, _| !members.contains(&name.as_str()));
    }
    value
}

fn items<'a>(spec: &'a Value, list: &str) -> &'a [Value] {
    spec[list].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// A pod update may change images and the deadline, add tolerations, and remove scheduling gates.
fn pod(live: &Value, sent: &Value) -> Vec<Cause> {
    let counted = ["containers", "initContainers"].into_iter();
    let other = counted.filter(|list| items(live, list).len() != items(sent, list).len());
    let why = "pod updates may not add or remove containers";
    let causes: Vec<Cause> = other.map(|list| Cause::forbidden(&format!("spec.{list}"), why)).collect();
    if !causes.is_empty() {
        return causes;
    }
    if let Some(cause) = deadline(live, sent) {
        return vec![cause];
    }
    let mut causes: Vec<Cause> = tolerations(live, sent).into_iter().collect();
    let mut munged = vec!["activeDeadlineSeconds", "tolerations", "containers", "initContainers"];
    let gates = items(live, "schedulingGates");
    if items(sent, "schedulingGates").iter().all(|gate| gates.contains(gate)) {
        munged.push("schedulingGates");
    }
    if !gates.is_empty() {
        munged.extend(["nodeSelector", "affinity"]);
    }
    let imageless =
        |spec: &Value, list| items(spec, list).iter().map(|one| without(one, &["image"])).collect::<Vec<_>>();
    let same = ["containers", "initContainers"].into_iter().all(|list| imageless(live, list) == imageless(sent, list));
    if !same || without(live, &munged) != without(sent, &munged) {
        let why = "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,\
                   `spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),\
                   `spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";
        causes.push(Cause::forbidden("spec", why));
    }
    causes
}

fn deadline(live: &Value, sent: &Value) -> Option<Cause> {
    let field = "activeDeadlineSeconds";
    let refuse = |value: &Value, why| Some(Cause::invalid(&format!("spec.{field}"), value, why));
    match (live[field].as_i64(), sent[field].as_i64()) {
        (_, Some(new)) if !(0..=i64::from(i32::MAX)).contains(&new) => {
            refuse(&sent[field], "must be between 0 and 2147483647, inclusive")
        }
        (Some(old), Some(new)) if old < new => refuse(&sent[field], "must be less than or equal to previous value"),
        (Some(_), None) => refuse(&"null".into(), "must not update from a positive integer to nil value"),
        _ => None,
    }
}

fn tolerations(live: &Value, sent: &Value) -> Option<Cause> {
    let timeless = |spec: &Value| {
        items(spec, "tolerations").iter().map(|one| without(one, &["tolerationSeconds"])).collect::<Vec<_>>()
    };
    let after = timeless(sent);
    let kept = timeless(live).iter().all(|one| after.contains(one));
    let why = "existing toleration can not be modified except its tolerationSeconds";
    (!kept).then(|| Cause::forbidden("spec.tolerations", why))
}

fn job(live: &Value, sent: &Value) -> Vec<Cause> {
    let (old, new) = (&live["spec"], &sent["spec"]);
    let changed = OF_JOB.into_iter().filter(|field| old[*field] != new[*field]);
    let changed = changed.filter(|field| match *field {
        // An Indexed Job may change `completions` and `parallelism` together.
        "completions" => !(new["completionMode"] == "Indexed" && new["completions"] == new["parallelism"]),
        "template" => !(is_unstarted(live) && elsewhere(&old["template"]) == elsewhere(&new["template"])),
        _ => true,
    });
    changed.map(|field| Cause::invalid(&format!("spec.{field}"), &new[field], "field is immutable")).collect()
}

fn is_unstarted(job: &Value) -> bool {
    job["spec"]["suspend"] == true && job["status"]["startTime"].is_null()
}

/// A pod template without its scheduling fields, labels and annotations.
fn elsewhere(template: &Value) -> Value {
    let mut template = template.clone();
    template["spec"] = without(&template["spec"], &WHERE);
    template["metadata"] = without(&template["metadata"], &["labels", "annotations"]);
    template
}

/// A bound PersistentVolumeClaim may change its resources. An unset volume or storage class may be set.
fn claim(live: &Value, sent: &Value) -> Option<Cause> {
    let (old, new) = (&live["spec"], &sent["spec"]);
    let mut free = vec!["volumeAttributesClassName"];
    let absent = |field: &str| old[field].is_null() || old[field] == "";
    free.extend(["volumeName", "storageClassName"].into_iter().filter(|field| absent(field)));
    if live["status"]["phase"] == "Bound" {
        free.push("resources");
    }
    let why =
        "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
    (without(old, &free) != without(new, &free)).then(|| Cause::forbidden("spec", why))
}
