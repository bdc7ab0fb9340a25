//! The demo: a PodManager is made, and its Pod is deleted behind its back.

use std::time::Duration;

use evenkeel::condition::{self, ConditionStatus, READY};
use examples::server::said;
use examples::story::{Story, print_changes};
use examples::terminal::say;
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::api::{DeleteParams, Patch, PatchParams};
use kube::runtime::wait;
use kube::{Api, Client, ResourceExt};
use serde_json::json;
use tokio::time::{sleep, timeout};

use crate::operator::PodManager;

/// The object, and so its Pod.
const NAME: &str = "web";
/// The times of an API server are whole seconds: two Pods should not have the same.
const PAUSE: Duration = Duration::from_secs(2);
const DEADLINE: Duration = Duration::from_secs(60);

type Result<T> = std::result::Result<T, String>;

/// The demo, in one namespace of a server that knows the definition.
#[derive(Debug)]
pub struct Demo {
    managers: Api<PodManager>,
    pods: Api<Pod>,
}

impl Demo {
    /// A demo in the namespace.
    #[must_use]
    pub fn new(client: Client, namespace: &str) -> Self {
        Self { managers: Api::namespaced(client.clone(), namespace), pods: Api::namespaced(client, namespace) }
    }

    /// The creation time in the status, once the object is ready and the time is another one.
    async fn ready_with_other_time_than(&self, before: Option<Time>) -> Result<Time> {
        let reached = |object: Option<&PodManager>| {
            object.is_some_and(|object| is_ready(object) && pod_created(object) != before.as_ref())
        };
        let object = timeout(DEADLINE, wait::await_condition(self.managers.clone(), NAME, reached)).await;
        let object = object.map_err(|_| format!("{NAME} is not ready after {DEADLINE:?}: does a kubelet run?"))?;
        let object = object.map_err(|error| format!("cannot watch {NAME}: {error}"))?;
        object.as_ref().and_then(pod_created).cloned().ok_or_else(|| format!("{NAME} is ready without a Pod"))
    }
}

impl Story for Demo {
    const FAREWELL: &'static str = "deleting the PodManager; its Pod goes with it";

    /// Makes the object, deletes its Pod, and tells what each Pod's creation time became.
    async fn run(&self) -> Result<()> {
        let object = json!({ "apiVersion": "demo.evenkeel.dev/v1", "kind": "PodManager",
            "metadata": { "name": NAME }, "spec": { "image": "nginx:1.29" } });
        let params = PatchParams::apply("podmanager-demo").force();
        let made = self.managers.patch(NAME, &params, &Patch::Apply(&object)).await;
        made.map_err(|error| format!("cannot apply {NAME}: {}", said(&error)))?;
        let first = self.ready_with_other_time_than(None).await?;
        sleep(PAUSE).await;
        say("\nsomebody deletes the Pod")?;
        let deleted = self.pods.delete(NAME, &DeleteParams::default()).await;
        deleted.map_err(|error| format!("cannot delete the Pod {NAME}: {}", said(&error)))?;
        let second = self.ready_with_other_time_than(Some(first.clone())).await?;
        say(&format!("\nfirst Pod   created {}\nsecond Pod  created {}", first.0, second.0))
    }

    async fn look_on(&self) -> Result<()> {
        print_changes(self.managers.clone(), line).await
    }

    /// Deletes the object; its Pod goes with it, as it owns it.
    async fn end(&self) -> Result<()> {
        let pod = self.pods.get_opt(NAME).await.map_err(|error| said(&error))?;
        match self.managers.delete(NAME, &DeleteParams::default()).await {
            Err(kube::Error::Api(status)) if status.code == 404 => return Ok(()),
            deleted => deleted.map(drop).map_err(|error| format!("cannot delete {NAME}: {}", said(&error)))?,
        }
        let uid = pod.and_then(|pod| pod.uid()).unwrap_or_default();
        let gone = wait::await_condition(self.pods.clone(), NAME, wait::conditions::is_deleted(&uid));
        let gone = timeout(DEADLINE, gone).await.map_err(|_| format!("the Pod {NAME} is there after {DEADLINE:?}"))?;
        gone.map(drop).map_err(|error| error.to_string())
    }
}

/// Whether Ready is True for the spec as it is.
pub fn is_ready(object: &PodManager) -> bool {
    let ready = object.status.as_ref().and_then(|status| condition::find(&status.conditions, READY));
    ready.is_some_and(|ready| {
        ready.status == ConditionStatus::True && ready.observed_generation == object.metadata.generation
    })
}

/// The creation time that the status holds.
pub fn pod_created(object: &PodManager) -> Option<&Time> {
    object.status.as_ref()?.pod_created.as_ref()
}

fn line(object: &PodManager) -> String {
    let ready = object.status.as_ref().and_then(|status| condition::find(&status.conditions, READY));
    let created = pod_created(object).map_or_else(|| "-".to_owned(), |time| time.0.to_string());
    let ready = ready.map_or_else(|| "Unknown".to_owned(), |r| format!("{} {} {}", r.status, r.reason, r.message));
    format!("PodManager/{} podCreated={created} Ready={ready}", object.name_any())
}
