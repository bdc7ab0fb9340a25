//! The Bucket operator in plain kube-rs.
#![allow(missing_docs, unreachable_pub, reason = "a program of one file, for comparison")]

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use k8s_openapi::jiff::Timestamp;
use kube::api::{ObjectMeta, Patch, PatchParams};
use kube::runtime::controller::{Action, Config, Controller};
use kube::runtime::finalizer::{Event, finalizer};
use kube::runtime::reflector::ObjectRef;
use kube::runtime::watcher;
use kube::{Api, Client, CustomResource, Resource, ResourceExt};
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::{Settings, Store, StoreError};

#[path = "../client/store.rs"]
mod store;

/// A bucket of the object store.
#[derive(CustomResource, Clone, Debug, Deserialize, Serialize)]
#[kube(
    group = "storage.example.com",
    version = "v1",
    kind = "Bucket",
    namespaced,
    status = "BucketStatus",
    schema = "disabled"
)]
pub struct BucketSpec {
    pub name: String,
    pub region: String,
    pub secret: String,
}

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BucketStatus {
    pub observed_generation: Option<i64>,
    pub conditions: Vec<Condition>,
}

const MANAGER: &str = "buckets";
const FINALIZER: &str = "storage.example.com/bucket";

#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("the Secret {0} is missing, or has no key user")]
    NoUser(String),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the API server failed: {0}")]
    Kube(#[from] kube::Error),
    #[error("the finalizer failed: {0}")]
    Finalizer(#[from] Box<kube::runtime::finalizer::Error<Error>>),
}

impl Error {
    fn reason(&self) -> &'static str {
        match self {
            Self::NoUser(_) => "SecretMissing",
            Self::Store(StoreError::Refused(_)) => "BucketRefused",
            Self::Store(StoreError::NotEmpty(_)) => "BucketNotEmpty",
            Self::Store(StoreError::Failed(_)) => "StoreFailed",
            Self::Kube(_) | Self::Finalizer(_) => "CallFailed",
        }
    }
}

struct Context {
    client: Client,
    store: Store,
    interval: Duration,
}

/// The conditions of a pass, in place of those of the status.
struct Conditions<'a> {
    bucket: &'a Bucket,
    list: Vec<Condition>,
}

impl<'a> Conditions<'a> {
    fn of(bucket: &'a Bucket) -> Self {
        let list = bucket.status.as_ref().map(|status| status.conditions.clone()).unwrap_or_default();
        Self { bucket, list }
    }

    fn set(&mut self, type_: &str, status: &str, reason: &str, message: &str) {
        let before = self.list.iter().position(|condition| condition.type_ == type_);
        let before = before.map(|at| self.list.remove(at)).filter(|before| before.status == status);
        self.list.push(Condition {
            type_: type_.to_owned(),
            status: status.to_owned(),
            reason: reason.to_owned(),
            message: message.to_owned(),
            observed_generation: self.bucket.metadata.generation,
            last_transition_time: before.map_or_else(|| Time(Timestamp::now()), |before| before.last_transition_time),
        });
    }

    /// Sets a condition from the result of its part of the work.
    fn record<T>(&mut self, type_: &str, message: &str, result: Result<T, Error>) -> Result<T, Error> {
        match &result {
            Ok(_) => self.set(type_, "True", "Succeeded", message),
            Err(error) => self.set(type_, "False", error.reason(), &error.to_string()),
        }
        result
    }
}

async fn find_user(bucket: &Bucket, cx: &Context) -> Result<String, Error> {
    let secrets = Api::<Secret>::namespaced(cx.client.clone(), &bucket.namespace().unwrap_or_default());
    let secret = secrets.get_opt(&bucket.spec.secret).await?;
    let user = secret.and_then(|secret| secret.data?.remove("user"));
    let user = user.and_then(|user| String::from_utf8(user.0).ok());
    user.ok_or_else(|| Error::NoUser(bucket.spec.secret.clone()))
}

async fn keep(bucket: &Bucket, user: &str, cx: &Context) -> Result<String, Error> {
    let owner = bucket.uid().unwrap_or_default();
    let BucketSpec { name, region, .. } = bucket.spec.clone();
    let settings = Settings { name, region, user: user.to_owned() };
    let stored = match cx.store.find(&owner).await? {
        None => cx.store.create(&owner, &settings).await?,
        Some(stored) if stored.settings != settings => cx.store.update(&stored.id, &settings).await?,
        Some(stored) => stored,
    };
    Ok(stored.id)
}

async fn publish(bucket: &Bucket, id: String, user: String, cx: &Context) -> Result<(), Error> {
    let maps = Api::<ConfigMap>::namespaced(cx.client.clone(), &bucket.namespace().unwrap_or_default());
    let owners = bucket.controller_owner_ref(&()).into_iter().collect();
    let data = Some([("id".to_owned(), id), ("user".to_owned(), user)].into());
    if let Some(found) = maps.get_opt(&bucket.name_any()).await?
        && found.data == data
        && found.owner_references() == owners
    {
        return Ok(());
    }
    let metadata =
        ObjectMeta { name: Some(bucket.name_any()), owner_references: Some(owners), ..ObjectMeta::default() };
    let map = ConfigMap { metadata, data, ..ConfigMap::default() };
    maps.patch(&bucket.name_any(), &PatchParams::apply(MANAGER).force(), &Patch::Apply(&map)).await?;
    Ok(())
}

async fn write_status(bucket: &Bucket, conditions: Vec<Condition>, cx: &Context) -> Result<(), Error> {
    let status = BucketStatus { observed_generation: bucket.metadata.generation, conditions };
    if bucket.status.as_ref() == Some(&status) {
        return Ok(());
    }
    let api = Api::<Bucket>::namespaced(cx.client.clone(), &bucket.namespace().unwrap_or_default());
    let patch = json!({ "apiVersion": Bucket::api_version(&()), "kind": Bucket::kind(&()), "status": status });
    let params = PatchParams::apply(MANAGER).force();
    api.patch_status(&bucket.name_any(), &params, &Patch::Apply(&patch)).await?;
    Ok(())
}

async fn steps(bucket: &Bucket, conditions: &mut Conditions<'_>, cx: &Context) -> Result<(), Error> {
    let user = find_user(bucket, cx).await;
    let user = conditions.record("SecretFound", "the Secret has a user", user)?;
    let id = keep(bucket, &user, cx).await;
    let id = conditions.record("Stored", "the store has the bucket", id)?;
    let published = publish(bucket, id, user, cx).await;
    conditions.record("Published", "the ConfigMap has the id and the user", published)
}

async fn apply(bucket: &Bucket, cx: &Context) -> Result<Action, Error> {
    let mut conditions = Conditions::of(bucket);
    let result = steps(bucket, &mut conditions, cx).await;
    let result = conditions.record("Ready", "the bucket can be used", result);
    write_status(bucket, conditions.list, cx).await?;
    match result {
        Ok(()) => Ok(Action::requeue(cx.interval)),
        // A change of the Secret or of the bucket starts the next pass.
        Err(Error::NoUser(_) | Error::Store(StoreError::Refused(_))) => Ok(Action::await_change()),
        Err(error) => Err(error),
    }
}

async fn remove(bucket: &Bucket, cx: &Context) -> Result<(), Error> {
    if let Some(stored) = cx.store.find(&bucket.uid().unwrap_or_default()).await? {
        cx.store.delete(&stored.id).await?;
    }
    Ok(())
}

async fn cleanup(bucket: &Bucket, cx: &Context) -> Result<Action, Error> {
    if let Err(error) = remove(bucket, cx).await {
        let mut conditions = Conditions::of(bucket);
        for type_ in ["Stored", "Ready"] {
            conditions.set(type_, "False", error.reason(), &error.to_string());
        }
        write_status(bucket, conditions.list, cx).await?;
        return Err(error);
    }
    Ok(Action::await_change())
}

async fn reconcile(bucket: Arc<Bucket>, cx: Arc<Context>) -> Result<Action, Error> {
    let api = Api::<Bucket>::namespaced(cx.client.clone(), &bucket.namespace().unwrap_or_default());
    let action = finalizer(&api, FINALIZER, bucket, |event| async {
        match event {
            Event::Apply(bucket) => apply(&bucket, &cx).await,
            Event::Cleanup(bucket) => cleanup(&bucket, &cx).await,
        }
    });
    Ok(action.await.map_err(Box::new)?)
}

#[allow(clippy::needless_pass_by_value, reason = "as the controller calls it")]
fn error_policy(bucket: Arc<Bucket>, error: &Error, _: Arc<Context>) -> Action {
    tracing::warn!(%error, bucket = %bucket.name_any(), "failed");
    Action::requeue(Duration::from_secs(5))
}

#[tokio::main]
async fn main() -> kube::Result<()> {
    tracing_subscriber::fmt().with_writer(std::io::stderr).init();
    let client = Client::try_default().await?;
    let seconds = std::env::var("RESYNC_SECONDS").ok().and_then(|text| text.parse().ok());
    let interval = Duration::from_secs(seconds.unwrap_or(600));
    let store = Store::new(std::env::var("STORE_URL").unwrap_or_default());
    let context = Context { client: client.clone(), store, interval };
    let controller = Controller::new(Api::<Bucket>::all(client.clone()), watcher::Config::default());
    let buckets = controller.store();
    let users_of = move |secret: Secret| {
        let uses =
            |bucket: &Arc<Bucket>| bucket.namespace() == secret.namespace() && bucket.spec.secret == secret.name_any();
        let found: Vec<_> = buckets.state().into_iter().filter(uses).collect();
        found.into_iter().map(|bucket| ObjectRef::from_obj(&*bucket))
    };
    controller
        .owns(Api::<ConfigMap>::all(client.clone()), watcher::Config::default())
        .watches(Api::<Secret>::all(client), watcher::Config::default(), users_of)
        // Without a limit, all objects are reconciled at the same time after a start.
        .with_config(Config::default().concurrency(16))
        .shutdown_on_signal()
        .run(reconcile, error_policy, Arc::new(context))
        .for_each(|_| std::future::ready(()))
        .await;
    Ok(())
}
