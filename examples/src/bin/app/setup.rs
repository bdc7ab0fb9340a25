//! The objects that an administrator applies before the app starts: its CRDs and its webhook configurations.

use std::fmt::Debug;
use std::time::Duration;

use evenkeel::Operator;
use evenkeel::admission::WebhookTarget;
use examples::server::{Server, message_of};
use k8s_openapi::api::admissionregistration::v1::{MutatingWebhookConfiguration, ValidatingWebhookConfiguration};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{DeleteParams, Patch, PatchParams};
use kube::core::ClusterResourceScope;
use kube::runtime::wait::{await_condition, conditions::is_deleted};
use kube::{Api, Client, Resource, ResourceExt};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::time::timeout;

const MANAGER: &str = "app-demo";
const DEADLINE: Duration = Duration::from_secs(60);

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
        let definitions = operator.definitions_calling(target);
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

/// Deletes the object, and waits until it is gone: a CRD that is still being deleted cannot be installed again.
async fn delete<K>(client: &Client, object: Option<&K>) -> Result<()>
where
    K: Resource<DynamicType = (), Scope = ClusterResourceScope> + Clone + Debug + Send + DeserializeOwned + 'static,
{
    let Some(object) = object else { return Ok(()) };
    let (api, name) = (Api::<K>::all(client.clone()), object.name_any());
    let deleted = api.delete(&name, &DeleteParams::default()).await;
    let deleted = deleted.map_err(|error| format!("cannot delete {name}: {}", message_of(&error)))?;
    let Some(uid) = deleted.left().and_then(|object| object.uid()) else { return Ok(()) };
    let gone = timeout(DEADLINE, await_condition(api, &name, is_deleted(&uid))).await;
    gone.map_err(|_| format!("{name} is there after {DEADLINE:?}"))?.map(drop).map_err(|error| error.to_string())
}
