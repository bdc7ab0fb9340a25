//! The objects that an administrator applies before the app starts: its CRDs and its webhook configurations.

use std::fmt::Debug;

use evenkeel::Operator;
use evenkeel::admission::WebhookTarget;
use examples::server::{Server, message_of};
use k8s_openapi::api::admissionregistration::v1::{MutatingWebhookConfiguration, ValidatingWebhookConfiguration};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{DeleteParams, Patch, PatchParams};
use kube::core::ClusterResourceScope;
use kube::{Api, Client, Resource, ResourceExt};
use serde::Serialize;
use serde::de::DeserializeOwned;

const MANAGER: &str = "app-demo";

type Result<T> = std::result::Result<T, String>;

/// What was applied.
pub struct Setup {
    client: Client,
    definitions: Vec<CustomResourceDefinition>,
    validating: Option<ValidatingWebhookConfiguration>,
    mutating: Option<MutatingWebhookConfiguration>,
}

impl Setup {
    /// Applies the objects, as `crds` and `webhooks` print them.
    ///
    /// # Errors
    /// The server rejects one of them.
    pub async fn apply(server: &Server, operator: &Operator, target: &WebhookTarget) -> Result<Self> {
        let definitions = operator.definitions();
        for definition in &definitions {
            server.install(definition, MANAGER).await?;
        }
        let configurations = operator.webhook_configurations(target).map_err(|error| error.to_string())?;
        let (client, validating, mutating) =
            (server.client.clone(), configurations.validating, configurations.mutating);
        apply(&client, validating.as_ref()).await?;
        apply(&client, mutating.as_ref()).await?;
        Ok(Self { client, definitions, validating, mutating })
    }

    /// Deletes the objects. The webhook configurations are deleted first: without the app, the writes of their kinds would fail.
    ///
    /// # Errors
    /// The server rejects a request.
    pub async fn delete(self) -> Result<()> {
        delete(&self.client, self.validating.as_ref()).await?;
        delete(&self.client, self.mutating.as_ref()).await?;
        for definition in &self.definitions {
            delete(&self.client, Some(definition)).await?;
        }
        Ok(())
    }
}

async fn apply<K>(client: &Client, object: Option<&K>) -> Result<()>
where
    K: Resource<DynamicType = (), Scope = ClusterResourceScope> + Clone + Debug + Serialize + DeserializeOwned,
{
    let Some(object) = object else { return Ok(()) };
    let params = PatchParams::apply(MANAGER).force();
    let applied = Api::<K>::all(client.clone()).patch(&object.name_any(), &params, &Patch::Apply(object)).await;
    applied.map(drop).map_err(|error| format!("cannot apply {}: {}", object.name_any(), message_of(&error)))
}

async fn delete<K>(client: &Client, object: Option<&K>) -> Result<()>
where
    K: Resource<DynamicType = (), Scope = ClusterResourceScope> + Clone + Debug + DeserializeOwned,
{
    let Some(object) = object else { return Ok(()) };
    let deleted = Api::<K>::all(client.clone()).delete(&object.name_any(), &DeleteParams::default()).await;
    deleted.map(drop).map_err(|error| format!("cannot delete {}: {}", object.name_any(), message_of(&error)))
}
