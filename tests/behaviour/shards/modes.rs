//! Where the objects of a shard are selected: by the API server, or in the replica.

use super::fleet::{Fleet, Replica};
use super::*;

const OBJECTS: usize = 40;

/// Scales a fleet up and down while its objects change. Returns how many bodies have run.
async fn scaled(cluster: Cluster, mode: ShardMode) -> usize {
    let mut fleet = Fleet::on(cluster, mode, 1).await;
    fleet.create(OBJECTS).await;
    let mut stopped = 0;
    for (round, replicas) in [4, 8, 3].into_iter().enumerate() {
        let leaving: usize = fleet.replicas.iter().skip(replicas).map(|replica| replica.lab.passes()).sum();
        let took = fleet.scale(replicas).await;
        assert!(took <= 30 * SECOND, "{replicas} replicas: {took:?}");
        stopped += leaving;
        for at in 0..OBJECTS {
            let change = json!({ "spec": { "child": format!("round-{round}") } });
            fleet.world.merge::<Widget>(&format!("w{at}"), change).await;
        }
        sleep(60 * SECOND).await;
        fleet.until_ready(OBJECTS).await;
    }
    let passes = fleet.passes();
    assert!(passes.iter().all(|passes| *passes > 0), "{passes:?}");
    fleet.stop().await;
    stopped + passes.iter().sum::<usize>()
}

#[tokio::test(start_paused = true)]
async fn both_modes_run_each_body_once() {
    let here = scaled(Cluster::start().await, ShardMode::Here).await;
    let server = scaled(Cluster::builder().sharding().start().await, ShardMode::Server).await;
    assert_eq!((here, server), (4 * OBJECTS, 4 * OBJECTS));
}

#[tokio::test(start_paused = true)]
async fn with_the_api_server_a_replica_receives_only_its_objects() {
    let cluster = Cluster::builder().sharding().start().await;
    let fleet = Fleet::on(cluster, ShardMode::Server, 2).await;
    fleet.create(OBJECTS).await;
    for replica in &fleet.replicas {
        let of_widgets = |call: &evenkeel_tests::recording_client::Call| {
            call.path.ends_with("/widgets") && (call.is_watch() || call.is_list())
        };
        let all = replica.wire.count(of_widgets);
        let selected = replica.wire.count(|call| of_widgets(call) && call.query.contains("shardSelector=shardRange"));
        // One request detects the feature.
        assert!(selected >= 8 && all - selected <= 1, "{selected} of {all}");
    }
    fleet.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_crash_of_a_replica_loses_no_object_of_the_server_mode() {
    let cluster = Cluster::builder().sharding().start().await;
    let mut fleet = Fleet::on(cluster, ShardMode::Server, 3).await;
    fleet.create(OBJECTS).await;
    fleet.replicas.remove(0).running.crash().await;
    for at in 0..OBJECTS {
        fleet.world.merge::<Widget>(&format!("w{at}"), json!({ "spec": { "child": "changed" } })).await;
    }
    fleet.until_fair().await;
    sleep(10 * SECOND).await;
    let changed = |widget: &serde_json::Value| is_ready(widget) && widget["spec"]["child"] == "changed";
    for at in 0..OBJECTS {
        fleet.world.until::<Widget>(&format!("w{at}"), "reconciled", changed).await;
    }
    fleet.stop().await;
}

fn in_server_mode(operator: Operator, world: &World) -> Operator {
    let (namespace, shards) = (Some(world.namespace.clone()), NonZeroU16::new(4));
    operator.replicas_with(Replicas { namespace, shards, shard_mode: ShardMode::Server, ..Replicas::default() })
}

#[tokio::test(start_paused = true)]
async fn an_api_server_without_the_feature_is_named_at_the_start() {
    let world = World::within(Cluster::start().await);
    world.install(&definition()).await;
    let replica = Replica::start_as(&world, None, |operator| in_server_mode(operator, &world));
    sleep(SECOND).await;
    assert!(replica.running.is_finished());
    let error = replica.running.stop().await.unwrap_err().to_string();
    assert!(
        error.contains("does not select the shards of widgets") && error.contains("ShardedListAndWatch"),
        "{error}"
    );
}

#[tokio::test(start_paused = true)]
async fn an_operator_that_needs_all_objects_is_rejected_in_the_server_mode() {
    let cluster = Cluster::builder().sharding().start().await;
    let world = World::within(cluster);
    world.install(&definition()).await;
    let operator = world.prepare::<crate::depend::ordered>(Lab::at("a"));
    let operator = operator.test_client(world.client.clone());
    let error = Running::start(in_server_mode(operator, &world)).stop().await.unwrap_err().to_string();
    assert!(error.contains("`ordered` has `depends_on`") && error.contains("--shard-mode here"), "{error}");
}
