//! A new object: what the server sets, and what it takes away.

use rand::Rng;
use serde_json::{Value, json};
use uuid::Uuid;

use super::builtin;
use super::fields::{meta, metadata};
use crate::api_error::Failure;
use crate::registry::Kind;

/// Fields of the metadata a client cannot choose.
const SYSTEM: [&str; 6] =
    ["uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation", "selfLink"];

/// Letters of generated names: no vowels, nothing that reads like another, as upstream has them.
const LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";

/// The longest prefix a generated name keeps.
const PREFIX: usize = 58;

/// Makes a decoded object a new one: system fields, a generated name, no status, the kind's own additions.
pub(crate) fn fresh(kind: &Kind, namespace: Option<&str>, now: &str, object: &mut Value) -> Result<(), Failure> {
    let fields = metadata(object);
    match fields.remove("resourceVersion") {
        Some(Value::String(version)) if !version.is_empty() => {
            return Err(Failure::internal("resourceVersion should not be set on objects to be created"));
        }
        _ => {}
    }
    for field in SYSTEM {
        fields.remove(field);
    }
    fields.insert("uid".to_owned(), json!(Uuid::new_v4().to_string()));
    fields.insert("creationTimestamp".to_owned(), json!(now));
    if kind.generation {
        fields.insert("generation".to_owned(), json!(1));
    }
    match namespace {
        Some(namespace) => fields.insert("namespace".to_owned(), json!(namespace)),
        // Cluster-scoped: whatever namespace was sent is none.
        None => fields.remove("namespace"),
    };
    name(object);
    if kind.status
        && let Some(object) = object.as_object_mut()
    {
        object.remove("status");
    }
    builtin::fresh(kind, object);
    Ok(())
}

/// Completes `generateName` when there is no name.
fn name(object: &mut Value) {
    let prefix = meta(object, "generateName").to_owned();
    if !meta(object, "name").is_empty() || prefix.is_empty() {
        return;
    }
    let kept: String = prefix.chars().take(PREFIX).collect();
    let mut random = rand::rng();
    let suffix: String = (0..5).map(|_| char::from(LETTERS[random.random_range(0..LETTERS.len())])).collect();
    metadata(object).insert("name".to_owned(), json!(kept + &suffix));
}
