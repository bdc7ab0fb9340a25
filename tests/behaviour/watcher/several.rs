//! Several watchers of one kind.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use evenkeel::prelude::*;
use evenkeel_testkit::Cluster;
use evenkeel_tests::listener::{get, listening};
use evenkeel_tests::test_env::{Running, World};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt;

use super::bare::a_map_named;
use super::service::{Service, finalizers};

/// Watchers that log their calls.
macro_rules! loggers {
    ($($name:ident of $kind:ident as $word:literal: [$($args:tt)*];)*) => { $(
        struct $name(Arc<Service>);

        #[watcher($($args)*)]
        impl $name {
            async fn add(&self, object: &$kind) -> Result<(), Infallible> {
                let _ = self.0.called($word, &format!("adds {}", object.name_any()));
                Ok(())
            }

            async fn delete(&self, object: &$kind) -> Result<(), Infallible> {
                let _ = self.0.called($word, &format!("deletes {}", object.name_any()));
                Ok(())
            }
        }
    )* };
}

loggers! {
    Quotas of ConfigMap as "quotas": [bare, finalizer = "tests.evenkeel.dev/quotas"];
    Owners of ConfigMap as "owners": [bare, finalizer = "tests.evenkeel.dev/owners"];
    Index of ConfigMap as "index": [plain];
    Names of ConfigMap as "names": [plain];
}

#[tokio::test(start_paused = true)]
async fn watchers_without_a_status_share_a_kind() {
    let (world, service) = (World::within(Cluster::start().await), Service::new());
    let operator = world.prepare::<Quotas>(Quotas(service.clone())).watcher::<Owners>(Owners(service.clone()));
    let operator = operator.watcher::<Index>(Index(service.clone())).watcher::<Names>(Names(service.clone()));
    let (operator, address) = listening(operator);
    let operator = Running::start(operator);
    let map = world.create::<ConfigMap>(a_map_named("a", "one")).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(finalizers(&map).is_empty());
    let held: BTreeSet<_> = world.api::<ConfigMap>().get("a").await.unwrap().finalizers().iter().cloned().collect();
    assert_eq!(held, BTreeSet::from(["tests.evenkeel.dev/owners".into(), "tests.evenkeel.dev/quotas".into()]));
    // Prometheus rejects a page with a series that is there twice.
    let page = get(address, "/metrics").await.body;
    let series: Vec<&str> = page.lines().filter_map(|line| line.rsplit_once(' ')).map(|(name, _)| name).collect();
    assert_eq!(series.len(), series.iter().collect::<BTreeSet<_>>().len());
    world.delete::<ConfigMap>("a").await;
    world.until_gone::<ConfigMap>("a").await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    for word in ["quotas", "owners", "index", "names"] {
        let calls = service.calls().into_iter().filter(|call| call.starts_with(word)).collect::<Vec<_>>();
        assert_eq!(calls, [format!("{word} adds a"), format!("{word} deletes a")]);
    }
    operator.stop().await.unwrap();
}
