//! The digest of a dependent.

use evenkeel::dependents::plan::Plan;
use serde_json::{Value, json};

use super::fixture::{config_map, plan};

fn planned(manifest: &Value) -> Plan {
    plan(&[(manifest.clone(), true)]).unwrap()
}

pub(crate) async fn adapter(given: Value) -> Value {
    let policy = given["policy"].as_str().filter(|policy| *policy != "any").map(ToOwned::to_owned);
    let manifest = config_map(&[("reconcile-policy", policy)]);
    let before = manifest.clone();
    let digest = planned(&manifest).items[0].applied.content.unwrap();
    let mut output = json!({ "input_object_mutated": manifest != before, "form": form(&digest.to_string()) });
    if let Some(paths) = given["changed"].as_array() {
        let digest_of = |path: &Value| planned(&changed(&manifest, path.as_str().unwrap())).items[0].applied.content;
        output["digest_changes"] = json!(paths.iter().any(|path| digest_of(path) != Some(digest)));
    }
    output
}

fn form(digest: &str) -> String {
    assert!(digest.bytes().all(|byte| byte.is_ascii_hexdigit()), "{digest}");
    format!("{} bits in hex", 4 * digest.len())
}

/// The manifest with another value at a path.
fn changed(manifest: &Value, path: &str) -> Value {
    let value = match path.rsplit('.').next() {
        Some("annotations" | "labels" | "data") => json!({ "changed": "yes" }),
        Some("managedFields") => json!([{ "manager": "changed" }]),
        Some("generation") => json!(99),
        _ => json!("changed"),
    };
    let mut changed = manifest.clone();
    let place = path.split('.').fold(&mut changed, |place, field| &mut place[field]);
    *place = value;
    changed
}
