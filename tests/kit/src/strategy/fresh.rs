//! Creation of an object: sets system fields, and removes fields that a client must not set.

use std::hash::{BuildHasher, Hasher, RandomState};

use serde_json::{Value, json};
use uuid::Uuid;

use super::builtin;
use super::fields::{meta, metadata};
use crate::api_error::Failure;
use crate::registry::Kind;

/// Metadata fields that a client can't set.
const SYSTEM: [&str; 6] =
    ["uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation", "selfLink"];

/// The alphabet of generated names, the same as in Kubernetes: without vowels and similar-looking characters.
const LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";

/// Maximum length of the prefix of a generated name.
const PREFIX: usize = 58;

/// Prepares a decoded object for creation: system fields, generated name, no status, kind-specific fields.
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
        // A namespace in a cluster-scoped object is ignored.
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

/// Generates the name from `generateName` if there is no name.
fn name(object: &mut Value) {
    let prefix = meta(object, "generateName").to_owned();
    if !meta(object, "name").is_empty() || prefix.is_empty() {
        return;
    }
    let kept: String = prefix.chars().take(PREFIX).collect();
    metadata(object).insert("name".to_owned(), json!(kept + &suffix()));
}

/// Five random letters, all equally likely: the keys of each `RandomState` differ, and its hash has 64 random bits.
fn suffix() -> String {
    let random = RandomState::new().build_hasher().finish();
    let digits = std::iter::successors(Some(random), |random| Some(random / LETTERS.len() as u64));
    digits.take(5).map(|random| char::from(LETTERS[(random % LETTERS.len() as u64) as usize])).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn suffixes_have_each_letter_equally_often_at_each_place() {
        let mut counts: BTreeMap<(usize, char), usize> = BTreeMap::new();
        for _ in 0..270 * LETTERS.len() {
            suffix().chars().enumerate().for_each(|at| *counts.entry(at).or_default() += 1);
        }
        assert_eq!(counts.len(), 5 * LETTERS.len());
        // 270 each, with a standard deviation of 16: the bounds are ten of them away.
        assert!(counts.values().all(|count| (110..430).contains(count)), "{counts:?}");
    }
}
