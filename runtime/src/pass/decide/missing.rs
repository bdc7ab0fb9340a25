//! What a decision lacks is read and watched, and the decision made.

use futures::FutureExt;

use super::facts::{Namespace, ObjectFacts};
use super::{Decision, Lack, after_watching, policy, unchanged};
use crate::pass::context::PassContext;
use crate::pipeline::object::Object;
use crate::queue::Key;
use crate::trigger::Causes;

/// The decision, after the API server was asked for what it lacks.
pub(in crate::pass) async fn read(
    context: &PassContext,
    key: &Key,
    object: &Object,
    causes: Causes,
    mut decision: Result<Decision, Lack>,
) -> Decision {
    let facts = || ObjectFacts::of(context, (key, object), causes, Namespace::Read);
    loop {
        // On the heap: most objects refer to nothing.
        decision = match decision {
            Ok(decision) => return decision,
            Err(Lack::Namespace) => {
                policy::ask_namespace(context, key, object).boxed().await;
                facts().decide()
            }
            Err(Lack::References(blocked_by)) => {
                let are_readable = unchanged::follow(context, key, object).boxed().await;
                Ok(after_watching(&facts(), blocked_by, are_readable))
            }
        };
    }
}
