//! Shards on each server.

use evenkeel_tests::on_each_server;

use super::fleet::{Replica, held};
use super::*;

on_each_server!(replicas_share_the_shards_and_hand_them_over);

fn quick(world: &World, shard_mode: ShardMode) -> Replica {
    let (namespace, shards) = (Some(world.namespace.clone()), NonZeroU16::new(4));
    let (lease, deadline, renew) = (5 * SECOND, 3 * SECOND, SECOND);
    Replica::start_as(world, None, |operator| {
        operator.replicas_with(Replicas {
            lease,
            deadline,
            renew,
            namespace,
            shards,
            shard_mode,
            ..Replicas::default()
        })
    })
}

async fn until_held(world: &World, wanted: &[usize]) {
    eventually(SOON, || async { (held(world).await.into_values().collect::<Vec<_>>() == wanted).then_some(()) }).await;
}

async fn replicas_share_the_shards_and_hand_them_over(world: World) -> World {
    shared_in(world, ShardMode::Here).await
}

/// Two replicas share the shards, one of them crashes, and the other one has all of them.
pub(super) async fn shared_in(world: World, mode: ShardMode) -> World {
    world.install(&definition()).await;
    let first = quick(&world, mode);
    until_held(&world, &[4]).await;
    for at in 0..8 {
        world.create::<Widget>(a_widget(&format!("w{at}"), json!({}))).await;
    }
    let ready = async || {
        for at in 0..8 {
            world.until::<Widget>(&format!("w{at}"), "reconciled", is_ready).await;
        }
    };
    ready().await;
    let second = quick(&world, mode);
    until_held(&world, &[2, 2]).await;
    let passes = (first.lab.passes(), second.lab.passes());
    assert_eq!(passes, (8, 0), "a move runs no body");
    for at in 0..8 {
        world.merge::<Widget>(&format!("w{at}"), json!({ "spec": { "child": "changed" } })).await;
    }
    let changed = |widget: &serde_json::Value| is_ready(widget) && widget["spec"]["child"] == "changed";
    for at in 0..8 {
        world.until::<Widget>(&format!("w{at}"), "reconciled", changed).await;
    }
    assert_eq!(first.lab.passes() + second.lab.passes(), 16, "each change is reconciled by one of them");
    first.running.crash().await;
    until_held(&world, &[4]).await;
    second.running.stop().await.unwrap();
    world
}
