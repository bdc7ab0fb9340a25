//! How many connections a client opens, and what happens when they end.

mod server;

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::time::Duration;

use evenkeel_testkit::eventually;
use futures::StreamExt;
use futures::stream::FuturesUnordered;
use http_body::Body as _;
use kube::Client;
use kube::client::Body;

use self::server::{End, Server};
use super::*;
use crate::client::stack::{configured, fenced};
use crate::client::{Ended, FenceRule, chain};
use crate::leadership::Leadership;

const MINUTE: Duration = Duration::from_secs(60);
const MAPS: &str = "/api/v1/configmaps";

async fn get(client: &Client) -> Result<(), Error> {
    client.request_text(Request::get(MAPS).body(Vec::new()).unwrap()).await.map(drop)
}

/// Starts so many watches at once, and returns their bodies after the first bytes.
async fn watches(client: &Client, count: usize) -> Vec<Body> {
    let starting: FuturesUnordered<_> = (0..count).map(|_| watch(client)).collect();
    starting.collect().await
}

async fn watch(client: &Client) -> Body {
    let request = Request::get(format!("{MAPS}?watch=true")).body(Body::empty()).unwrap();
    let mut body = client.send(request).await.unwrap().into_body();
    next(&mut body).await.unwrap().unwrap();
    body
}

async fn next(body: &mut Body) -> Option<Result<http_body::Frame<bytes::Bytes>, Error>> {
    poll_fn(|cx| Pin::new(&mut *body).poll_frame(cx)).await
}

#[tokio::test]
async fn a_thousand_watches_share_connections() {
    for (streams, connections) in [(100, 10), (250, 8), (1_000_000, 8), (10, 100)] {
        let server = Server::start(Some(streams)).await;
        let client = server.client();
        let open = watches(&client, 1_000).await;
        assert_eq!(server.accepted(), connections, "{streams} streams on a connection");
        for _ in 0..3 {
            get(&client).await.unwrap();
        }
        assert!(server.accepted() <= connections + 1, "{streams} streams on a connection");
        drop(open);
        // A stream is free again when its body is dropped.
        drop(watches(&client, 1_000).await);
        assert!(server.accepted() <= connections + 1, "{streams} streams on a connection");
    }
}

#[tokio::test]
async fn a_server_of_http1_gets_a_connection_for_each_watch() {
    let server = Server::start(None).await;
    let client = server.client();
    get(&client).await.unwrap();
    // The first one was not used: it showed that the server does not speak HTTP/2.
    assert_eq!(server.accepted(), 2);
    let _open = watches(&client, 20).await;
    assert!((21..=22).contains(&server.accepted()), "{}", server.accepted());
}

#[tokio::test]
async fn watches_go_on_while_a_server_shuts_down_and_new_requests_use_new_connections() {
    let server = Server::start(Some(100)).await;
    let client = server.client();
    let mut open = watches(&client, 300).await;
    assert_eq!(server.accepted(), 3);
    server.end(End::Gracefully);
    // Each closed connection is noticed with its next frames; a request that was refused is sent again.
    let new = watches(&client, 300).await;
    eventually(MINUTE, async || (server.accepted() == 6).then_some(())).await;
    for body in &mut open {
        let nothing = futures::poll!(pin!(next(body)));
        assert!(nothing.is_pending(), "a watch has ended: {nothing:?}");
    }
    drop(new);
    drop(watches(&client, 300).await);
    assert_eq!(server.accepted(), 6);
}

#[tokio::test]
async fn a_broken_connection_ends_its_watches_and_is_opened_again_once() {
    let server = Server::start(Some(100)).await;
    let client = server.client();
    let mut open = watches(&client, 300).await;
    server.end(End::AtOnce);
    for body in &mut open {
        let end = next(body).await;
        assert!(matches!(end, Some(Err(_))), "{end:?}");
    }
    let _again = watches(&client, 300).await;
    assert_eq!(server.accepted(), 6);
}

#[tokio::test]
async fn all_requests_get_the_error_of_the_connection_they_wait_for() {
    let server = Server::start(Some(100)).await;
    let mut config = server.config();
    // It trusts no certificate of this server.
    config.root_cert = Some(Vec::new());
    let client = configured(config, "test").unwrap();
    let failing: FuturesUnordered<_> = (0..100).map(|_| get(&client)).collect();
    let errors: Vec<_> = failing.collect().await;
    for error in &errors {
        let error = chain(error.as_ref().unwrap_err());
        assert!(error.contains("cannot connect to the API server") && error.contains("certificate"), "{error}");
    }
    assert!(server.accepted() < 10, "{} connections for {} requests", server.accepted(), errors.len());
}

#[tokio::test]
async fn a_write_that_waits_for_a_connection_does_not_arrive_after_the_term() {
    for ends in [false, true] {
        let server = Server::silent(Some(100)).await;
        let client = fenced(server.config(), "test").unwrap();
        let gate = Leadership::open();
        let mut request = Request::post(MAPS).body(Body::from(b"{}".to_vec())).unwrap();
        request.extensions_mut().insert(FenceRule::Permit(gate.permit()));
        let sender = client.clone();
        let write = tokio::spawn(async move { sender.send(request).await });
        eventually(MINUTE, async || (server.accepted() == 1).then_some(())).await;
        if ends {
            gate.close();
        }
        server.begin();
        let answer = write.await.unwrap();
        assert_eq!(answer.as_ref().is_err_and(|error| Ended::is_cause_of(error)), ends, "{answer:?}");
        // A later request over the same connection: the server has seen all of the write by then.
        get(&client).await.unwrap();
        assert_eq!(server.complete(), if ends { 1 } else { 2 });
    }
}
