//! Two more kinds for the memory: one as large as a Pod, with a quarter of managedFields, and one like a Secret, with a tenth.
//!
//! They have the content of a Pod or a Secret in custom kinds, since an operator reconciles a kind with a CRD.

use std::collections::BTreeMap;
use std::sync::Arc;

use evenkeel::prelude::*;
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::PodSpec;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ours::{Lab, ReleaseError};

/// A pod by another name.
#[derive(CustomResource, JsonSchema, Clone, Debug, Default, Deserialize, Serialize)]
#[kube(group = "bench.evenkeel.dev", version = "v1", kind = "Instance", namespaced, status = "InstanceStatus")]
pub struct InstanceSpec {
    /// As in a pod.
    #[schemars(schema_with = "anything")]
    pub template: PodSpec,
}

/// What an instance is.
#[evenkeel::status]
pub struct InstanceStatus {}

/// A secret by another name.
#[derive(CustomResource, JsonSchema, Clone, Debug, Default, Deserialize, Serialize)]
#[kube(group = "bench.evenkeel.dev", version = "v1", kind = "Credential", namespaced, status = "CredentialStatus")]
pub struct CredentialSpec {
    /// As in a secret.
    #[schemars(schema_with = "anything")]
    pub data: BTreeMap<String, ByteString>,
}

/// What a credential is.
#[evenkeel::status]
pub struct CredentialStatus {}

fn anything(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true })
}

/// The condition of either kind.
#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub enum SeenCondition {
    /// It was looked at.
    #[condition(positive)]
    Seen,
}

/// Looks at it.
#[sub_reconciler(sets(on::Seen))]
pub async fn see_instance(_: &Instance, lab: &Arc<Lab>, _cx: &mut Cx) -> Result<(), ReleaseError> {
    lab.count();
    Ok(())
}

/// A reconciler of instances.
#[reconciler(conditions = SeenCondition)]
pub async fn instances(instance: &Instance, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    see_instance(instance, lab, cx).await?;
    Ok(())
}

/// Looks at it.
#[sub_reconciler(sets(on::Seen))]
pub async fn see_credential(_: &Credential, lab: &Arc<Lab>, _cx: &mut Cx) -> Result<(), ReleaseError> {
    lab.count();
    Ok(())
}

/// A reconciler of credentials.
#[reconciler(conditions = SeenCondition)]
pub async fn credentials(credential: &Credential, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    see_credential(credential, lab, cx).await?;
    Ok(())
}
