//! Validation of workloads: the selector must match the pod template, and it is immutable.

use serde_json::Value;

use crate::registry::Kind;
use crate::schema::Cause;
use crate::selector::Selector;
use crate::selector::printed;

/// The mutable fields of a StatefulSet's spec.
const CHANGING: [&str; 7] = [
    "replicas",
    "ordinals",
    "template",
    "updateStrategy",
    "revisionHistoryLimit",
    "persistentVolumeClaimRetentionPolicy",
    "minReadySeconds",
];

/// The selector errors of a workload; its pod template is not validated.
pub(super) fn causes(kind: &Kind, object: &Value, live: Option<&Value>) -> Vec<Cause> {
    let mut causes = selected(kind, object);
    let of_set = matches!(kind.kind.as_str(), "ReplicaSet" | "DaemonSet");
    match live {
        Some(live) if kind.kind == "StatefulSet" => causes.extend(unchanging(&live["spec"], &object["spec"])),
        Some(live) => {
            if of_set && causes.iter().any(|cause| cause.field == "spec.template.metadata.labels") {
                causes.push(mismatch(object));
            }
            causes.extend(moved(&live["spec"]["selector"], &object["spec"]["selector"]));
        }
        None => {}
    }
    causes
}

fn selected(kind: &Kind, object: &Value) -> Vec<Cause> {
    let selector = &object["spec"]["selector"];
    let terms = printed(selector);
    match (selector.is_object(), terms.is_empty()) {
        (false, _) if kind.kind == "DaemonSet" => vec![mismatch(object)],
        (false, _) => vec![Cause::required("spec.selector", ""), mismatch(object)],
        (true, true) => {
            let named = match kind.kind.as_str() {
                "ReplicaSet" => "deployment".to_owned(),
                name => name.to_lowercase(),
            };
            let why = format!("empty selector is invalid for {named}");
            vec![Cause::invalid("spec.selector", selector, why)]
        }
        (true, false) => {
            let found = Selector::parse(Some(&terms), None, kind);
            let fits = found.is_ok_and(|found| found.matches(&object["spec"]["template"], kind));
            if fits { Vec::new() } else { vec![mismatch(object)] }
        }
    }
}

fn mismatch(object: &Value) -> Cause {
    let labels = &object["spec"]["template"]["metadata"]["labels"];
    Cause::invalid("spec.template.metadata.labels", labels, "`selector` does not match template `labels`")
}

fn moved(live: &Value, sent: &Value) -> Option<Cause> {
    (live != sent).then(|| Cause::invalid("spec.selector", sent, "field is immutable"))
}

fn unchanging(live: &Value, sent: &Value) -> Option<Cause> {
    let without = |spec: &Value| {
        let mut spec = spec.clone();
        if let Some(fields) = spec.as_object_mut() {
            fields.retain(|name, _| !CHANGING.contains(&name.as_str()));
        }
        spec
    };
    let why = "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', \
               'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
    (without(live) != without(sent)).then(|| Cause::forbidden("spec", why))
}
