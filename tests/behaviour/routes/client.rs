//! A user who calls routes over TLS, with a token of a service account.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use evenkeel::admission::WebhookTarget;
use evenkeel::{Operator, WebhookServer};
use evenkeel_testkit::{Cluster, eventually};
use evenkeel_tests::test_env::{Running, SOON};
use http::{HeaderMap, Method, Request};
use http_body_util::{BodyExt, Full};
use hyper_util::rt::TokioIo;
use k8s_openapi::api::authentication::v1::{TokenRequest, TokenRequestSpec};
use k8s_openapi::api::core::v1::{Secret, ServiceAccount};
use kube::api::{Patch, PatchParams, PostParams};
use kube::{Api, Client, CustomResourceExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use crate::admission::kinds::Repo;

/// The audience of these tests.
pub(crate) const AUDIENCE: &str = "repo-operator";

/// The answer to a request.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// The body of a JSON answer.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error} in {self:?}"))
    }

    /// The message of a `Status`, whose code must be that of the answer.
    pub(crate) fn message(&self) -> String {
        let status = self.json();
        assert_eq!((&status["kind"], &status["code"]), (&json!("Status"), &json!(self.status)), "{status}");
        status["message"].as_str().unwrap().to_owned()
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }
}

/// An operator whose webhook server runs, and a user of it.
pub(crate) struct Served {
    pub(crate) running: Running,
    address: SocketAddr,
    tls: TlsConnector,
    /// The token of the requests; `None`: none is sent.
    pub(crate) token: Option<String>,
}

/// A cluster with the kind and the object `web`, which checks rights.
pub(crate) async fn cluster() -> Cluster {
    let cluster = Cluster::builder().rbac().start().await;
    cluster.seed(&Repo::crd()).await.unwrap();
    Api::default_namespaced(cluster.client()).create(&PostParams::default(), &web("web")).await.unwrap();
    cluster
}

pub(crate) fn web(name: &str) -> Repo {
    let object = json!({
        "apiVersion": "tests.evenkeel.dev/v1", "kind": "Repo", "metadata": { "name": name },
        "spec": { "url": format!("https://example.com/{name}"), "ownerTeam": "a" },
    });
    serde_json::from_value(object).unwrap()
}

/// A token of the service account of this name, which is created, for this audience.
pub(crate) async fn token(client: &Client, name: &str, audience: &str) -> String {
    let accounts: Api<ServiceAccount> = Api::default_namespaced(client.clone());
    let account = json!({ "apiVersion": "v1", "kind": "ServiceAccount", "metadata": { "name": name } });
    accounts.patch(name, &PatchParams::apply("tests"), &Patch::Apply(account)).await.unwrap();
    let spec = TokenRequestSpec {
        audiences: Some(vec![audience.to_owned()]),
        expiration_seconds: Some(3600),
        ..TokenRequestSpec::default()
    };
    let request = TokenRequest { spec: Some(spec), ..TokenRequest::default() };
    let given = accounts.create_token_request(name, &PostParams::default(), &request).await.unwrap();
    given.status.unwrap().token.unwrap()
}

/// Lets the service account use these verbs on the subresource.
pub(crate) async fn allow(client: &Client, name: &str, verbs: &[&str], subresource: &str) {
    allow_in(client, client.default_namespace(), (name, verbs, subresource)).await;
}

/// The same for objects in this namespace. The service account is in the namespace of the client.
pub(crate) async fn allow_in(client: &Client, namespace: &str, (name, verbs, subresource): (&str, &[&str], &str)) {
    let params = PatchParams::apply("tests");
    let role = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": { "name": name },
        "rules": [{ "apiGroups": ["tests.evenkeel.dev"], "resources": [format!("repos/{subresource}")], "verbs": verbs }],
    });
    let binding = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": { "name": name },
        "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": name },
        "subjects": [{ "kind": "ServiceAccount", "name": name, "namespace": client.default_namespace() }],
    });
    let roles: Api<k8s_openapi::api::rbac::v1::Role> = Api::namespaced(client.clone(), namespace);
    let bindings: Api<k8s_openapi::api::rbac::v1::RoleBinding> = Api::namespaced(client.clone(), namespace);
    roles.patch(name, &params, &Patch::Apply(role)).await.unwrap();
    bindings.patch(name, &params, &Patch::Apply(binding)).await.unwrap();
}

/// Runs the operator with a server on loopback, and waits for its certificate.
pub(crate) async fn serve(operator: Operator, name: &str, client: &Client) -> Served {
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap();
    let target = WebhookTarget::url(format!("https://{address}"));
    let server = WebhookServer::on(socket).target(target).audience(AUDIENCE);
    let running = Running::start(operator.webhooks(server));
    let secrets: Api<Secret> = Api::default_namespaced(client.clone());
    let certificate = || async {
        let data = secrets.get_opt(&format!("{name}-webhook")).await.unwrap()?.data?;
        data.into_iter().find(|(key, _)| key == "tls.crt").map(|(_, certificate)| certificate.0)
    };
    let certificate = eventually(SOON, certificate).await;
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(&certificate).unwrap()).unwrap();
    let provider = Arc::new(tokio_rustls::rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = config.with_root_certificates(roots).with_no_client_auth();
    let served = Served { running, address, tls: TlsConnector::from(Arc::new(config)), token: None };
    let up = || async { served.try_send(Method::GET, "/", &[], Vec::new()).await };
    eventually(SOON, up).await;
    served
}

impl Served {
    /// The same at another address with the same certificate.
    pub(crate) fn at(self, address: SocketAddr) -> Self {
        Self { address, ..self }
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, &[], Vec::new()).await
    }

    pub(crate) async fn send(&self, method: Method, path: &str, headers: &[(&str, &str)], body: Vec<u8>) -> Answer {
        self.try_send(method, path, headers, body).await.expect("an answer")
    }

    /// `None`: the connection ended without an answer.
    async fn try_send(&self, method: Method, path: &str, headers: &[(&str, &str)], body: Vec<u8>) -> Option<Answer> {
        let stream = TcpStream::connect(self.address).await.ok()?;
        let name = ServerName::IpAddress(self.address.ip().into());
        let stream = self.tls.connect(name, stream).await.ok()?;
        let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.ok()?;
        tokio::spawn(connection);
        let mut request = Request::builder().method(method).uri(path).header("host", "localhost");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        let answer = sender.send_request(request.body(Full::<bytes::Bytes>::from(body)).unwrap()).await.ok()?;
        let (parts, body) = answer.into_parts();
        let body = body.collect().await.ok()?.to_bytes().to_vec();
        Some(Answer { status: parts.status.as_u16(), headers: parts.headers, body })
    }
}

/// The path of the object's subresource.
pub(crate) fn path(name: &str, below: &str) -> String {
    format!("/apis/tests.evenkeel.dev/v1/namespaces/default/repos/{name}{below}")
}
