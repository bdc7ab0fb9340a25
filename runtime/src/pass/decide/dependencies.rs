//! Dependencies on objects of the same kind, checked in the cache alone.

use crate::dependency::{Readiness, Reference, Walk, readiness};
use crate::outcome::reporting::Actions;
use crate::outcome::{Class, PassError};
use crate::pass::context::PassContext;
use crate::pipeline::object::Object;
use crate::queue::Key;

/// The key of the dependency verdict among the watched objects of a digest.
pub(in crate::pass) const DEPENDENCIES: &str = "dependencies";

fn key(reference: &Reference) -> Key {
    Key::new(reference.namespace.as_deref(), &reference.name)
}

/// The error that blocks the pass: an expression in a reference, a forbidden namespace, a cycle, or a dependency that is not ready. From
/// now on, a change to any direct or indirect dependency triggers a reconcile.
pub(in crate::pass) fn blocked_by(context: &PassContext, own: &Key, object: &Object) -> Option<PassError> {
    if !context.wiring.depends_on {
        return None;
    }
    let direct = context.env.reconciler.depends_on(object);
    let this = Reference::new(own.namespace.as_deref(), &own.name);
    let ring = loop {
        let mut walk = Walk::default();
        let ring = walk.visit(&this, |id| depends_on(context, id)).err();
        let met = walk.met().filter(|id| **id != this).map(key).collect();
        // A change between the walk and this line would trigger no reconcile, so walk again.
        if !context.dependents.set(own, met) {
            break ring;
        }
    };
    let refusal = |to: &Reference| to.refusal().or_else(|| context.env.access.refusal(own.namespace.as_deref(), to));
    if let Some(refusal) = direct.iter().find_map(refusal) {
        return Some(refusal);
    }
    if let Some(ring) = ring.filter(|ring| ring.path.contains(&this)) {
        let message = format!("the dependencies are a cycle: {ring}");
        return Some(PassError::new(Class::Stalled, "DependencyCycle", &message, Actions::STALLED));
    }
    let why = direct.iter().find_map(|to| unready(context, &to.within(own.namespace.as_deref())));
    let class = Class::Waiting { poll: None };
    why.map(|message| PassError::new(class, "DependencyNotReady", &message, Actions::WAITING))
}

fn depends_on(context: &PassContext, id: &Reference) -> Vec<Reference> {
    context
        .env
        .primary
        .get(&key(id))
        .map(|object| context.env.reconciler.depends_on(&*object).into_owned())
        .unwrap_or_default()
}

fn unready(context: &PassContext, id: &Reference) -> Option<String> {
    let Some(object) = context.env.primary.get(&key(id)) else {
        let watched = context.env.relations.covers(id.namespace.as_deref());
        return Some(match watched {
            true => format!("dependency {id} does not exist yet"),
            false => format!("dependency {id} is in a namespace that this operator does not watch"),
        });
    };
    match object.to_value().map(|value| readiness(&value)) {
        Ok(Readiness::Ready) => None,
        Ok(Readiness::NotReady(why)) => Some(format!("dependency {id} is not ready: {why}")),
        Err(error) => Some(format!("dependency {id} cannot be read: {error}")),
    }
}
