//! Dependencies on objects of the same kind: what holds a pass up, told from the cache alone.

use std::sync::Arc;

use crate::dependency::{Readiness, Reference, Walk, readiness};
use crate::outcome::reporting::Actions;
use crate::outcome::{Class, Halt};
use crate::pass::PassWorker;
use crate::pass::report::current_pass::CurrentPass;
use crate::pass::run::Verdict;
use crate::pipeline::object::Object;
use crate::pipeline::state::Draft;
use crate::queue::{Key, Next};

/// Where the verdict on the dependencies stands among what a pass depends on.
pub(in crate::pass) const DEPENDENCIES: &str = "dependencies";

fn key(reference: &Reference) -> Key {
    Key::new(reference.namespace.as_deref(), &reference.name)
}

impl PassWorker {
    /// What of the dependencies stands in the way: an expression, another namespace, a cycle, or one that is not ready. From now on a change of any object
    /// that this depends on, at first or second hand, wakes.
    pub(in crate::pass) fn held_up(&self, own: &Key, object: &Object) -> Option<Halt> {
        if !self.wiring.depends_on {
            return None;
        }
        let direct = self.env.reconciler.depends_on(object);
        let this = Reference::new(own.namespace.as_deref(), &own.name);
        let ring = loop {
            let mut walk = Walk::default();
            let ring = walk.visit(&this, |id| self.depends_on(id)).err();
            let met = walk.met().filter(|id| **id != this).map(key).collect();
            // What changed between the walk and this line would wake nobody: look again.
            if !self.dependents.set(own, met) {
                break ring;
            }
        };
        let refusal = |to: &Reference| to.refusal().or_else(|| self.env.access.refusal(own.namespace.as_deref(), to));
        if let Some(refusal) = direct.iter().find_map(refusal) {
            return Some(refusal);
        }
        if let Some(ring) = ring.filter(|ring| ring.path.contains(&this)) {
            let message = format!("the dependencies are a cycle: {ring}");
            return Some(Halt::new(Class::Stalled, "DependencyCycle", &message, Actions::STALLED));
        }
        let why = direct.iter().find_map(|to| self.unready(&to.within(own.namespace.as_deref())));
        let class = Class::Waiting { poll: None };
        why.map(|message| Halt::new(class, "DependencyNotReady", &message, Actions::WAITING))
    }

    fn depends_on(&self, id: &Reference) -> Vec<Reference> {
        self.env
            .primary
            .get(&key(id))
            .map(|object| self.env.reconciler.depends_on(&*object).into_owned())
            .unwrap_or_default()
    }

    fn unready(&self, id: &Reference) -> Option<String> {
        let Some(object) = self.env.primary.get(&key(id)) else {
            let watched = self.env.relations.covers(id.namespace.as_deref());
            return Some(match watched {
                true => format!("dependency {id} is not there yet"),
                false => format!("dependency {id} is in a namespace that this operator does not watch"),
            });
        };
        match object.to_value().map(|value| readiness(&value)) {
            Ok(Readiness::Ready) => None,
            Ok(Readiness::NotReady(why)) => Some(format!("dependency {id} is not ready: {why}")),
            Err(error) => Some(format!("dependency {id} cannot be read: {error}")),
        }
    }

    /// A pass that runs no step.
    pub(in crate::pass) async fn hold(&self, pass: &mut CurrentPass<'_>, object: &Arc<Object>, halt: Halt) -> Next {
        let backend = self.backend(pass.key, &**object);
        let mut draft = Draft::new(&**object, *self.wiring, backend.clone());
        draft.block(&halt);
        backend.tracked().watched.insert(DEPENDENCIES.to_owned(), halt.message.clone());
        let verdict = Verdict { outcome: draft.outcome(Some(halt.clone())), halt: Some(halt), claimed: Vec::new() };
        self.finish(pass, &**object, &mut draft, &backend, verdict).await
    }
}
