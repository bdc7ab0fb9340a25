//! The whole chain: a service account calls a route over TLS, and a real API server reviews its token and its right.

use evenkeel::Operator;
use evenkeel::prelude::*;
use evenkeel_testkit::eventually;
use evenkeel_tests::test_env::{SOON, Server, World, show};
use kube::api::PostParams;
use kube::{Api, CustomResourceExt};

use super::client::{AUDIENCE, allow_in, serve, token, web};
use crate::admission::kinds::{Repo, repo};

#[route(get, "/url", of = Repo)]
async fn url(repo: &Repo, request: Call<'_>) -> Reply {
    Reply::text(format!("{} {}", request.user().username.clone().unwrap_or_default(), repo.spec.url))
}

async fn a_service_account_calls_a_route(world: World) -> World {
    world.install(&Repo::crd()).await;
    let client = world.client.clone();
    Api::namespaced(client.clone(), &world.namespace).create(&PostParams::default(), &web("web")).await.unwrap();
    let name = format!("routes-{}", world.namespace);
    let operator = Operator::new(&name)
        .client(client.clone())
        .namespaces([&world.namespace])
        .reconciler::<repo>(())
        .routes::<(url,)>(());
    let mut served = serve(operator, &name, &client).await;
    let path = format!("/apis/tests.evenkeel.dev/v1/namespaces/{}/repos/web/url", world.namespace);
    served.token = Some(token(&client, &name, "another").await);
    assert_eq!(served.get(&path).await.status, 401);
    served.token = Some(token(&client, &name, AUDIENCE).await);
    // A server without RBAC allows it at once.
    let first = served.get(&path).await.status;
    assert!(first == 403 || first == 200, "{first}");
    allow_in(&client, &world.namespace, (&name, &["get"], "url")).await;
    let allowed = || async {
        let answer = served.get(&path).await;
        (answer.status == 200).then_some(answer)
    };
    let answer = eventually(SOON, allowed).await;
    let account = format!("system:serviceaccount:{}:{name}", client.default_namespace());
    assert_eq!(answer.text(), format!("{account} https://example.com/web"));
    served.running.crash().await;
    world
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn in_process() {
    show(Server::InProcess, a_service_account_calls_a_route).await;
}

/// The other real server has no tokens of service accounts.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn full() {
    show(Server::Full, a_service_account_calls_a_route).await;
}
