//! The annotation of a stash in the metadata of an object.

use std::borrow::Cow;

use super::raw_object::Members;

/// The annotations of the stashes of all versions begin with this: `evenkeel.dev/hub.`.
pub(super) fn prefix(domain: &str) -> String {
    format!("{domain}/hub.")
}

/// The stash of a version, as the annotation has it.
pub(super) fn read(object: &Members<'_>, domain: &str, version: &str) -> Option<String> {
    let metadata = Members::of(object.get("metadata")?)?;
    let annotations = Members::of(metadata.get("annotations")?)?;
    annotations.text(&format!("{}{version}", prefix(domain)))
}

/// Takes the stashes of all versions off, and adds this one. Other metadata stays as it is.
pub(super) fn write(object: &mut Members<'_>, domain: &str, stash: Option<(&str, &str)>) {
    let prefix = prefix(domain);
    let Some(raw) = object.get("metadata").map(ToOwned::to_owned) else { return };
    if stash.is_none() && !raw.get().contains(&prefix) {
        return;
    }
    let Some(mut metadata) = Members::of(&raw) else { return };
    let old = metadata.get("annotations").map(ToOwned::to_owned);
    let mut annotations = old.as_deref().and_then(Members::of).unwrap_or_default();
    annotations.retain(|name| !name.starts_with(&prefix));
    if let Some((version, text)) = stash {
        annotations.set_named(Cow::Owned(format!("{prefix}{version}")), &text);
    }
    match annotations.is_empty() {
        true => metadata.remove("annotations"),
        false => metadata.set("annotations", &annotations),
    }
    object.set("metadata", &metadata);
}

#[cfg(test)]
mod tests {
    use serde_json::value::to_raw_value;
    use serde_json::{Value, json};

    use super::*;

    const DOMAIN: &str = "evenkeel.dev";

    fn written(metadata: &Value, stash: Option<(&str, &str)>) -> Value {
        let raw = to_raw_value(&json!({ "metadata": metadata })).unwrap();
        let mut members = Members::of(&raw).unwrap();
        write(&mut members, DOMAIN, stash);
        let object: Value = serde_json::from_str(members.to_raw().get()).unwrap();
        object["metadata"].clone()
    }

    #[test]
    fn a_stash_replaces_those_of_all_versions() {
        let old =
            json!({ "name": "a", "annotations": { "x": "y", "evenkeel.dev/hub.v1": "1", "evenkeel.dev/hub.v0": "2" } });
        let new = written(&old, Some(("v1", "3")));
        assert_eq!(new, json!({ "name": "a", "annotations": { "x": "y", "evenkeel.dev/hub.v1": "3" } }));
        assert_eq!(written(&old, None), json!({ "name": "a", "annotations": { "x": "y" } }));
    }

    #[test]
    fn without_others_there_are_no_annotations() {
        let new = written(&json!({ "name": "a" }), Some(("v1", "3")));
        assert_eq!(new, json!({ "name": "a", "annotations": { "evenkeel.dev/hub.v1": "3" } }));
        assert_eq!(written(&new, None), json!({ "name": "a" }));
        assert_eq!(written(&json!({ "annotations": null }), None), json!({ "annotations": null }));
        assert_eq!(written(&json!({ "annotations": {} }), None), json!({ "annotations": {} }));
    }

    #[test]
    fn a_stash_is_found_by_its_version() {
        let raw = to_raw_value(&json!({ "metadata": { "annotations": { "evenkeel.dev/hub.v1": "3" } } })).unwrap();
        let members = Members::of(&raw).unwrap();
        assert_eq!(read(&members, DOMAIN, "v1").as_deref(), Some("3"));
        assert_eq!(read(&members, DOMAIN, "v2"), None);
        assert_eq!(read(&members, "corp.example", "v1"), None);
    }
}
