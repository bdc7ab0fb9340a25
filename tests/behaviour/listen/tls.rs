//! A listener over HTTPS, with the certificate of the webhook server.

use evenkeel::Operator;
use evenkeel::prelude::*;
use evenkeel_tests::listener::listening;
use evenkeel_tests::test_env::{Server, World};
use evenkeel_tests::widget::{Lab, definition, widget};

use crate::admission::kinds::{Repo, repo};
use crate::routes::client::{cluster, serve};

#[route(get, "/url", of = Repo)]
async fn url(repo: &Repo) -> Reply {
    Reply::text(&repo.spec.url)
}

#[tokio::test]
async fn the_pages_have_the_certificate_of_the_webhook_server() {
    let cluster = cluster().await;
    let client = cluster.client();
    let operator = Operator::new("routes").client(client.clone()).reconciler::<repo>(()).routes::<(url,)>(());
    let (operator, address) = listening(operator.listen_tls());
    let served = serve(operator, "routes", &client).await.at(address);
    for path in ["/healthz", "/metrics", "/debug/objects"] {
        assert_eq!(served.get(path).await.status, 200, "{path}");
    }
    served.running.stop().await.unwrap();
}

#[tokio::test]
async fn without_a_webhook_server_the_operator_does_not_start() {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    let (operator, _) = listening(world.prepare::<widget>(Lab::at("a")).listen_tls());
    let error = operator.run_until(std::future::pending()).await.unwrap_err().to_string();
    assert!(error.contains("no certificate") && error.contains("`--webhooks`"), "{error}");
}
