//! The requests of a candidate, and what their answers mean.

use std::fmt;
use std::sync::Arc;

use futures::StreamExt;
use futures::stream::BoxStream;
use http::{Request, StatusCode};
use k8s_openapi::api::coordination::v1::Lease;
use kube::Client;
use kube::api::{Api, ApiResource, DynamicObject, GetParams, ObjectMeta, PostParams, WatchEvent, WatchParams};
use kube::client::Body;
use kube::core::Status;
use kube::core::request::Request as Verbs;
use serde_json::json;

use super::protocol::{Action, Answer};
use super::record::Record;
use crate::api::grant::plural_and_group;
use crate::client::{FenceRule, chain, decode};

/// The lease that replicas contend for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LeaseName {
    pub(crate) namespace: String,
    pub(crate) name: String,
}

impl fmt::Display for LeaseName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.namespace, self.name)
    }
}

/// Sends requests about one lease.
#[derive(Clone)]
pub(super) struct Requests {
    pub(super) client: Client,
    pub(super) lease: Arc<LeaseName>,
}

fn resource() -> ApiResource {
    ApiResource::erase::<Lease>(&())
}

/// An answer, with the reason if it is an error.
pub(super) type Explained = (Answer, Option<String>);

impl Requests {
    /// Sends the request of an action.
    pub(super) async fn send(&self, action: Action) -> Explained {
        let (verb, request) = match &action {
            Action::Get | Action::Wait(_) | Action::End => {
                ("get", self.verbs().get(&self.lease.name, &GetParams::default()))
            }
            Action::Create(write) => ("create", {
                let metadata = ObjectMeta { name: Some(self.lease.name.clone()), ..ObjectMeta::default() };
                let mut object = DynamicObject::new("", &resource());
                object.metadata = metadata;
                self.verbs().create(&PostParams::default(), text(&write.over(object)))
            }),
            Action::Update(on, write) => {
                let object = write.over((*on.object).clone());
                ("update", self.verbs().replace(&self.lease.name, &PostParams::default(), text(&object)))
            }
        };
        let request = match request {
            Ok(request) => request,
            // The name is checked at the start.
            Err(error) => return (Answer::Refused, Some(chain(&error))),
        };
        match self.answer(request).await {
            Ok((status, body)) => self.understood(&action, verb, status, &body),
            Err(error) => (Answer::Unknown { timed_out: false }, Some(chain(&error))),
        }
    }

    fn verbs(&self) -> Verbs {
        Verbs::new(<DynamicObject as kube::Resource>::url_path(&resource(), Some(&self.lease.namespace)))
    }

    async fn answer(&self, request: Request<Vec<u8>>) -> Result<(StatusCode, Vec<u8>), kube::Error> {
        let mut request = request.map(Body::from);
        // A candidate is no leader, and a lease has a fence of its own: its version.
        request.extensions_mut().insert(FenceRule::Exempt);
        let answer = self.client.send(request).await?;
        let status = answer.status();
        Ok((status, answer.into_body().collect_bytes().await?.to_vec()))
    }

    fn understood(&self, action: &Action, verb: &str, status: StatusCode, body: &[u8]) -> Explained {
        let makes = matches!(action, Action::Create(_));
        if status.is_success() {
            return match decode::from_body(body) {
                Ok(object) => {
                    let made = makes || status == StatusCode::CREATED;
                    (Answer::Lease { record: Record::of(object), made }, None)
                }
                Err(error) => (Answer::Unknown { timed_out: false }, Some(format!("the answer is no Lease: {error}"))),
            };
        }
        let message = decode::from_body::<Status>(body).map(|status| status.message).unwrap_or_default();
        let why = if message.is_empty() { status.to_string() } else { message };
        match status.as_u16() {
            404 if !makes => (Answer::NotFound, None),
            409 => (Answer::Conflict, None),
            403 => (Answer::Refused, Some(format!("{why}; {}", self.grant(verb)))),
            // Of a 5xx it is unknown, also of an answer of a proxy.
            400..=499 => (Answer::Refused, Some(why)),
            _ => (Answer::Unknown { timed_out: false }, Some(why)),
        }
    }

    /// The RBAC rule that is missing.
    fn grant(&self, verb: &str) -> String {
        let resource = resource();
        let what = plural_and_group(&resource.plural, &resource.group);
        format!("grant the verb {verb} on {what} in namespace {}", self.lease.namespace)
    }

    /// Watches the lease. The first event reports it as it is, if it exists.
    ///
    /// # Errors
    /// The watch was refused.
    pub(super) async fn watch(&self) -> Result<BoxStream<'static, Result<WatchEvent<DynamicObject>, String>>, String> {
        let api: Api<DynamicObject> = Api::namespaced_with(self.client.clone(), &self.lease.namespace, &resource());
        let params = WatchParams::default().fields(&format!("metadata.name={}", self.lease.name)).disable_bookmarks();
        match api.watch(&params, "").await {
            Ok(events) => Ok(events.map(|event| event.map_err(|error| chain(&error))).boxed()),
            Err(kube::Error::Api(status)) if status.code == 403 => {
                Err(format!("{}; {}", status.message, self.grant("watch")))
            }
            Err(error) => Err(chain(&error)),
        }
    }

    /// Records in an event that a term begins, as client-go does. The event is not sent again if it fails.
    pub(super) async fn announce(&self, record: &Record, operator: &str, identity: &str) {
        let metadata = &record.object.metadata;
        let now = super::record::text(crate::clock::now());
        let name = format!("{}.{:x}", self.lease.name, crate::clock::now().as_nanosecond());
        let event = json!({
            "apiVersion": "events.k8s.io/v1", "kind": "Event", "metadata": { "name": name },
            "action": "LeaderElection", "reason": "LeaderElection", "type": "Normal", "eventTime": *now,
            "note": format!("{identity} became leader"), "reportingController": operator, "reportingInstance": cut(identity),
            "regarding": {
                "apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "namespace": self.lease.namespace,
                "name": self.lease.name, "uid": metadata.uid, "resourceVersion": metadata.resource_version,
            },
        });
        let path = format!("/apis/events.k8s.io/v1/namespaces/{}", self.lease.namespace);
        let request =
            Verbs::new(format!("{path}/events")).create(&PostParams::default(), event.to_string().into_bytes());
        let Ok(request) = request else { return };
        match self.answer(request).await {
            Ok((status, _)) if status.is_success() => {}
            Ok((status, _)) => tracing::debug!(%status, "the event about the lease was not recorded"),
            Err(error) => tracing::debug!(error = chain(&error), "the event about the lease was not recorded"),
        }
    }
}

/// The reporting instance has at most 128 bytes.
fn cut(identity: &str) -> &str {
    identity.get(..128).unwrap_or(identity)
}

fn text(object: &DynamicObject) -> Vec<u8> {
    // An object that was read as JSON can be written as JSON.
    serde_json::to_vec(object).unwrap_or_default()
}
