//! The pass of an object that belongs to another operator.

use std::collections::BTreeSet;

use kube::runtime::events::EventType;

use crate::pass::context::PassContext;
use crate::pass::report::current_pass::CurrentPass;
use crate::pass::report::event;
use crate::pipeline::object::Object;
use crate::queue::Next;
use crate::wiring::annotations::OPERATOR_NAMESPACE;

/// Ignores an object of another operator and emits one event about it.
pub(in crate::pass) fn skip_foreign(
    context: &PassContext,
    pass: &mut CurrentPass<'_>,
    object: &Object,
    other: &str,
) -> Next {
    let key = pass.key;
    pass.ends("Foreign");
    context.env.relations.keep(key, &BTreeSet::new());
    let known = {
        let mut memory = context.memory();
        let memory = memory.entry(key.clone()).or_default();
        memory.pending = None;
        memory.other_operator.replace(other.to_owned())
    };
    if known.as_deref() != Some(other) {
        let ours = context.env.owner.as_deref().unwrap_or_default();
        let note = format!(
            "the annotation {OPERATOR_NAMESPACE} says \"{other}\", and this operator is that of \"{ours}\": it does nothing for the object; \
             take the annotation off to hand it over"
        );
        tracing::warn!("{note}");
        pass.send(event::event(EventType::Warning, "OwnedElsewhere", &note), context.reference(object));
    }
    Next::Await
}
