//! The stored objects: status, metadata, field managers, events.

use std::path::PathBuf;

use evenkeel_testkit::assert_generated;

use crate::scenes::scenes;

/// A file of this suite.
pub(crate) fn file(folder: &str, name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "stored", folder, name].iter().collect()
}

#[tokio::test(start_paused = true)]
async fn the_stored_objects_are_unchanged() {
    println!(
        "if one differs, the objects in users' clusters would change: see CONTRIBUTING.md, \"Change what is stored\""
    );
    for scene in scenes() {
        let stored = scene.played().await.stored().await;
        let text = serde_json::to_string_pretty(&stored).unwrap();
        assert_generated(file("objects", &format!("{}.json", scene.name)), &format!("{text}\n"));
    }
}
