//! Writes over real sockets: no complete one arrives after the end of the term.

mod real;
mod server;

use std::thread;
use std::time::Duration;

use http::Request;
use kube::client::Body;

use self::server::{Manner, Server, reaches};
use super::*;
use crate::client::{Ended, FenceRule};
use crate::leadership::Leadership;

const MAPS: &str = "/api/v1/namespaces/a/configmaps";

/// A fenced client of HTTP/1.1, since the server of these tests counts the connections that are used.
fn http1(config: Config) -> Result<Client, Error> {
    client(config, "test", Writes::Fenced, Versions::Http1)
}

async fn get(client: &Client) -> Result<(), Error> {
    client.send(Request::get(MAPS).body(Body::empty()).unwrap()).await.map(drop)
}

async fn post(client: Client, rule: FenceRule) -> Result<(), Error> {
    let mut request = Request::post(MAPS).body(Body::from(b"{}".to_vec())).unwrap();
    request.extensions_mut().insert(rule);
    client.send(request).await.map(drop)
}

/// Sends a write, and ends the term while its connection, the last of these, is being made. Returns the complete writes that arrived.
async fn written(manner: Manner, connections: u32, ends: bool) -> (Result<(), Error>, Vec<String>) {
    let (server, config, _running) = Server::start(manner);
    let client = http1(config).unwrap();
    let gate = Leadership::open();
    if connections == 2 {
        let read = get(&client).await;
        assert_eq!(read.is_ok(), manner == Manner::ClosesAfterResponse, "{read:?}");
        // The client does not run meanwhile, so it finds the connection of the read in its pool.
        while server.closed.available_permits() == 0 {
            thread::sleep(Duration::from_millis(1));
        }
    }
    let mut write = tokio::spawn(post(client.clone(), FenceRule::Permit(gate.permit())));
    loop {
        tokio::select! {
            () = reaches(&server.accepted, connections) => break,
            // It was sent over the connection that the server had closed.
            _ = &mut write => write = tokio::spawn(post(client.clone(), FenceRule::Permit(gate.permit()))),
        }
    }
    if ends {
        gate.close();
    }
    server.released.add_permits(1);
    let answer = write.await.unwrap();
    drop(client);
    reaches(&server.closed, connections).await;
    (answer, server.complete().into_iter().filter(|head| head.starts_with("POST")).collect())
}

#[tokio::test]
async fn no_write_arrives_over_a_connection_that_is_ready_after_the_term() {
    let manners = [
        (Manner::SlowHandshake, 1),
        #[cfg(feature = "proxy")]
        (Manner::SlowProxy, 1),
        (Manner::ClosesAfterResponse, 2),
        (Manner::ClosesAfterHead, 2),
    ];
    for (manner, connections) in manners {
        let (answer, arrived) = written(manner, connections, false).await;
        assert!(answer.is_ok(), "{manner:?}: {answer:?}");
        assert_eq!(arrived.len(), 1, "{manner:?}: {arrived:?}");
        let (answer, arrived) = written(manner, connections, true).await;
        assert!(Ended::is_cause_of(&answer.unwrap_err()), "{manner:?}");
        assert!(arrived.is_empty(), "{manner:?}: {arrived:?}");
    }
}

#[tokio::test]
async fn a_second_write_of_a_silent_server_is_held_back() {
    let (server, config, _running) = Server::start(Manner::Silent);
    let client = http1(config).unwrap();
    let gate = Leadership::open();
    let rule = FenceRule::Permit(gate.permit());
    let first = tokio::spawn(post(client.clone(), rule.clone()));
    while server.complete().is_empty() {
        tokio::task::yield_now().await;
    }
    gate.close();
    let error = post(client.clone(), rule).await.unwrap_err();
    assert!(Ended::is_cause_of(&error), "{error}");
    assert!(!first.is_finished());
    first.abort();
    drop(client);
    reaches(&server.closed, 1).await;
    assert_eq!(server.complete().len(), 1);
}

#[tokio::test]
async fn a_request_has_the_base_path_the_credentials_and_the_headers_of_the_configuration() {
    let (server, mut config, _running) = Server::start(Manner::SlowHandshake);
    server.released.add_permits(1);
    config.cluster_url = format!("{}k8s/clusters/c/", config.cluster_url).parse().unwrap();
    config.auth_info.token = Some("secret".to_owned().into());
    config.auth_info.impersonate = Some("jane".into());
    config.headers = vec![("x-extra".parse().unwrap(), "1".parse().unwrap())];
    get(&client(config, "test/1 evenkeel", Writes::Fenced, Versions::Http1).unwrap()).await.unwrap();
    let complete = server.complete().concat();
    for line in [
        &*format!("GET /k8s/clusters/c{MAPS} HTTP/1.1"),
        "authorization: Bearer secret",
        "impersonate-user: jane",
        "x-extra: 1",
        "user-agent: test/1 evenkeel",
    ] {
        assert!(complete.lines().any(|found| found == line), "{line}: {complete}");
    }
}

#[cfg(not(feature = "proxy"))]
#[tokio::test]
async fn a_proxy_without_the_feature_is_refused_by_its_name() {
    let mut config = Config::new("https://127.0.0.1:1".parse().unwrap());
    config.proxy_url = Some("http://127.0.0.1:2".parse().unwrap());
    let error = http1(config).map(drop).unwrap_err().to_string();
    assert!(error.ends_with("requires the disabled feature \"evenkeel/proxy\""), "{error}");
}
