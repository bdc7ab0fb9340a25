//! Validates the replica counts of the scale subresource of a custom kind on each write.

use serde_json::Value;

use crate::apply::golang;
use crate::registry::Scale;
use crate::schema::Cause;
use crate::strategy::Part;

/// Validates the desired and the observed number of replicas; a status write checks only the observed one.
pub(super) fn check(object: &Value, scale: &Scale, part: Part, causes: &mut Vec<Cause>) {
    let wanted = (part == Part::Main).then_some(&scale.spec_replicas);
    for pointer in wanted.into_iter().chain([&scale.status_replicas]) {
        if let Some((value, why)) = wrong(object, pointer) {
            causes.push(Cause::invalid(&pointer.replace('/', "."), value, why));
        }
    }
}

/// The count as the accessor reads it (0 if it is mistyped), and the reason for rejecting it.
fn wrong(object: &Value, pointer: &str) -> Option<(i64, String)> {
    let (path, mut at) = (pointer.replace('/', "."), object);
    for name in pointer.split('/').skip(1) {
        at = at.get(name)?;
    }
    match at.as_i64() {
        None => Some((0, mistyped(&path, at))),
        Some(count) if count < 0 => Some((count, "should be a non-negative integer".to_owned())),
        Some(count) if count > i64::from(i32::MAX) => {
            Some((count, format!("should be less than or equal to {}", i32::MAX)))
        }
        Some(_) => None,
    }
}

fn mistyped(path: &str, value: &Value) -> String {
    let (shown, kind) = (golang::plain(value), golang::type_name(value));
    format!("{path} accessor error: {shown} is of the type {kind}, expected int64")
}
