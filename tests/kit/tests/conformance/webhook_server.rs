//! A webhook on loopback, which records the reviews and returns the responses that a rule has set.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;
use tokio_util::task::AbortOnDropHandle;

use crate::check::{Broken, Verdict, eventually};
use crate::conversion_script;
use crate::env::{Env, text};

/// The response of a webhook.
#[derive(Clone)]
pub(crate) enum Reply {
    /// The `response` of a review, to which the uid is added.
    Verdict(Value),
    /// Another HTTP status.
    Code(StatusCode),
    /// Another HTTP status, with a Status object as the body.
    Status(StatusCode, &'static str),
    /// The body as it is.
    Raw(&'static str),
    /// A conversion, with fields that replace those of the converted object and of the response.
    Converted(Value),
    /// A response after this time.
    Late(Duration),
}

#[derive(Default)]
struct State {
    replies: HashMap<String, Reply>,
    calls: Vec<(String, Value)>,
    connections: usize,
    /// Whether the API server is a real one.
    is_real: bool,
}

/// A running webhook. The last segment of the path of a call is the name of its hook.
pub(crate) struct Webhook {
    port: u16,
    bundle: String,
    state: Arc<Mutex<State>>,
    _task: AbortOnDropHandle<()>,
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Webhook {
    pub(crate) async fn start() -> Result<Self, Broken> {
        let key = rcgen::KeyPair::generate()?;
        let certificate = rcgen::CertificateParams::new(vec!["127.0.0.1".to_owned()])?.self_signed(&key)?;
        let private = PrivateKeyDer::try_from(key.serialize_der())?;
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], private)?;
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let (port, state) = (listener.local_addr()?.port(), Arc::new(Mutex::new(State::default())));
        let (acceptor, shared) = (TlsAcceptor::from(Arc::new(config)), Arc::clone(&state));
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                lock(&shared).connections += 1;
                tokio::spawn(serve(acceptor.clone(), stream, Arc::clone(&shared)));
            }
        });
        let bundle = BASE64_STANDARD.encode(certificate.pem());
        Ok(Self { port, bundle, state, _task: AbortOnDropHandle::new(task) })
    }

    /// A webhook of a configuration that reviews all writes of widgets in the namespace, with other fields.
    #[expect(clippy::needless_pass_by_value, reason = "reads as a sentence with json!")]
    pub(crate) fn entry(&self, name: &str, other: Value) -> Value {
        let mut entry = json!({
            "name": format!("{name}.conform.evenkeel.dev"),
            "rules": [{"apiGroups": ["conform.evenkeel.dev"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*/*"]}],
            "clientConfig": self.client(name),
            "admissionReviewVersions": ["v1"], "sideEffects": "None", "timeoutSeconds": 10,
        });
        for (field, value) in other.as_object().into_iter().flatten() {
            entry[field] = value.clone();
        }
        entry
    }

    /// The address of a hook.
    pub(crate) fn client(&self, name: &str) -> Value {
        json!({"url": format!("https://127.0.0.1:{}/{name}", self.port), "caBundle": self.bundle})
    }

    /// Creates a configuration that is restricted to the namespace of the rule.
    pub(crate) async fn configure(&self, env: &Env, kind: &str, name: &str, entries: Vec<Value>) -> Verdict {
        let label = json!({"metadata": {"labels": {"rule": env.namespace}}});
        env.merge(&format!("/api/v1/namespaces/{}", env.namespace), &label).await?.is(200)?;
        let hooks: Vec<Value> = entries
            .into_iter()
            .map(|mut entry| {
                if entry["namespaceSelector"].is_null() {
                    entry["namespaceSelector"] = json!({"matchLabels": {"rule": env.namespace}});
                }
                entry
            })
            .collect();
        lock(&self.state).is_real = env.cluster.is_none();
        let path = path(kind);
        let configuration = json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": format!("{kind}WebhookConfiguration"),
            "metadata": {"name": format!("{name}.{}", env.namespace)}, "webhooks": hooks});
        env.post(&path, &configuration).await?.is(201)?;
        Ok(())
    }

    /// Waits until the hook is called, since API servers read configurations asynchronously. Earlier configurations are then in
    /// effect, too. The recorded calls are discarded.
    pub(crate) async fn ready(&self, env: &Env, hook: &str) -> Verdict {
        let probe = json!({"apiVersion": "conform.evenkeel.dev/v1", "kind": "Widget", "metadata": {"name": "probe"},
            "spec": {}});
        let called = || async {
            env.post(&env.path("?dryRun=All"), &probe).await?;
            Ok(self.names().iter().any(|name| name == hook).then_some(()))
        };
        eventually("the webhook is called", called).await?;
        lock(&self.state).calls.clear();
        Ok(())
    }

    /// Sets the response of a hook; without one it allows everything.
    pub(crate) fn reply(&self, hook: &str, reply: Reply) {
        lock(&self.state).replies.insert(hook.to_owned(), reply);
    }

    /// Lets a hook return a patch.
    pub(crate) fn patch(&self, hook: &str, operations: &Value) {
        let patch = BASE64_STANDARD.encode(operations.to_string());
        self.reply(hook, Reply::Verdict(json!({"allowed": true, "patch": patch, "patchType": "JSONPatch"})));
    }

    /// Returns the names of the called hooks in the order of the calls.
    pub(crate) fn names(&self) -> Vec<String> {
        lock(&self.state).calls.iter().map(|(name, _)| name.clone()).collect()
    }

    /// Returns the requests of the reviews since the last call, in their order, each with the name of its hook.
    pub(crate) fn take(&self) -> Vec<(String, Value)> {
        std::mem::take(&mut lock(&self.state).calls)
    }

    /// Returns the number of accepted connections.
    pub(crate) fn connections(&self) -> usize {
        lock(&self.state).connections
    }

    /// Returns the only request since the last call. Real API servers repeat a write whose cached object was outdated; of equal attempts the
    /// last one counts.
    pub(crate) fn only(&self) -> Result<Value, Broken> {
        let is_real = lock(&self.state).is_real;
        let calls = self.take();
        let write =
            |(hook, request): &(String, Value)| (hook.clone(), request["operation"].clone(), request["name"].clone());
        let is_one = calls.len() == 1 || is_real && calls.windows(2).all(|pair| write(&pair[0]) == write(&pair[1]));
        match calls.last() {
            Some((_, request)) if is_one => Ok(request.clone()),
            _ => Err(format!("expected one review, found {calls:?}").into()),
        }
    }
}

/// The path of the configurations of one sort.
pub(crate) fn path(kind: &str) -> String {
    format!("/apis/admissionregistration.k8s.io/v1/{}webhookconfigurations", kind.to_lowercase())
}

async fn serve(acceptor: TlsAcceptor, stream: TcpStream, state: Arc<Mutex<State>>) {
    let Ok(stream) = acceptor.accept(stream).await else { return };
    let service = service_fn(move |request| answer(Arc::clone(&state), request));
    // A client may close the connection at any time.
    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
}

async fn answer(state: Arc<Mutex<State>>, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let name = request.uri().path().rsplit('/').next().unwrap_or_default().to_owned();
    let body = request.into_body().collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    let review: Value = serde_json::from_slice(&body).unwrap_or_default();
    let reply = {
        let mut state = lock(&state);
        state.calls.push((name.clone(), review["request"].clone()));
        state.replies.get(&name).cloned()
    };
    let (mut verdict, mut script) = (json!({"allowed": true}), json!({}));
    match reply {
        Some(Reply::Converted(given)) => script = given,
        Some(Reply::Code(code)) => return Ok(response(code, String::new())),
        Some(Reply::Status(code, message)) => {
            let status = json!({"apiVersion": "v1", "kind": "Status", "status": "Failure", "message": message, "code": code.as_u16()});
            return Ok(response(code, status.to_string()));
        }
        Some(Reply::Raw(body)) => return Ok(response(StatusCode::OK, body.to_owned())),
        Some(Reply::Late(time)) => tokio::time::sleep(time).await,
        Some(Reply::Verdict(given)) => verdict = given,
        None => {}
    }
    if review["kind"] == "ConversionReview" {
        return Ok(response(StatusCode::OK, conversion_script::answer(&review, &script).to_string()));
    }
    if verdict["uid"].is_null() {
        verdict["uid"] = json!(text(&review["request"]["uid"]));
    }
    let body = json!({"apiVersion": review["apiVersion"], "kind": "AdmissionReview", "response": verdict});
    Ok(response(StatusCode::OK, body.to_string()))
}

fn response(code: StatusCode, body: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(body)));
    *response.status_mut() = code;
    response.headers_mut().insert("content-type", http::HeaderValue::from_static("application/json"));
    response
}

/// A webhook with one validating hook `v`.
pub(crate) async fn validating(env: &Env, other: Value) -> Result<Webhook, Broken> {
    let hooks = Webhook::start().await?;
    hooks.configure(env, "Validating", "v", vec![hooks.entry("v", other)]).await?;
    hooks.ready(env, "v").await?;
    Ok(hooks)
}

/// A webhook with the mutating hooks `m` and `n`, in this order.
pub(crate) async fn mutating(env: &Env) -> Result<Webhook, Broken> {
    let hooks = Webhook::start().await?;
    let entries = vec![hooks.entry("m", json!({})), hooks.entry("n", json!({}))];
    hooks.configure(env, "Mutating", "m", entries).await?;
    hooks.ready(env, "n").await?;
    Ok(hooks)
}

#[expect(clippy::needless_pass_by_value, reason = "reads as a sentence with json!")]
pub(crate) fn widget(name: &str, spec: Value) -> Value {
    json!({"apiVersion": "conform.evenkeel.dev/v1", "kind": "Widget", "metadata": {"name": name}, "spec": spec})
}

/// The names of the called hooks. API servers repeat a write whose cached object was outdated, so only one of equal attempts counts.
pub(crate) fn named(calls: &[(String, Value)]) -> Vec<&str> {
    let names: Vec<&str> = calls.iter().map(|(name, _)| name.as_str()).collect();
    let is_repeated = |length: &usize| names.chunks(*length).all(|attempt| *attempt == names[..*length]);
    let length = (1..=names.len()).find(is_repeated).unwrap_or_default();
    names[..length].to_vec()
}

pub(crate) fn without_owners(object: &Value) -> Value {
    let mut object = object.clone();
    if let Some(metadata) = object["metadata"].as_object_mut() {
        metadata.remove("managedFields");
    }
    object
}
