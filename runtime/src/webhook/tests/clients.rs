//! Clients and replicas that do not fit: too many, slow, of another name.

use tokio::io::AsyncWriteExt;

use super::*;

const NAME: &str = "shop-webhooks.default.svc";

/// A server that is ready, and its certificate.
async fn ready_server(cluster: &Cluster, names: Names) -> (Server, String) {
    let server = serve(cluster, Source::SelfSigned(names)).await;
    ready(&server).await;
    let certificate = text(&secret(cluster).await.unwrap(), "tls.crt");
    (server, certificate)
}

async fn is_answered(port: u16, bundle: &str, name: &str) -> bool {
    let Ok(mut sender) = connect(port, bundle, name).await else { return false };
    get(&mut sender, "/fast").await.is_ok_and(|answer| answer.status() == StatusCode::OK)
}

/// More connections than the server keeps: those that have been idle longest are closed.
#[tokio::test]
async fn a_call_is_answered_after_5000_idle_connections() {
    let cluster = Cluster::start().await;
    let (server, certificate) = ready_server(&cluster, names()).await;
    let mut first = connect(server.port, &certificate, NAME).await.unwrap();
    get(&mut first, "/fast").await.unwrap();
    let mut idle = Vec::new();
    for _ in 0..5000 {
        idle.push(TcpStream::connect(("127.0.0.1", server.port)).await.unwrap());
    }
    assert!(is_answered(server.port, &certificate, NAME).await);
    let is_closed = || async { first.is_closed().then_some(()) };
    eventually(SOON, is_closed).await;
}

#[tokio::test]
async fn a_client_that_sends_half_a_request_holds_up_no_other() {
    let cluster = Cluster::start().await;
    let (server, certificate) = ready_server(&cluster, names()).await;
    let mut slow = Vec::new();
    for number in 0..100 {
        let mut stream = TcpStream::connect(("127.0.0.1", server.port)).await.unwrap();
        // The first bytes of a handshake, or none.
        stream.write_all(&[0x16, 3, 1, 2, 0][..number % 6]).await.unwrap();
        slow.push(stream);
    }
    assert!(is_answered(server.port, &certificate, NAME).await);
}

#[tokio::test]
async fn a_client_with_another_name_does_not_trust_the_server() {
    let cluster = Cluster::start().await;
    let (server, certificate) = ready_server(&cluster, names()).await;
    let error = connect(server.port, &certificate, "other.default.svc").await.err().unwrap();
    assert!(error.contains("not valid for name"), "{error}");
    assert!(is_answered(server.port, &certificate, NAME).await);
}

/// A roll-out that moves the webhooks to another Service: the replicas of both have one certificate, and do not fight for it.
#[tokio::test]
async fn replicas_with_two_services_share_one_certificate() {
    let cluster = Cluster::start().await;
    let (old, _) = ready_server(&cluster, names()).await;
    let moved = Names { service: "shop-hooks".to_owned(), ..names() };
    let (new, _) = ready_server(&cluster, moved).await;
    let shared = || async {
        let certificate = text(&secret(&cluster).await?, "tls.crt");
        for port in [old.port, new.port] {
            for name in [NAME, "shop-hooks.default.svc"] {
                is_answered(port, &certificate, name).await.then_some(())?;
            }
        }
        Some(certificate)
    };
    let certificate = eventually(SOON, shared).await;
    let version = secret(&cluster).await.unwrap().metadata.resource_version;
    // A change of a configuration makes both look again, and each puts the bundle into it.
    cluster.seed(configuration("ValidatingWebhookConfiguration", &["shop-webhooks"])).await.unwrap();
    let spread = || async {
        let bundles = bundles(&cluster, "validatingwebhookconfigurations").await;
        bundles[0].as_ref().is_some_and(|bundle| bundle.starts_with(&certificate)).then_some(())
    };
    eventually(SOON, spread).await;
    let after = secret(&cluster).await.unwrap();
    assert_eq!((text(&after, "tls.crt"), after.metadata.resource_version), (certificate.clone(), version));
    let writes = cluster.log().requests().writes().resource("secrets").entries().len();
    assert_eq!(writes, 2, "one creation, and one replacement");
}
