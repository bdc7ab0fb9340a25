//! Objects of another build: the present one runs no body for them and writes nothing.

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

/// The scene whose objects used an index: before indexes had names, the status held the path of the type.
const INDEX: &str = "index";

fn read_stored(folder: &str, scene: &Scene) -> Value {
    serde_json::from_str(&std::fs::read_to_string(file(folder, &format!("{}.json", scene.name))).unwrap()).unwrap()
}

/// The bodies that ran and the number of writes, events included, in one life of the operator.
async fn lived(stage: &Stage, operator: fn(&World, &Arc<Lab>) -> Operator) -> (BTreeSet<String>, usize) {
    stage.world.wire.clear();
    stage.live(operator).await;
    let writes = stage.world.wire.count(evenkeel_tests::recording_client::Call::is_write);
    (stage.lab.take_log().into_iter().collect(), writes)
}

fn lines(lines: &[&str]) -> BTreeSet<String> {
    lines.iter().map(ToString::to_string).collect()
}

/// The objects of the earlier build that wait or retry, and whose condition message has another text now: each is written once.
const OTHER_MESSAGES: [(&str, usize); 3] = [("depends_on", 1), ("policy", 1), ("widget", 3)];

#[tokio::test(start_paused = true)]
async fn objects_of_an_earlier_build_are_not_reconciled_again() {
    for scene in scenes().iter().filter(|scene| scene.name != INDEX) {
        let same = (lines(scene.restless), 0);
        let stage = scene.restored(&read_stored("objects", scene)).await;
        assert_eq!(lived(&stage, scene.operator).await, same, "objects/{}", scene.name);
        let stage = scene.restored(&read_stored("before", scene)).await;
        let written = OTHER_MESSAGES.iter().find(|(name, _)| *name == scene.name).map_or(0, |(_, written)| *written);
        assert_eq!(lived(&stage, scene.operator).await, (same.0.clone(), written), "before/{}", scene.name);
        assert_eq!(lived(&stage, scene.operator).await, same, "before/{}, the next restart", scene.name);
    }
}

#[tokio::test(start_paused = true)]
async fn objects_with_an_unnamed_index_are_reconciled_once() {
    let scene = scenes().into_iter().find(|scene| scene.name == INDEX).unwrap();
    let stage = scene.restored(&read_stored("before", &scene)).await;
    let once = lines(&["find alice: 2", "find nobody: 0"]);
    assert_eq!(lived(&stage, scene.operator).await, (once, 2), "one status write for each");
    assert_eq!(lived(&stage, scene.operator).await, (lines(&[]), 0), "the next restart");
    let stage = scene.restored(&read_stored("objects", &scene)).await;
    assert_eq!(lived(&stage, scene.operator).await, (lines(&[]), 0), "objects of this build");
}

/// Proves that the tests above can fail: changed code runs the bodies.
#[tokio::test(start_paused = true)]
async fn another_revision_reconciles_objects_of_an_earlier_build() {
    let scene = scenes().into_iter().find(|scene| scene.name == "widget").unwrap();
    let stage = scene.restored(&read_stored("before", &scene)).await;
    let (ran, _) = lived(&stage, operators::revised).await;
    for line in ["fetch ready", "store ready", "fetch stalled", "fetch asked", "store changed"] {
        assert!(ran.contains(line), "{line} in {ran:?}");
    }
}
