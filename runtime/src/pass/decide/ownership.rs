//! The operator that owns an object. Objects of another operator are ignored; unowned objects are adopted before any other action.

use serde_json::{Value, json};

use crate::pass::context::PassContext;
use crate::pipeline::object::Object;
use crate::wiring::annotations::OPERATOR_NAMESPACE;

/// The operator that owns an object.
enum Owner<'a> {
    Ours,
    Nobody,
    Other(&'a str),
}

fn owner_of<'a>(context: &PassContext, object: &'a Object) -> Owner<'a> {
    let Some(ours) = &context.env.owner else { return Owner::Ours };
    match object.annotations().get(OPERATOR_NAMESPACE).map(String::as_str).unwrap_or_default() {
        "" => Owner::Nobody,
        owner if *owner == **ours => Owner::Ours,
        other => Owner::Other(other),
    }
}

/// The other operator that owns the object, if any.
pub(in crate::pass) fn foreign_owner<'a>(context: &PassContext, object: &'a Object) -> Option<&'a str> {
    match owner_of(context, object) {
        Owner::Other(other) => Some(other),
        Owner::Ours | Owner::Nobody => None,
    }
}

/// The patch that marks an unowned object as ours; `None`: it has an owner or is being deleted, or the watcher writes nothing.
pub(in crate::pass) fn adoption_patch(context: &PassContext, object: &Object) -> Option<Value> {
    let is_free = object.meta().deletion_timestamp.is_none() && matches!(owner_of(context, object), Owner::Nobody);
    (is_free && !context.wiring.is_plain())
        .then(|| json!({ "metadata": { "annotations": { OPERATOR_NAMESPACE: context.env.owner.as_deref() } } }))
}
