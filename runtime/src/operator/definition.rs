//! Whether the installed CRD can hold what the framework writes.

use http::Request;
use kube::Client;
use serde_json::Value;

use super::error::{Error, Reason, Result, install};
use crate::status::kept_fields;
use crate::wiring::{KindInfo, Wiring};

/// Reads the CRD, if the role allows it, and compares it with what the program needs. What cannot be read is not an error here: the
/// list of the kind tells.
pub(super) async fn check(client: &Client, kind: &KindInfo, wiring: &Wiring) -> Result {
    let resource = &kind.resource;
    let path =
        format!("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{}.{}", resource.plural, resource.group);
    let Ok(request) = Request::get(path).body(Vec::new()) else { return Ok(()) };
    match client.request::<Value>(request).await {
        Ok(definition) => defect(&definition, &resource.version, wiring).map_or(Ok(()), |defect| {
            let (reason, what) = match defect {
                Defect::NotServed(what) => (Reason::NotServed, what),
                Defect::Lacking(what) => (Reason::Outdated, what),
            };
            let headline = format!("the installed CRD of {} {what}", resource.kind);
            Err(Error::new(reason, headline, install()))
        }),
        Err(error) => {
            tracing::debug!(%error, kind = resource.kind, "the CRD cannot be read; its schema is not checked");
            Ok(())
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Defect {
    NotServed(String),
    Lacking(String),
}

fn defect(definition: &Value, version: &str, wiring: &Wiring) -> Option<Defect> {
    let versions: Vec<&Value> = definition["spec"]["versions"].as_array()?.iter().collect();
    let served = || versions.iter().filter(|v| v["served"] == true).filter_map(|v| v["name"].as_str());
    if !served().any(|name| name == version) {
        let served: Vec<_> = served().collect();
        return Some(Defect::NotServed(format!("does not serve {version}, but {}", served.join(", "))));
    }
    let ours = versions.iter().find(|v| v["name"] == version)?;
    if !ours["subresources"]["status"].is_object() {
        return Some(Defect::Lacking(format!("has no status subresource in {version}")));
    }
    let schema = &ours["schema"]["openAPIV3Schema"];
    let status = &schema["properties"]["status"];
    let open = |schema: &Value| schema["x-kubernetes-preserve-unknown-fields"] == true;
    if open(schema) || open(status) {
        return None;
    }
    let lacking: Vec<_> = kept_fields(wiring).filter(|field| status["properties"][field].is_null()).collect();
    if lacking.is_empty() {
        return None;
    }
    Some(Defect::Lacking(format!("lacks {} in the status of {version}", lacking.join(", "))))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::wiring::StepWiring;

    fn definition(status: &Value) -> Value {
        json!({ "spec": { "versions": [
            { "name": "v1beta1", "served": true },
            { "name": "v1", "served": true, "subresources": { "status": {} },
              "schema": { "openAPIV3Schema": { "properties": { "status": status } } } },
        ] } })
    }

    #[test]
    fn missing_status_fields_are_named() {
        let status = json!({ "properties": { "conditions": {}, "artifact": {} } });
        let lacking = "lacks observedGeneration, observedInputs, lastHandledReconcileAt in the status of v1".to_owned();
        assert_eq!(defect(&definition(&status), "v1", &Wiring::EMPTY), Some(Defect::Lacking(lacking)));
    }

    #[test]
    fn the_receipts_of_actions_are_missed_only_where_a_step_declares_one() {
        const STEPS: &[StepWiring] = &[StepWiring { actions: &["force"], ..StepWiring::EMPTY }];
        let kept = ["observedGeneration", "conditions", "observedInputs", "lastHandledReconcileAt"];
        let properties: serde_json::Map<String, Value> =
            kept.map(|field| (field.to_owned(), json!({}))).into_iter().collect();
        let definition = definition(&json!({ "properties": properties }));
        assert_eq!(defect(&definition, "v1", &Wiring::EMPTY), None);
        let lacking = "lacks lastHandledActions in the status of v1".to_owned();
        let wiring = Wiring { steps: STEPS, ..Wiring::EMPTY };
        assert_eq!(defect(&definition, "v1", &wiring), Some(Defect::Lacking(lacking)));
    }

    #[test]
    fn an_open_status_may_hold_anything() {
        let status = json!({ "x-kubernetes-preserve-unknown-fields": true });
        assert_eq!(defect(&definition(&status), "v1", &Wiring::EMPTY), None);
    }

    #[test]
    fn a_version_without_status_subresource_or_not_served_is_told() {
        let definition = definition(&json!({}));
        let no_status = "has no status subresource in v1beta1".to_owned();
        assert_eq!(defect(&definition, "v1beta1", &Wiring::EMPTY), Some(Defect::Lacking(no_status)));
        let not_served = "does not serve v2, but v1beta1, v1".to_owned();
        assert_eq!(defect(&definition, "v2", &Wiring::EMPTY), Some(Defect::NotServed(not_served)));
    }
}
