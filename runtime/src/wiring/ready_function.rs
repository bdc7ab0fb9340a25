//! The readiness of dependents by a function of the author.

use serde_json::Value;

use super::KindInfo;
use crate::object_status::ObjectStatus;

/// A function that determines the status of the dependents of one kind.
#[derive(Clone, Copy, Debug)]
pub struct ReadyFunction {
    /// The kind.
    pub kind: Option<fn() -> KindInfo>,
    /// The path of the function, as the author writes it.
    pub name: &'static str,
    /// The function.
    pub status: fn(&Value) -> ObjectStatus,
}

#[cfg(feature = "dependents")]
impl ReadyFunction {
    /// Whether the function is for the objects of this kind, in whatever version.
    pub(crate) fn is_for(&self, kind: &KindInfo) -> bool {
        let own = self.kind.map(|own| own().resource);
        own.is_some_and(|own| (&own.group, &own.kind) == (&kind.resource.group, &kind.resource.kind))
    }
}
