//! Optional values.

use std::sync::Arc;

use kube_cel::cel::Value as Cel;
use kube_cel::cel::objects::OptionalValue;

/// Creates an optional value.
pub(super) fn made(value: Option<Cel>) -> Cel {
    Cel::Opaque(Arc::new(value.map_or_else(OptionalValue::none, OptionalValue::of)))
}

/// The content of an optional value; `None` if the value is not optional.
pub(super) fn held(value: &Cel) -> Option<Option<&Cel>> {
    match value {
        Cel::Opaque(opaque) => opaque.downcast_ref::<OptionalValue>().map(OptionalValue::value),
        _ => None,
    }
}
