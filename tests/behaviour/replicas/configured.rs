//! A replica with a configuration, as in a cluster: over a socket, with the fenced client.

use kube::Config;
use kube::config::{KubeConfigOptions, Kubeconfig};

use super::*;

#[tokio::test]
async fn the_writes_of_a_replica_end_on_the_server_with_its_term() {
    let world = world().await;
    let serving = world.cluster().serve().await.unwrap();
    let file = Kubeconfig::from_yaml(&serving.kubeconfig()).unwrap();
    let config = Config::from_custom_kubeconfig(file, &KubeConfigOptions::default()).await.unwrap();
    let namespace = Some(world.namespace.clone());
    let (lease, deadline, renew) = (5 * SECOND, 3 * SECOND, SECOND);
    let operator = Operator::new("shop").config(config).namespaces([&world.namespace]);
    let operator = operator.reconciler::<widget>(Lab::at("a"));
    let running =
        Running::start(operator.replicas_with(Replicas { lease, deadline, renew, namespace, ..Replicas::default() }));
    worked(&world, "w").await;
    // A stop sends the events that are left.
    running.stop().await.unwrap();
    let log = world.cluster().log();
    let sent = log.filter(|entry| entry.is_write() && entry.user_agent.starts_with("shop"));
    let limits = |events: bool| {
        let chosen =
            sent.iter().filter(move |entry| entry.resource != "leases" && (entry.resource == "events") == events);
        chosen.map(|entry| entry.query.contains("timeout=")).collect::<Vec<_>>()
    };
    let (writes, events) = (limits(false), limits(true));
    assert!(!writes.is_empty() && writes.iter().all(|is_limited| *is_limited), "{sent:#?}");
    assert!(!events.is_empty() && events.iter().all(|is_limited| !is_limited), "{sent:#?}");
}
