//! Objects that another build left: the present one runs no body for them and writes nothing.

use std::collections::BTreeSet;
use std::sync::Arc;

use evenkeel::Operator;
use evenkeel_tests::test_env::World;
use evenkeel_tests::widget::Lab;
use serde_json::Value;

use crate::objects::file;
use crate::operators;
use crate::scene::{Scene, Stage};
use crate::scenes::scenes;

/// The scene whose objects asked an index: before indexes had names, the status held the path of the type.
const INDEX: &str = "index";

fn kept(folder: &str, scene: &Scene) -> Value {
    serde_json::from_str(&std::fs::read_to_string(file(folder, &format!("{}.json", scene.name))).unwrap()).unwrap()
}

/// The bodies that ran and the writes that were sent, events among them, in one life of the operator.
async fn lived(stage: &Stage, operator: fn(&World, &Arc<Lab>) -> Operator) -> (BTreeSet<String>, usize) {
    stage.world.wire.clear();
    stage.live(operator).await;
    let writes = stage.world.wire.count(evenkeel_tests::recording_client::Call::is_write);
    (stage.lab.take_log().into_iter().collect(), writes)
}

fn lines(lines: &[&str]) -> BTreeSet<String> {
    lines.iter().map(ToString::to_string).collect()
}

#[tokio::test(start_paused = true)]
async fn objects_that_an_earlier_build_left_are_not_reconciled_anew() {
    for scene in scenes().iter().filter(|scene| scene.name != INDEX) {
        for folder in ["before", "objects"] {
            let stage = scene.restored(&kept(folder, scene)).await;
            assert_eq!(lived(&stage, scene.operator).await, (lines(scene.restless), 0), "{folder}/{}", scene.name);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn objects_that_asked_an_index_without_a_name_are_reconciled_once() {
    let scene = scenes().into_iter().find(|scene| scene.name == INDEX).unwrap();
    let stage = scene.restored(&kept("before", &scene)).await;
    let once = lines(&["find alice: 2", "find nobody: 0"]);
    assert_eq!(lived(&stage, scene.operator).await, (once, 2), "one status write for each");
    assert_eq!(lived(&stage, scene.operator).await, (lines(&[]), 0), "the next restart");
    let stage = scene.restored(&kept("objects", &scene)).await;
    assert_eq!(lived(&stage, scene.operator).await, (lines(&[]), 0), "objects of this build");
}

/// The tests above can fail: other code runs the bodies.
#[tokio::test(start_paused = true)]
async fn another_revision_reconciles_what_an_earlier_build_left() {
    let scene = scenes().into_iter().find(|scene| scene.name == "widget").unwrap();
    let stage = scene.restored(&kept("before", &scene)).await;
    let (ran, _) = lived(&stage, operators::revised).await;
    for line in ["fetch ready", "store ready", "fetch stalled", "fetch asked", "store changed"] {
        assert!(ran.contains(line), "{line} in {ran:?}");
    }
}
