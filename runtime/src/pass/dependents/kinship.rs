//! The owners of a component that is a dependent itself.

use crate::api::{group, marked};
use crate::dependent_rules::manifest::ObjectId;
use crate::pass::api::PassBackend;
use crate::queue::Key;

/// The most owners of a chain that are looked at.
const LONGEST: usize = 8;

impl PassBackend {
    /// Whether the object is an owner of the component: the component that has it as a dependent, or the owner of that one. Owners of other
    /// kinds end the chain, since only the components of this reconciler are known here.
    pub(super) fn is_owner(&self, id: &ObjectId) -> bool {
        let (mut key, kind) = (self.key.clone(), &self.identity.target.kind);
        for _ in 0..LONGEST {
            let Some(owner) = self.primary.get(&key).and_then(|object| marked(kind, object.meta())) else {
                return false;
            };
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
}
