//! The suites about requests, dependencies, access and deletion.

use std::collections::BTreeMap;
use std::time::Duration;

use evenkeel::Jitter;
use evenkeel::dependency::{Access, Acl, NamespaceSelector, Reference, sort};
use evenkeel::request::{REQUESTED_AT, Receipts, fires, is_requested};
use evenkeel::wiring::Wiring;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use serde_json::{Value, json};

use crate::value::{now, text, words};

/// The annotation of the reference.
const FLUX: &str = "reconcile.fluxcd.io/requestedAt";

fn map(value: &Value) -> BTreeMap<String, String> {
    serde_json::from_value(value.clone()).unwrap_or_default()
}

/// An empty string of a Go struct means unset.
fn given(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| !text.is_empty())
}

pub(crate) fn acl(input: &Value) -> Value {
    let selector = |labels: &Value| NamespaceSelector { match_labels: map(labels) };
    let acl = input["namespaceSelectors"].as_array();
    let acl = acl.map(|selectors| Acl { namespace_selectors: selectors.iter().map(selector).collect() });
    let labels = map(&input["objectNamespaceLabels"]);
    let (from, to) = (text(&input["objectNamespace"]), text(&input["referenceNamespace"]));
    json!({ "accessDenied": Access::ByAcl.check(from, &labels, to, acl.as_ref()).is_err() })
}

pub(crate) fn action(input: &Value) -> Value {
    let annotations = &input["annotations"];
    let action = annotations[text(&input["requestAnnotation"])].as_str();
    let before = given(&input["lastHandledRequest"]);
    let handled = fires(action, annotations[FLUX].as_str(), given(&input["lastHandledReconcileAt"]), before);
    json!({ "handled": handled, "lastHandledRequest": action.or(before).unwrap_or_default() })
}

pub(crate) fn predicate(input: &Value) -> Value {
    let token = |object: &'static str| input[object].as_object().map(|annotations| annotations.get(FLUX)?.as_str());
    let passes = token("old").zip(token("new")).is_some_and(|(old, new)| is_requested(old, new));
    json!({ "passes": passes })
}

pub(crate) fn receipt(input: &Value) -> Value {
    let mut annotations = map(&input["annotations"]);
    if let Some(token) = annotations.remove(FLUX) {
        annotations.insert(REQUESTED_AT.into(), token);
    }
    let before = Receipts { reconcile: given(&input["lastHandledReconcileAt"]).map(Into::into), ..Receipts::default() };
    json!({ "lastHandledReconcileAt": before.after(&Wiring::EMPTY, &annotations).reconcile.unwrap_or_default() })
}

fn reference(value: &Value) -> Reference {
    Reference {
        namespace: given(&value["namespace"]).map(Into::into),
        name: text(&value["name"]).into(),
        expression: given(&value["readyExpr"]).map(Into::into),
    }
}

fn written(reference: &Reference) -> Value {
    let Reference { namespace, name, expression } = reference;
    json!({
        "name": name,
        "namespace": namespace.as_deref().unwrap_or_default(),
        "readyExpr": expression.as_deref().unwrap_or_default(),
    })
}

pub(crate) fn references(input: &Value) -> Value {
    match text(&input["fn"]) {
        "parse" => {
            let parsed = words(&input["dependencies"]).into_iter().map(|word| written(&word.parse().unwrap()));
            json!({ "references": parsed.collect::<Vec<_>>() })
        }
        "format" => json!({ "text": reference(&input["reference"]).to_string() }),
        "roundTrip" => json!({ "reference": written(&reference(&input["reference"]).to_string().parse().unwrap()) }),
        other => panic!("no function {other}"),
    }
}

pub(crate) fn order(input: &Value) -> Value {
    let objects: Vec<_> = input["objects"]
        .as_array()
        .unwrap()
        .iter()
        .map(|object| {
            let on = object["dependsOn"].as_array().unwrap().iter().map(reference).collect();
            (reference(object), on)
        })
        .collect();
    let texts = |list: &[Reference]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
    match sort(&objects) {
        Ok(sorted) => json!({ "cycle": null, "sorted": texts(&sorted) }),
        Err(cycle) => json!({ "cycle": texts(&cycle.path), "sorted": null }),
    }
}

pub(crate) fn deleted(input: &Value) -> Value {
    let meta = ObjectMeta {
        deletion_timestamp: (input["deletionTimestamp"] == true).then(|| Time(now())),
        finalizers: Some(words(&input["finalizers"]).into_iter().map(Into::into).collect()),
        ..ObjectMeta::default()
    };
    let owned = words(&input["ownedFinalizers"]);
    json!({ "deleted": evenkeel::is_deleted(&meta, |finalizer| owned.contains(&finalizer)) })
}

pub(crate) fn shard(input: &Value) -> Value {
    json!({ "id": evenkeel::operator::leader_id(text(&input["base"]), &words(&input["additions"])) })
}

pub(crate) fn jitter(input: &Value) -> Value {
    let percentage = |key: &str| input[key].as_u64().map(|percent| Jitter::percent(u8::try_from(percent).unwrap()));
    match text(&input["fn"]) {
        "setGlobal" => json!({ "error": percentage("percentage").unwrap().is_none() }),
        "flagDefault" => json!({ "percentage": percent(percentage("default").map(Option::unwrap)) }),
        "flagSet" => json!({ "percentage": percent(percentage("value").map(Option::unwrap)) }),
        "result" => {
            let after = input["runtimeResult"]["requeueAfterSeconds"].as_f64().filter(|seconds| *seconds > 0.0);
            spread(Jitter::fraction(input["fraction"].as_f64().unwrap()), after.map(|seconds| seconds * 1000.0))
        }
        "percent" => spread(Jitter::fraction(input["fraction"].as_f64().unwrap()), input["milliseconds"].as_f64()),
        "none" => spread(Jitter::NONE, input["milliseconds"].as_f64()),
        other => panic!("no function {other}"),
    }
}

/// The chosen percentage, or the default, computed from the longest interval.
fn percent(chosen: Option<Jitter>) -> Value {
    whole(((chosen.unwrap_or_default().factor(1.0) - 1.0) * 100.0).round())
}

/// The bounds of the interval; every draw is between them.
fn spread(jitter: Jitter, millis: Option<f64>) -> Value {
    let [lower, upper] = [0.0, 1.0].map(|drawn| millis.map(|millis| millis * jitter.factor(drawn)));
    // Negative times do not exist here; only the factor is visible.
    let interval = Duration::try_from_secs_f64(millis.unwrap_or_default() / 1000.0).unwrap_or_default();
    let draws = [0.1, 0.4, 0.6, 0.9].map(|drawn| jitter.spread(interval, drawn));
    assert!(draws.iter().all(|drawn| (jitter.spread(interval, 0.0)..=jitter.spread(interval, 1.0)).contains(drawn)));
    let jittered = draws.iter().any(|drawn| *drawn != interval);
    json!({ "jittered": jittered, "lowerMs": lower.map(whole), "upperMs": upper.map(whole) })
}

/// A number in JSON form: without a fraction if it is whole.
#[allow(clippy::cast_possible_truncation, reason = "only what has no fraction is cut")]
fn whole(number: f64) -> Value {
    if number.fract() == 0.0 { json!(number as i64) } else { json!(number) }
}
