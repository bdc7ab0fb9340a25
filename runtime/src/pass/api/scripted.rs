//! Calls to a server with scripted responses, for tests.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use http::{Request, Response};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Client;
use kube::client::Body;
use serde_json::{Value, json};

use super::calls::Calls;
use super::identity::Identity;
use super::request::Sender;
use crate::api::Target;
use crate::client::{Answers, StepClient};
use crate::leadership::Leadership;
use crate::queue::meter::CallMeter;
use crate::wiring::KindInfo;

/// A status code and a body.
pub(in crate::pass) type Answer = (u16, Value);

/// A request: the verb with the last part of the path, the query and the body.
type Asked = (String, String, Value);

/// A server with scripted responses. It never responds to further requests.
pub(in crate::pass) struct Script {
    pub(in crate::pass) calls: Calls,
    pub(in crate::pass) gate: Leadership,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Script {
    pub(in crate::pass) fn new(answers: impl IntoIterator<Item = Answer>) -> Self {
        let answers = Mutex::new(answers.into_iter().collect::<VecDeque<_>>());
        let (asked, gate) = (Arc::<Mutex<Vec<_>>>::default(), Leadership::open());
        let note = asked.clone();
        let service = tower::service_fn(move |request: Request<Body>| {
            let answer = answers.lock().unwrap().pop_front();
            let note = note.clone();
            async move {
                let (head, body) = request.into_parts();
                let body = body.collect_bytes().await.unwrap();
                let asked = format!("{} {}", head.method, head.uri.path().rsplit('/').next().unwrap_or_default());
                let query = head.uri.query().unwrap_or_default().to_owned();
                note.lock().unwrap().push((asked, query, serde_json::from_slice(&body).unwrap_or_default()));
                let Some((code, answer)) = answer else { std::future::pending().await };
                let body = Body::from(answer.to_string().into_bytes());
                Ok::<_, Infallible>(Response::builder().status(code).body(body).unwrap())
            }
        });
        let client = Arc::new(StepClient::new(Client::new(service, "default"), CallMeter::default()));
        let sender = Sender { client, answers: Answers::default(), step: "" };
        let calls = Calls { sender, permit: gate.permit(), field_manager: "tester".into(), whole: false };
        Self { calls, gate, asked }
    }

    /// The verbs of the requests, each with the last part of its path.
    pub(in crate::pass) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().iter().map(|(asked, ..)| asked.clone()).collect()
    }

    /// The number of requests with this verb and path.
    pub(in crate::pass) fn times(&self, request: &str) -> usize {
        self.asked().iter().filter(|asked| *asked == request).count()
    }

    /// The bodies of the requests.
    pub(in crate::pass) fn sent(&self) -> Vec<Value> {
        self.asked.lock().unwrap().iter().map(|(.., sent)| sent.clone()).collect()
    }

    /// The queries of the requests.
    pub(in crate::pass) fn queries(&self) -> Vec<String> {
        self.asked.lock().unwrap().iter().map(|(_, query, _)| query.clone()).collect()
    }
}

/// The target of all requests.
pub(in crate::pass) fn target() -> Target {
    Target { kind: KindInfo::of::<ConfigMap>(), namespace: Some("a".into()), name: "x".into() }
}

/// The identity of the object in a status write.
pub(in crate::pass) fn identity() -> Identity {
    Identity { target: target(), uid: "u".into(), generation: Some(1), deleting: false, urgent: false }
}

/// A response with the object in this version and generation 1. `more` is further metadata.
pub(in crate::pass) fn object(version: &str, more: &Value) -> Answer {
    let mut meta = json!({ "name": "x", "namespace": "a", "uid": "u", "resourceVersion": version, "generation": 1 });
    for (name, value) in more.as_object().cloned().unwrap_or_default() {
        meta[name] = value;
    }
    (200, json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": meta }))
}

/// An error response about the object.
pub(in crate::pass) fn error(code: u16, reason: &str, text: &str) -> Answer {
    let details = json!({ "name": "x", "kind": "configmaps" });
    (
        code,
        json!({ "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "code": code, "reason": reason,
            "message": text, "details": details }),
    )
}

/// The response to a write of an outdated version.
pub(in crate::pass) fn conflict() -> Answer {
    error(409, "Conflict", "the object has been modified")
}

/// The response for an object that does not exist.
pub(in crate::pass) fn absent() -> Answer {
    error(404, "NotFound", "configmaps \"x\" not found")
}
