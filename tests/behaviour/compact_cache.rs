//! A compact cache: objects are text until they are read, and nothing else differs.

use std::num::NonZeroUsize;

use evenkeel::Operator;
use evenkeel_tests::on_each_server;
use evenkeel_tests::running::Running;
use evenkeel_tests::test_env::World;
use evenkeel_tests::widget::{Lab, Widget, a_widget, definition, is_ready, widget};
use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::{Value, json};

on_each_server!(a_compact_cache_writes_as_one_of_whole_objects,);

/// Each life has its own names: a real server still collects the children of the first one when the second begins.
const WHOLE: [&str; 4] = ["a", "b", "c", "d"];
const COMPACT: [&str; 4] = ["e", "f", "g", "h"];

fn is_ready_at(generation: i64) -> impl Fn(&Value) -> bool {
    move |object| is_ready(object) && object["status"]["observedGeneration"] == generation
}

/// The life of four objects. Returns the number of writes when they are created.
async fn life(world: &World, names: [&str; 4], cached: fn(Operator) -> Operator) -> usize {
    let lab = Lab::at("a");
    let start = || Running::start(cached(world.prepare::<widget>(lab.clone())));
    world.wire.clear();
    let operator = start();
    for name in names {
        world.create::<Widget>(a_widget(name, json!({ "child": "x" }))).await;
        world.until::<Widget>(name, "ready", is_ready).await;
    }
    world.quiet().await;
    let created = world.writes();
    // Each object is read again after the others.
    for child in ["y", "z"] {
        for name in names {
            world.merge::<Widget>(name, json!({ "spec": { "child": child } })).await;
        }
    }
    for name in names {
        world.until::<Widget>(name, "ready", is_ready_at(3)).await;
        world.until::<ConfigMap>(name, "the last child", |child| child["data"]["data"] == "z").await;
    }
    world.quiet().await;
    let before = lab.passes();
    operator.stop().await.unwrap();
    world.wire.clear();
    let operator = start();
    world.quiet().await;
    assert_eq!((lab.passes(), world.writes()), (before, 0), "nothing has changed at the restart");
    world.merge::<ConfigMap>(names[1], json!({ "data": { "data": "drifted" } })).await;
    world.until::<ConfigMap>(names[1], "repaired", |child| child["data"]["data"] == "z").await;
    for name in names {
        world.delete::<Widget>(name).await;
        world.until_gone::<Widget>(name).await;
    }
    assert_eq!(lab.cleanups(), names.len());
    operator.stop().await.unwrap();
    created
}

async fn a_compact_cache_writes_as_one_of_whole_objects(world: World) -> World {
    world.install(&definition()).await;
    let whole = life(&world, WHOLE, |operator| operator).await;
    let compact = life(&world, COMPACT, |operator| operator.compact_cache(NonZeroUsize::MIN)).await;
    assert_eq!(compact, whole);
    world
}
