//! The scenes: the possible final states of an object, by feature.

use serde_json::{Value, json};

use crate::operators;
use crate::scene::{Change, Scene};

use Change::{Delete, Merge};

/// All of them.
pub(crate) fn scenes() -> Vec<Scene> {
    vec![plain(), dependencies(), claims(), indexes(), selections(), two(), policies(), operations()]
}

/// An object of the default namespace with its own uid, which is part of its digest.
fn object(kind: &str, uid: u32, name: &str, more: &Value) -> Value {
    let api_version = if matches!(kind, "Secret" | "ConfigMap") { "v1" } else { "tests.evenkeel.dev/v1" };
    let uid = format!("00000000-0000-4000-8000-{uid:012}");
    let mut object = json!({ "apiVersion": api_version, "kind": kind, "metadata": { "name": name, "uid": uid } });
    for (field, value) in more.as_object().into_iter().flatten() {
        match field.as_str() {
            "labels" | "annotations" | "ownerReferences" => object["metadata"][field] = value.clone(),
            _ => object[field] = value.clone(),
        }
    }
    object
}

fn widget(uid: u32, name: &str, spec: &Value) -> Value {
    object("Widget", uid, name, &json!({ "spec": spec }))
}

fn annotated(name: &'static str, annotation: &str, value: &str) -> Change {
    Merge(name, json!({ "metadata": { "annotations": { annotation: value } } }))
}

/// A ConfigMap that the widget of this uid and name owns already: the server would draw another uid in each run.
fn child(uid: u32, owner: u32, name: &str) -> Value {
    let owner_uid = format!("00000000-0000-4000-8000-{owner:012}");
    let owner = json!({ "apiVersion": "tests.evenkeel.dev/v1", "kind": "Widget", "name": name, "uid": owner_uid, "controller": true,
        "blockOwnerDeletion": true });
    object("ConfigMap", uid, name, &json!({ "ownerReferences": [owner] }))
}

fn plain() -> Scene {
    let secret = object("Secret", 90, "token", &json!({ "stringData": { "k": "1" } }));
    let detached = json!({ "spec": {}, "annotations": { "evenkeel.dev/policy": "detach-on-delete" } });
    let skipped = json!({ "spec": {}, "annotations": { "evenkeel.dev/policy": "skip" } });
    Scene {
        name: "widget",
        operator: operators::plain,
        objects: vec![
            secret,
            widget(1, "ready", &json!({ "child": "x", "secret": "token", "record": true })),
            child(91, 1, "ready"),
            widget(2, "waiting", &json!({ "secret": "absent" })),
            widget(3, "polling", &json!({ "fetch": "poll" })),
            widget(4, "stalled", &json!({ "fetch": "invalid" })),
            widget(5, "failing", &json!({ "fetch": "broken" })),
            widget(6, "blocked", &json!({ "store": "broken" })),
            widget(7, "ignored", &json!({})),
            widget(17, "unreported", &json!({ "store": "nothing" })),
            widget(8, "panicking", &json!({ "store": "panic" })),
            widget(9, "changed", &json!({ "child": "x" })),
            child(92, 9, "changed"),
            widget(10, "asked", &json!({})),
            widget(11, "suspended", &json!({ "suspend": true })),
            widget(12, "paused", &json!({})),
            widget(13, "deleted", &json!({})),
            widget(14, "unclear", &json!({})),
            object("Widget", 15, "detached", &detached),
            object("Widget", 16, "skipped", &skipped),
        ],
        changes: vec![
            Merge("changed", json!({ "spec": { "child": "y" }, "metadata": { "labels": { "tier": "gold" } } })),
            Merge("changed", json!({ "metadata": { "labels": { "tier": "silver" } }, "spec": { "child": "z" } })),
            Merge("ignored", json!({ "spec": { "store": "nothing" } })),
            annotated("asked", "evenkeel.dev/requestedAt", "2026-01-01T00:00:00Z"),
            annotated("paused", "evenkeel.dev/suspend", "true"),
            Merge("paused", json!({ "spec": { "child": "x" } })),
            annotated("unclear", "evenkeel.dev/policy", "Keep"),
            Delete("unclear"),
            Delete("deleted"),
            Delete("detached"),
        ],
        restless: &[
            "fetch waiting",
            "fetch polling",
            "fetch failing",
            "fetch blocked",
            "store blocked",
            "fetch panicking",
            "store panicking",
            "fetch unreported",
            "store unreported",
        ],
    }
}

fn dependencies() -> Scene {
    let on = |names: &[&str]| json!({ "dependsOn": names });
    Scene {
        name: "depends_on",
        operator: operators::dependencies,
        objects: vec![
            widget(1, "base", &json!({})),
            widget(2, "top", &on(&["base"])),
            widget(3, "waiting", &on(&["absent"])),
            widget(4, "one", &on(&["other"])),
            widget(5, "other", &on(&["one"])),
        ],
        changes: vec![Merge("base", json!({ "spec": { "record": true } }))],
        restless: &[],
    }
}

fn claims() -> Scene {
    let labelled = json!({ "spec": {}, "labels": { "zone": "a", "other": "b" }, "annotations": { "note": "c" } });
    Scene {
        name: "claim",
        operator: operators::claims,
        objects: vec![object("Widget", 1, "claimed", &labelled)],
        changes: vec![Merge("claimed", json!({ "metadata": { "labels": { "other": "changed" } } }))],
        restless: &[],
    }
}

fn a_map(uid: u32, name: &str, user: &str) -> Value {
    object("ConfigMap", uid, name, &json!({ "labels": { "look": "yes" }, "data": { "user": user } }))
}

fn indexes() -> Scene {
    Scene {
        name: "index",
        operator: operators::indexes,
        objects: vec![
            a_map(90, "a", "alice"),
            a_map(91, "b", "bob"),
            a_map(92, "c", "alice"),
            widget(1, "alice", &json!({ "fetch": "alice" })),
            widget(2, "nobody", &json!({ "fetch": "nobody" })),
        ],
        changes: vec![],
        restless: &[],
    }
}

fn selections() -> Scene {
    Scene {
        name: "selector",
        operator: operators::selections,
        objects: vec![a_map(90, "a", "alice"), a_map(91, "b", "bob"), widget(1, "all", &json!({}))],
        changes: vec![],
        restless: &[],
    }
}

fn two() -> Scene {
    Scene {
        name: "two_reconcilers",
        operator: operators::two,
        objects: vec![widget(1, "both", &json!({})), widget(2, "failing", &json!({ "fetch": "broken" }))],
        changes: vec![],
        restless: &["fetch failing"],
    }
}

fn policies() -> Scene {
    let policy = |policy: &str| json!({ "spec": {}, "annotations": { "evenkeel.dev/policy": policy } });
    let requested =
        json!({ "evenkeel.dev/requestedAt": "one", "evenkeel.dev/hardResetAt": "one", "evenkeel.dev/forceAt": "two" });
    Scene {
        name: "policy",
        operator: operators::policies,
        objects: vec![
            widget(1, "managed", &json!({})),
            object("Widget", 2, "skipped", &policy("skip")),
            object("Widget", 3, "detached", &policy("detach-on-delete")),
            object("Widget", 4, "unclear", &policy("Skip")),
            widget(5, "suspended", &json!({ "suspend": true })),
            widget(6, "asked", &json!({})),
        ],
        changes: vec![Merge("asked", json!({ "metadata": { "annotations": requested } }))],
        restless: &[],
    }
}

fn operations() -> Scene {
    Scene {
        name: "operation",
        operator: operators::operations,
        objects: vec![
            object("Engine", 1, "built", &json!({ "spec": { "size": 1 } })),
            object("Engine", 2, "building", &json!({ "spec": { "size": 2 } })),
        ],
        changes: vec![],
        restless: &["build building"],
    }
}
