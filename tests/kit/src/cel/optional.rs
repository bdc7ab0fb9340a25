//! Values that may be absent.

use std::sync::Arc;

use kube_cel::cel::Value as Cel;
use kube_cel::cel::objects::OptionalValue;

/// An optional value that holds this, or nothing.
pub(super) fn made(value: Option<Cel>) -> Cel {
    Cel::Opaque(Arc::new(value.map_or_else(OptionalValue::none, OptionalValue::of)))
}

/// What an optional value holds; nothing for any other value.
pub(super) fn held(value: &Cel) -> Option<Option<&Cel>> {
    match value {
        Cel::Opaque(opaque) => opaque.downcast_ref::<OptionalValue>().map(OptionalValue::value),
        _ => None,
    }
}
