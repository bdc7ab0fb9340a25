//! What is sent of a dependent: its manifest with the marks of its set.

use kube::core::ObjectMeta;
use serde_json::{Value, json};

use crate::api::{Owner, Target};
use crate::dependent_rules::manifest::Applied;
use crate::dependent_rules::plan::Item;
use crate::wiring::annotations::{APPLIED, DEPENDENT_OF, OPERATOR, ORPHANED_FROM, OWNER};

/// The manifest with the marks of the set.
pub(super) fn marked_body(item: &Item, owner: &Owner, target: &Target, operator: &str) -> Value {
    let mut object = item.object.value();
    mark(&mut object["metadata"], owner, target, (operator, &item.applied));
    object
}

/// The merge patch that adds the marks of the set to an object of an earlier tool.
pub(super) fn marks_patch(
    owner: &Owner,
    target: &Target,
    found: &ObjectMeta,
    (operator, applied): (&str, Applied),
) -> Value {
    let mut meta = json!({ "uid": found.uid, "resourceVersion": found.resource_version });
    mark(&mut meta, owner, target, (operator, &applied));
    json!({ "metadata": meta })
}

fn mark(meta: &mut Value, owner: &Owner, target: &Target, (operator, applied): (&str, &Applied)) {
    meta["labels"][owner.key(OPERATOR)] = json!(operator);
    for (field, key, value) in owner.marks(target) {
        meta[field][key] = json!(value);
    }
    meta["annotations"][owner.key(APPLIED)] = json!(applied.to_string());
}

/// The merge patch that removes the marks. The fields of the manifest stay.
pub(super) fn orphan_patch(owner: &Owner, uid: &str, version: &str) -> Value {
    let former = format!("{} {}", owner.reference.kind, owner.reference.name);
    let key = |key| owner.key(key);
    json!({ "metadata": {
        "uid": uid,
        "resourceVersion": version,
        "labels": { key(OPERATOR): null, key(DEPENDENT_OF): null },
        "annotations": { key(OWNER): null, key(APPLIED): null, key(ORPHANED_FROM): former },
    } })
}
