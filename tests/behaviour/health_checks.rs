//! Metrics and health checks of the author, on the listener of the operator.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use evenkeel::prometheus_client::metrics::counter::Counter;
use evenkeel_testkit::eventually;
use evenkeel_tests::listener::{get, listening, samples};
use evenkeel_tests::test_env::{Running, SOON, Server, World};
use evenkeel_tests::widget::{Lab, definition, widget};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn own_metrics_and_checks_are_served_with_those_of_the_framework() {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    let (downloads, is_up) = (Counter::<u64>::default(), Arc::new(AtomicBool::new(true)));
    let (counted, asked) = (downloads.clone(), is_up.clone());
    let operator = world.prepare::<widget>(Lab::at("a"));
    let operator = operator.register_metrics(|registry| registry.register("mirror_downloads", "Downloads", counted));
    let operator = operator.healthz_check("disk", async || Ok::<_, String>(())).readyz_check("upstream", move || {
        let is_up = asked.load(Ordering::SeqCst);
        async move { if is_up { Ok(()) } else { Err("connection refused") } }
    });
    let (operator, address) = listening(operator);
    let running = Running::start(operator);
    eventually(SOON, || async { (get(address, "/readyz").await.status == 200).then_some(()) }).await;
    downloads.inc_by(3);
    let served = samples(address).await;
    assert_eq!(served.get("mirror_downloads_total"), Some(&3.0), "{served:?}");
    assert!(served.keys().any(|name| name.starts_with("workqueue_depth")), "{served:?}");
    let metrics = get(address, "/metrics").await.body;
    assert_eq!(metrics.matches("# EOF").count(), 1, "{metrics}");
    assert_eq!(get(address, "/healthz").await.body, "ok\n[+]disk ok\n");
    assert_eq!(get(address, "/readyz").await.body, "ready\n[+]upstream ok\n");
    is_up.store(false, Ordering::SeqCst);
    let unready = get(address, "/readyz").await;
    assert_eq!((unready.status, &*unready.body), (503, "not ready\n[-]upstream failed: connection refused\n"));
    assert_eq!(get(address, "/healthz").await.status, 200, "only readiness depends on it");
    running.stop().await.unwrap();
}

#[tokio::test]
async fn a_metric_of_the_framework_cannot_be_registered() {
    let world = World::on(Server::InProcess).await.unwrap();
    let operator = world.prepare::<widget>(Lab::at("a")).register_metrics(|registry| {
        registry.register("workqueue_depth", "Mine", Counter::<u64>::default());
    });
    let refused = Running::start(listening(operator).0).stop().await.unwrap_err();
    assert!(refused.to_string().contains("workqueue_depth"), "{refused}");
}
