//! The ownership gate: an object of another operator is left alone, and one of nobody is made ours before anything is done for it.

use kube::runtime::events::EventType;
use serde_json::{Value, json};

use crate::pass::PassWorker;
use crate::pass::report::current_pass::CurrentPass;
use crate::pass::report::event;
use crate::pipeline::object::Object;
use crate::queue::Next;
use crate::wiring::annotations::OPERATOR_NAMESPACE;

/// Whose an object is.
enum Owner<'a> {
    Ours,
    Nobody,
    Other(&'a str),
}

impl PassWorker {
    fn owner_of<'a>(&self, object: &'a Object) -> Owner<'a> {
        let Some(ours) = &self.env.owner else { return Owner::Ours };
        match object.annotations().get(OPERATOR_NAMESPACE).map(String::as_str).unwrap_or_default() {
            "" => Owner::Nobody,
            said if *said == **ours => Owner::Ours,
            other => Owner::Other(other),
        }
    }

    /// The operator that the object belongs to, where it is another one.
    pub(in crate::pass) fn elsewhere<'a>(&self, object: &'a Object) -> Option<&'a str> {
        match self.owner_of(object) {
            Owner::Other(other) => Some(other),
            Owner::Ours | Owner::Nobody => None,
        }
    }

    /// The mark that an object of nobody lacks.
    pub(in crate::pass) fn mark(&self, object: &Object) -> Option<Value> {
        let is_free = object.meta().deletion_timestamp.is_none() && matches!(self.owner_of(object), Owner::Nobody);
        is_free.then(|| json!({ "metadata": { "annotations": { OPERATOR_NAMESPACE: self.env.owner.as_deref() } } }))
    }

    /// Nothing is done for an object of another operator, and one event says so.
    pub(in crate::pass) fn yield_to(&self, pass: &mut CurrentPass<'_>, object: &Object, other: &str) -> Next {
        let key = pass.key;
        pass.ends("Foreign");
        self.env.relations.keep(key, &std::collections::BTreeSet::new());
        let known = {
            let mut memory = self.memory();
            let memory = memory.entry(key.clone()).or_default();
            memory.pending = None;
            memory.elsewhere.replace(other.to_owned())
        };
        if known.as_deref() != Some(other) {
            let ours = self.env.owner.as_deref().unwrap_or_default();
            let note = format!(
                "the annotation {OPERATOR_NAMESPACE} says \"{other}\", and this operator is that of \"{ours}\": it does nothing for the object; \
                 take the annotation off to hand it over"
            );
            tracing::warn!("{note}");
            pass.send(event::event(EventType::Warning, "OwnedElsewhere", &note), self.reference(object));
        }
        Next::Await
    }
}
