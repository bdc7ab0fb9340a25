//! The webhooks and probes of two replicas: the standby reviews writes as the leader does.

use std::net::SocketAddr;
use std::time::Duration;

use evenkeel::Replicas;
use evenkeel::admission::WebhookTarget;
use evenkeel_testkit::eventually;
use evenkeel_tests::listener::{get, listening};
use evenkeel_tests::on_each_server;
use evenkeel_tests::test_env::{Running, SOON, World};
use kube::{Api, CustomResourceExt};

use super::kinds::Repo;
use super::server::{called, configure, remove, replica};

on_each_server!(both_replicas_review_writes_and_are_ready);

/// A replica, the URL of its webhooks, and the address of its probes.
struct Pod {
    running: Running,
    target: WebhookTarget,
    probes: SocketAddr,
}

impl Pod {
    fn start(world: &World, name: &str) -> Self {
        let (operator, target) = replica(world.client.clone(), name, &world.namespace);
        let second = Duration::from_secs(1);
        let (lease, deadline, renew, namespace) = (5 * second, 3 * second, second, Some(world.namespace.clone()));
        let replicas = Replicas { lease, deadline, renew, namespace, ..Replicas::default() };
        let (operator, probes) = listening(operator.test_client(world.client.clone()).replicas_with(replicas));
        Self { running: Running::start(operator), target, probes }
    }

    /// Waits until it is ready, with this role.
    async fn is_ready_as(&self, role: &str) {
        eventually(SOON, || async {
            let ready = get(self.probes, "/readyz").await;
            let line = format!("[+]leader-election ok: {role}");
            (ready.status == 200 && ready.body.contains(&line) && ready.body.contains("[+]webhooks ok")).then_some(())
        })
        .await;
        assert_eq!(get(self.probes, "/healthz").await.status, 200);
    }

    /// Lets the API server call this replica alone, and waits until its reviews change and refuse writes.
    async fn reviews(&self, world: &World, name: &str) {
        let (printer, _) = replica(world.client.clone(), name, &world.namespace);
        configure(world, &printer, &self.target).await;
        called(&Api::<Repo>::namespaced(world.client.clone(), &world.namespace)).await;
        remove(world, name).await;
    }
}

async fn both_replicas_review_writes_and_are_ready(world: World) -> World {
    world.install(&Repo::crd()).await;
    let name = format!("reviewer-{}", world.namespace);
    let first = Pod::start(&world, &name);
    first.is_ready_as("leader").await;
    let second = Pod::start(&world, &name);
    second.is_ready_as("standby of ").await;
    second.reviews(&world, &name).await;
    first.reviews(&world, &name).await;
    first.is_ready_as("leader").await;
    second.is_ready_as("standby of ").await;
    first.running.stop().await.unwrap();
    second.is_ready_as("leader").await;
    second.reviews(&world, &name).await;
    second.running.crash().await;
    world
}
