//! The owners of a component that is a dependent itself.

use crate::api::{group, marked};
use crate::dependent_rules::manifest::ObjectId;
use crate::pass::api::PassBackend;
use crate::queue::Key;

/// The most owners of a chain that are looked at.
const LONGEST: usize = 8;

/// Whether the object is an owner of the component: the component that has it as a dependent, or an owner of that one. The first owner of
/// another kind ends the chain, since only the components of this reconciler are known here.
pub(super) fn is_owner(backend: &PassBackend, id: &ObjectId) -> bool {
    let (mut key, kind) = (backend.key.clone(), &backend.identity.target.kind);
    for _ in 0..LONGEST {
        let object = backend.primary.get(&key);
        let Some(owner) = object.and_then(|object| marked(kind, object.meta())) else { return false };
        let (group, namespace) = (group(&owner.reference), owner.namespace.as_deref());
        let (kind_of_owner, name) = (&owner.reference.kind, &owner.reference.name);
        if id.is(group, kind_of_owner) && id.namespace.as_deref() == namespace && id.name == *name {
            return true;
        }
        if *kind_of_owner != kind.resource.kind || group != kind.resource.group {
            return false;
        }
        key = Key::new(namespace, name);
    }
    false
}
