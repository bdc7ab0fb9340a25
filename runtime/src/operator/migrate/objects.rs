//! Writes all objects of a kind without a change, which makes the API server store them in the storage version.

use std::num::NonZeroU32;
use std::time::Duration;

use futures::StreamExt;
use kube::api::{ApiResource, DynamicObject, ListParams, ObjectMeta, PartialObjectMeta, Patch, PatchParams};
use kube::core::Status;
use kube::{Api, Client};
use serde::Serialize;
use serde_json::json;
use tokio::time::{MissedTickBehavior, interval, sleep};

use crate::client::why;
use crate::operator::error::{Error, Reason, Result};
use crate::operator::object_pages::{each, place_of};
use crate::operator::print::progress;

/// How many writes are sent at a time, so that a slow webhook does not bound the rate.
const AT_A_TIME: usize = 16;
/// How often a write is sent that the API server could not carry out, and the first pause, which doubles.
const TRIES: u32 = 4;
const PAUSE: Duration = Duration::from_secs(1);

/// What became of the objects.
#[derive(Debug, Default, Serialize)]
pub(super) struct Written {
    pub(super) objects: usize,
    /// They were written or deleted by others after they had been listed, so nothing was left to do.
    pub(super) changed: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) failures: Vec<Failure>,
}

/// An object that could not be written.
#[derive(Debug, Serialize)]
pub(super) struct Failure {
    pub(super) object: String,
    pub(super) error: String,
}

enum Write {
    Done,
    Changed,
    Failed(String),
}

/// Writes all objects in all namespaces.
///
/// # Errors
/// The objects cannot be listed, or the rights to write them are missing.
pub(super) async fn write_all(client: &Client, resource: &ApiResource, rate: NonZeroU32) -> Result<Written> {
    let all = list(client, resource).await.map_err(|error| refused(resource, "listed", &error))?;
    let count = all.len();
    let mut ticks = interval(Duration::from_secs(1) / rate.get());
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let paced = futures::stream::unfold((all.into_iter(), ticks), async |(mut all, mut ticks)| {
        let metadata = all.next()?;
        ticks.tick().await;
        Some((metadata, (all, ticks)))
    });
    let sent = paced.map(async |metadata| (place_of(&metadata), write(client, resource, &metadata).await));
    let mut answers = std::pin::pin!(sent.buffer_unordered(AT_A_TIME));
    let mut written = Written::default();
    while let Some((object, answer)) = answers.next().await {
        match answer.map_err(|error| refused(resource, "written", &error))? {
            Write::Done => written.objects += 1,
            Write::Changed => written.changed += 1,
            Write::Failed(error) => written.failures.push(Failure { object, error }),
        }
        let done = written.objects + written.changed + written.failures.len();
        progress(&format!("writing {}: {done} of {count}", resource.plural));
    }
    written.failures.sort_by(|one, other| one.object.cmp(&other.object));
    Ok(written)
}

/// Lists what the writes need. The pages follow each other at once, so that their token does not expire.
async fn list(client: &Client, resource: &ApiResource) -> Result<Vec<ObjectMeta>, kube::Error> {
    let api = Api::<DynamicObject>::all_with(client.clone(), resource);
    let mut all = Vec::new();
    let pages = async |params: &ListParams| api.list_metadata(params).await;
    each(&resource.plural, pages, |object: PartialObjectMeta<DynamicObject>| {
        let ObjectMeta { name, namespace, uid, resource_version, .. } = object.metadata;
        all.push(ObjectMeta { name, namespace, uid, resource_version, ..ObjectMeta::default() });
    })
    .await?;
    Ok(all)
}

/// Writes the object as it is, if it has not changed since it was listed.
///
/// # Errors
/// The right is missing.
async fn write(client: &Client, resource: &ApiResource, metadata: &ObjectMeta) -> Result<Write, kube::Error> {
    let api = match &metadata.namespace {
        Some(namespace) => Api::<DynamicObject>::namespaced_with(client.clone(), namespace, resource),
        None => Api::all_with(client.clone(), resource),
    };
    let name = metadata.name.as_deref().unwrap_or_default();
    let ObjectMeta { uid, resource_version, .. } = metadata;
    let patch = Patch::Merge(json!({ "metadata": { "uid": uid, "resourceVersion": resource_version } }));
    let (mut pause, mut tries) = (PAUSE, 0);
    loop {
        tries += 1;
        match api.patch_metadata(name, &PatchParams::default(), &patch).await {
            Ok(_) => return Ok(Write::Done),
            Err(kube::Error::Api(status)) if status.code == 409 || is_deleted(&status, name) => {
                return Ok(Write::Changed);
            }
            Err(error) if is_final(&error) => return Err(error),
            Err(error) if tries < TRIES && may_pass(&error) => sleep(pause).await,
            Err(error) => return Ok(Write::Failed(why(&error))),
        }
        pause *= 2;
    }
}

/// Whether the object is gone. A kind that is not served has the same code, and names no object.
fn is_deleted(status: &Status, name: &str) -> bool {
    status.code == 404 && status.details.as_ref().is_some_and(|details| details.name == name)
}

/// Whether all other writes will fail in the same way.
fn is_final(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if matches!(status.code, 401 | 403))
}

/// Whether the next try may succeed: the API server is busy or out of reach.
fn may_pass(error: &kube::Error) -> bool {
    !matches!(error, kube::Error::Api(status) if status.code < 500 && status.code != 429)
}

fn refused(resource: &ApiResource, verb: &str, error: &kube::Error) -> Error {
    let (reason, help) = match error {
        kube::Error::Api(status) if matches!(status.code, 401 | 403) => {
            (Reason::Forbidden, "grant list and patch for this kind in all namespaces, or use another kubeconfig")
        }
        _ => (Reason::Unreachable, "check the API server and the conversion webhook, and run `migrate` again"),
    };
    Error::new(reason, format!("{} cannot be {verb}: {}", resource.plural, why(error)), help)
}
