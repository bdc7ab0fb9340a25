//! The object of the cases.

use evenkeel::flux::{FluxStatus, HasFluxStatus};
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::value::conditions;

#[derive(CustomResource, JsonSchema, Clone, Debug, Default, Deserialize, Serialize)]
#[kube(group = "fake.evenkeel.dev", version = "v1", kind = "Fake", namespaced, status = "FakeStatus")]
pub(crate) struct FakeSpec {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) suspend: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) value: Option<String>,
}

#[derive(JsonSchema, Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FakeStatus {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) observed_value: Option<String>,
    #[serde(flatten)]
    kept: FluxStatus,
}

impl HasFluxStatus for FakeStatus {
    fn flux_status(&self) -> &FluxStatus {
        &self.kept
    }

    fn flux_status_mut(&mut self) -> &mut FluxStatus {
        &mut self.kept
    }
}

/// The object that the input of a case describes.
pub(crate) fn fake(input: &Value) -> Fake {
    let mut fake = Fake::new("fake", FakeSpec::default());
    fake.metadata.namespace = Some("default".into());
    fake.metadata.resource_version = Some("1".into());
    fake.metadata.generation = Some(input["generation"].as_i64().unwrap_or_default());
    fake.metadata.annotations = serde_json::from_value(input["annotations"].clone()).unwrap();
    let kept = FluxStatus {
        observed_generation: input["statusObservedGeneration"].as_i64(),
        conditions: conditions(&input["conditions"]),
        last_handled_reconcile_at: None,
    };
    fake.status = Some(FakeStatus { observed_value: None, kept });
    fake
}

/// The document of an object as observers read it.
pub(crate) fn document(fake: &Fake) -> Value {
    let mut document = json!(fake);
    document["status"]["observedGeneration"] = observed(fake).into();
    document
}

/// The observed generation; zero if absent, as in Go.
pub(crate) fn observed(fake: &Fake) -> i64 {
    fake.status.as_ref().and_then(|status| status.kept.observed_generation).unwrap_or_default()
}
