//! The server over TLS on loopback, with certificates in an in-process cluster.

mod clients;
mod renewal;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use evenkeel_testkit::{Cluster, eventually};
use http::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use k8s_openapi::api::core::v1::Secret;
use kube::Api;
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};
use tokio_util::sync::CancellationToken;

use super::{Files, Names, Served, Serving, Source, start};

const SOON: Duration = Duration::from_secs(20);

fn names() -> Names {
    Names {
        operator: "shop".to_owned(),
        namespace: "default".to_owned(),
        service: "shop-webhooks".to_owned(),
        hosts: Vec::new(),
        definitions: Vec::new(),
    }
}

/// A configuration of the operator with one webhook for each of these Services.
fn configuration(kind: &str, services: &[&str]) -> Value {
    let hook = |service: &&str| {
        json!({"name": format!("{service}.ex.dev"), "admissionReviewVersions": ["v1"], "sideEffects": "None",
            "clientConfig": {"service": {"namespace": "default", "name": service}}})
    };
    let hooks: Vec<Value> = services.iter().map(hook).collect();
    json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": {"name": "shop"}, "webhooks": hooks})
}

struct Server {
    serving: Serving,
    served: watch::Receiver<Served>,
    port: u16,
    stop: CancellationToken,
}

async fn serve(cluster: &Cluster, source: Source) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let router = Router::new()
        .route("/fast", axum::routing::get(|| async { "hello" }))
        .route("/slow", axum::routing::get(|| async { tokio::time::sleep(Duration::from_millis(300)).await }));
    let stop = CancellationToken::new();
    let (sender, served) = watch::channel(source.first().unwrap());
    let serving = start(listener, source, sender, cluster.client(), router, stop.clone());
    Server { serving, served, port, stop }
}

type Sender = hyper::client::conn::http1::SendRequest<Body>;

/// Connects as an API server does that trusts only this bundle.
async fn connect(port: u16, bundle: &str, name: &str) -> Result<Sender, String> {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(bundle.as_bytes()) {
        roots.add(certificate.unwrap()).unwrap();
    }
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let config = config.with_safe_default_protocol_versions().unwrap().with_root_certificates(roots);
    let connector = TlsConnector::from(Arc::new(config.with_no_client_auth()));
    let stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let name = ServerName::try_from(name.to_owned()).unwrap();
    let stream: TlsStream<TcpStream> = connector.connect(name, stream).await.map_err(|error| error.to_string())?;
    let (sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    Ok(sender)
}

async fn get(sender: &mut Sender, path: &str) -> Result<http::Response<hyper::body::Incoming>, hyper::Error> {
    sender.send_request(Request::get(path).header("host", "shop").body(Body::empty()).unwrap()).await
}

async fn secret(cluster: &Cluster) -> Option<Secret> {
    Api::namespaced(cluster.client(), "default").get_opt("shop-webhook").await.unwrap()
}

fn text(secret: &Secret, key: &str) -> String {
    String::from_utf8(secret.data.as_ref().unwrap()[key].0.clone()).unwrap()
}

/// The bundles of all webhooks of a configuration, decoded.
async fn bundles(cluster: &Cluster, plural: &str) -> Vec<Option<String>> {
    let path = format!("/apis/admissionregistration.k8s.io/v1/{plural}/shop");
    let found: Value = cluster.client().request(Request::get(path).body(Vec::new()).unwrap()).await.unwrap();
    let hooks = found["webhooks"].as_array().unwrap().iter();
    let decoded = |bundle: &str| String::from_utf8(BASE64_STANDARD.decode(bundle).unwrap()).unwrap();
    hooks.map(|hook| hook["clientConfig"]["caBundle"].as_str().map(decoded)).collect()
}

async fn ready(server: &Server) {
    let mut served = server.served.clone();
    tokio::time::timeout(SOON, served.wait_for(|served| served.certified.is_some() && served.is_spread))
        .await
        .unwrap()
        .unwrap();
}

#[tokio::test]
async fn a_server_that_starts_makes_its_certificate_and_spreads_it() {
    let cluster = Cluster::start().await;
    cluster
        .seed(configuration("ValidatingWebhookConfiguration", &["shop-webhooks", "other"]).to_string())
        .await
        .unwrap();
    cluster.seed(configuration("MutatingWebhookConfiguration", &["shop-webhooks"]).to_string()).await.unwrap();
    let server = serve(&cluster, Source::SelfSigned(names())).await;
    ready(&server).await;
    let certificate = text(&secret(&cluster).await.unwrap(), "tls.crt");
    assert_eq!(bundles(&cluster, "validatingwebhookconfigurations").await, [Some(certificate.clone()), None]);
    assert_eq!(bundles(&cluster, "mutatingwebhookconfigurations").await, [Some(certificate.clone())]);
    for name in ["shop-webhooks.default.svc", "shop-webhooks.default.svc.cluster.local"] {
        let mut sender = connect(server.port, &certificate, name).await.unwrap();
        assert_eq!(get(&mut sender, "/fast").await.unwrap().status(), StatusCode::OK);
    }
    let refused = connect(server.port, &certificate, "shop.example.com").await.unwrap_err();
    assert!(refused.contains("not valid for name"), "{refused}");
    let other = super::certificate::tests_pair();
    assert!(connect(server.port, &other, "shop-webhooks.default.svc").await.is_err());
}

#[tokio::test]
async fn replicas_share_one_certificate() {
    let cluster = Cluster::start().await;
    let servers = futures::future::join_all((0..4).map(|_| serve(&cluster, Source::SelfSigned(names())))).await;
    for server in &servers {
        ready(server).await;
    }
    let certificate = text(&secret(&cluster).await.unwrap(), "tls.crt");
    for server in &servers {
        connect(server.port, &certificate, "shop-webhooks.default.svc").await.unwrap();
    }
}

#[tokio::test]
async fn a_bundle_that_another_program_removes_is_repaired() {
    let cluster = Cluster::start().await;
    let configured = configuration("ValidatingWebhookConfiguration", &["shop-webhooks"]);
    cluster.seed(configured.to_string()).await.unwrap();
    let server = serve(&cluster, Source::SelfSigned(names())).await;
    ready(&server).await;
    let path = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/shop";
    let remove = json!({"webhooks": configured["webhooks"]}).to_string().into_bytes();
    let request = Request::patch(path).header("content-type", "application/merge-patch+json").body(remove).unwrap();
    let _: Value = cluster.client().request(request).await.unwrap();
    let repaired = || async { bundles(&cluster, "validatingwebhookconfigurations").await[0].clone() };
    eventually(SOON, repaired).await;
}

#[tokio::test]
async fn a_secret_that_is_deleted_or_broken_is_made_anew() {
    let cluster = Cluster::start().await;
    cluster.seed(configuration("ValidatingWebhookConfiguration", &["shop-webhooks"]).to_string()).await.unwrap();
    let server = serve(&cluster, Source::SelfSigned(names())).await;
    ready(&server).await;
    let secrets: Api<Secret> = Api::namespaced(cluster.client(), "default");
    let mut last = text(&secret(&cluster).await.unwrap(), "tls.crt");
    let broken = json!({"data": {"tls.key": BASE64_STANDARD.encode("no key")}});
    let expired = json!({"metadata": {"annotations": {"evenkeel.dev/webhook-expires": "2001-01-01T00:00:00Z"}}});
    for change in [None, Some(broken), Some(expired)] {
        match change {
            None => drop(secrets.delete("shop-webhook", &DeleteParams::default()).await.unwrap()),
            Some(change) => {
                drop(secrets.patch("shop-webhook", &PatchParams::default(), &Patch::Merge(change)).await.unwrap());
            }
        }
        let renewed = || async {
            let certificate = text(&secret(&cluster).await?, "tls.crt");
            let trusted = bundles(&cluster, "validatingwebhookconfigurations").await[0].clone()?;
            (certificate != last && trusted == certificate).then_some(certificate)
        };
        last = eventually(SOON, renewed).await;
        let connected = || async { connect(server.port, &last, "shop-webhooks.default.svc").await.ok() };
        eventually(SOON, connected).await;
    }
}

#[tokio::test]
async fn a_secret_of_another_program_is_left_alone() {
    let cluster = Cluster::start().await;
    let secrets: Api<Secret> = Api::namespaced(cluster.client(), "default");
    let foreign = serde_json::from_value(json!({"metadata": {"name": "shop-webhook"}, "data": {"k": "dg=="}})).unwrap();
    let foreign = secrets.create(&PostParams::default(), &foreign).await.unwrap();
    let server = serve(&cluster, Source::SelfSigned(names())).await;
    let mut served = server.served.clone();
    let failed = tokio::time::timeout(SOON, served.wait_for(|served| served.error.is_some())).await.unwrap().unwrap();
    let error = failed.error.clone().unwrap();
    assert_eq!(
        error,
        "the Secret default/shop-webhook is not one of shop: delete it, or give the operator another name"
    );
    drop(failed);
    assert_eq!(secret(&cluster).await.unwrap(), foreign);
}

#[tokio::test]
async fn a_thousand_calls_at_a_time_are_answered() {
    let cluster = Cluster::start().await;
    let server = serve(&cluster, Source::SelfSigned(names())).await;
    ready(&server).await;
    let certificate = text(&secret(&cluster).await.unwrap(), "tls.crt");
    // One after the other: the time of a handshake is limited, and a thousand of them at a time take longer on a busy machine.
    let mut connections = Vec::new();
    for _ in 0..1000 {
        connections.push(connect(server.port, &certificate, "shop-webhooks.default.svc").await.unwrap());
    }
    let answers = futures::future::join_all(connections.iter_mut().map(|connection| get(connection, "/slow"))).await;
    let is_ok =
        |answer: &Result<http::Response<_>, _>| answer.as_ref().is_ok_and(|answer| answer.status() == StatusCode::OK);
    assert_eq!(answers.iter().filter(|answer| is_ok(answer)).count(), 1000);
}

#[tokio::test]
async fn a_server_that_stops_still_answers_and_closes_its_connections() {
    let cluster = Cluster::start().await;
    let server = serve(&cluster, Source::SelfSigned(names())).await;
    ready(&server).await;
    let certificate = text(&secret(&cluster).await.unwrap(), "tls.crt");
    let mut open = connect(server.port, &certificate, "shop-webhooks.default.svc").await.unwrap();
    assert_eq!(get(&mut open, "/fast").await.unwrap().headers().get("connection"), None);
    server.stop.cancel();
    assert_eq!(get(&mut open, "/fast").await.unwrap().headers()["connection"], "close");
    let mut new = connect(server.port, &certificate, "shop-webhooks.default.svc").await.unwrap();
    assert_eq!(get(&mut new, "/slow").await.unwrap().headers()["connection"], "close");
    server.serving.ended().await;
    assert!(TcpStream::connect(("127.0.0.1", server.port)).await.is_err());
}

#[tokio::test]
async fn bytes_that_are_no_tls_do_not_end_the_server() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let cluster = Cluster::start().await;
    let server = serve(&cluster, Source::SelfSigned(names())).await;
    ready(&server).await;
    for bytes in [&b"GET / HTTP/1.1\r\n\r\n"[..], &[0x16, 3, 1, 0xff, 0xff], &[]] {
        let mut stream = TcpStream::connect(("127.0.0.1", server.port)).await.unwrap();
        stream.write_all(bytes).await.unwrap();
        stream.shutdown().await.unwrap();
        let mut rest = Vec::new();
        // The server ends the connection, with or without an alert.
        let _ = stream.read_to_end(&mut rest).await;
    }
    let certificate = text(&secret(&cluster).await.unwrap(), "tls.crt");
    let mut sender = connect(server.port, &certificate, "shop-webhooks.default.svc").await.unwrap();
    assert_eq!(get(&mut sender, "/fast").await.unwrap().status(), StatusCode::OK);
}

#[tokio::test(start_paused = true)]
async fn a_certificate_in_files_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let write = |pair: &(String, String)| {
        std::fs::write(folder.path().join("tls.crt"), &pair.0).unwrap();
        std::fs::write(folder.path().join("tls.key"), &pair.1).unwrap();
    };
    let [first, second] = [(); 2].map(|()| super::certificate::tests_files());
    let cluster = Cluster::start().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let source = || Source::Files(Files::of(folder.path()));
    let refused = source().first().unwrap_err();
    assert!(refused.contains("tls.crt cannot be read"), "{refused}");
    write(&first);
    let (sender, served) = watch::channel(source().first().unwrap());
    let _serving = start(listener, source(), sender, cluster.client(), Router::new(), CancellationToken::new());
    let certificate = || served.borrow().certified.as_ref().unwrap().cert.clone();
    let before = certificate();
    assert!(served.borrow().expires.is_some(), "the alert about the certificate needs it");
    std::fs::write(folder.path().join("tls.key"), "no key").unwrap();
    tokio::time::sleep(Duration::from_secs(11)).await;
    assert_eq!(certificate(), before);
    write(&second);
    tokio::time::sleep(Duration::from_secs(11)).await;
    assert_ne!(certificate(), before);
}
