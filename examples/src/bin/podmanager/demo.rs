//! The demo: creates a PodManager and deletes its Pod without the operator.

use std::time::Duration;

use evenkeel::condition::{self, READY};
use evenkeel_testkit::is_ready;
use examples::server::message_of;
use examples::story::{Story, print_changes};
use examples::terminal::print_line;
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::api::{DeleteParams, Patch, PatchParams};
use kube::runtime::wait;
use kube::{Api, Client, ResourceExt};
use serde_json::json;
use tokio::time::{sleep, timeout};

use crate::operator::PodManager;

/// The name of the object and of its Pod.
const NAME: &str = "web";
/// API servers store whole seconds: two Pods should have different creation times.
const PAUSE: Duration = Duration::from_secs(2);
const DEADLINE: Duration = Duration::from_secs(60);

type Result<T> = std::result::Result<T, String>;

/// The demo, in one namespace of a server that has the CRD.
#[derive(Debug)]
pub struct Demo {
    managers: Api<PodManager>,
    pods: Api<Pod>,
}

impl Demo {
    /// Creates a demo in the namespace.
    #[must_use]
    pub fn new(client: Client, namespace: &str) -> Self {
        Self { managers: Api::namespaced(client.clone(), namespace), pods: Api::namespaced(client, namespace) }
    }

    /// Waits until the object is ready with a new creation time in the status, and returns it.
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

    /// Creates the object, deletes its Pod, and prints the creation time of each Pod.
    async fn run(&self) -> Result<()> {
        let object = json!({ "apiVersion": "demo.evenkeel.dev/v1", "kind": "PodManager",
            "metadata": { "name": NAME }, "spec": { "image": "nginx:1.29" } });
        let params = PatchParams::apply("podmanager-demo").force();
        let made = self.managers.patch(NAME, &params, &Patch::Apply(&object)).await;
        made.map_err(|error| format!("cannot apply {NAME}: {}", message_of(&error)))?;
        let first = self.ready_with_other_time_than(None).await?;
        sleep(PAUSE).await;
        print_line("\na user deletes the Pod")?;
        let deleted = self.pods.delete(NAME, &DeleteParams::default()).await;
        deleted.map_err(|error| format!("cannot delete the Pod {NAME}: {}", message_of(&error)))?;
        let second = self.ready_with_other_time_than(Some(first.clone())).await?;
        print_line(&format!("\nfirst Pod   created {}\nsecond Pod  created {}", first.0, second.0))
    }

    async fn look_on(&self) -> Result<()> {
        print_changes(self.managers.clone(), line).await
    }

    /// Deletes the object; the garbage collector deletes its Pod.
    async fn end(&self) -> Result<()> {
        let pod = self.pods.get_opt(NAME).await.map_err(|error| message_of(&error))?;
        match self.managers.delete(NAME, &DeleteParams::default()).await {
            Err(kube::Error::Api(status)) if status.code == 404 => return Ok(()),
            deleted => deleted.map(drop).map_err(|error| format!("cannot delete {NAME}: {}", message_of(&error)))?,
        }
        let uid = pod.and_then(|pod| pod.uid()).unwrap_or_default();
        let gone = wait::await_condition(self.pods.clone(), NAME, wait::conditions::is_deleted(&uid));
        let gone = timeout(DEADLINE, gone).await.map_err(|_| format!("the Pod {NAME} is there after {DEADLINE:?}"))?;
        gone.map(drop).map_err(|error| error.to_string())
    }
}

/// The creation time in the status.
pub fn pod_created(object: &PodManager) -> Option<&Time> {
    object.status.as_ref()?.pod_created.as_ref()
}

fn line(object: &PodManager) -> String {
    let ready = object.status.as_ref().and_then(|status| condition::find(&status.conditions, READY));
    let created = pod_created(object).map_or_else(|| "-".to_owned(), |time| time.0.to_string());
    let ready = ready.map_or_else(|| "Unknown".to_owned(), |r| format!("{} {} {}", r.status, r.reason, r.message));
    format!("PodManager/{} podCreated={created} Ready={ready}", object.name_any())
}
