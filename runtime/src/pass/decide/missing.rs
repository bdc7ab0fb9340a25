//! Reads and watches the objects that a decision lacks, then decides.

use futures::FutureExt;

use super::facts::{Namespace, ObjectFacts};
use super::{Decision, MissingFact, after_watching, policy, unchanged};
use crate::pass::context::PassContext;
use crate::pipeline::object::Object;
use crate::queue::Key;
use crate::trigger::TriggerSet;

/// Completes the decision; reads missing facts from the API server.
pub(in crate::pass) async fn read(
    context: &PassContext,
    key: &Key,
    object: &Object,
    triggers: TriggerSet,
    mut decision: Result<Decision, MissingFact>,
) -> Decision {
    let facts = || ObjectFacts::of(context, (key, object), triggers, Namespace::Read);
    loop {
        // Boxed: most objects have no references.
        decision = match decision {
            Ok(decision) => return decision,
            Err(MissingFact::Namespace) => {
                policy::ask_namespace(context, key, object).boxed().await;
                facts().decide()
            }
            Err(MissingFact::References(blocked_by)) => {
                let are_readable = unchanged::follow(context, key, object).boxed().await;
                Ok(after_watching(&facts(), blocked_by, are_readable))
            }
        };
    }
}
