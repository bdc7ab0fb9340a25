//! Objects that do not fit their type. An event names the field and explains what happens to the finalizer.

use k8s_openapi::api::core::v1::ObjectReference;
use kube::api::ObjectMeta;
use kube::runtime::events::EventType;

use crate::api::grant::plural_and_group;
use crate::client::decode::Invalid;
use crate::pass::context::PassContext;
use crate::pass::report::current_pass::CurrentPass;
use crate::pass::report::event;
use crate::queue::{Key, Next};
use crate::watch::{UNDECODABLE, Undecodable};

/// The pass of an object that the cache does not return: it was deleted, or does not fit its type.
pub(in crate::pass) fn absent(context: &PassContext, pass: &mut CurrentPass<'_>) -> Next {
    let key = pass.key;
    if context.env.primary.undecodable(key).is_none() {
        tracing::debug!("the object does not exist");
        return context.forget(key);
    }
    report(context, pass)
}

/// The pass of a watcher that has read an object that does not fit its type.
pub(in crate::pass) fn misfit(
    context: &PassContext,
    pass: &mut CurrentPass<'_>,
    meta: &ObjectMeta,
    error: String,
) -> Next {
    let broken = Invalid { meta: Box::new(meta.clone()), field: String::new(), error };
    context.env.primary.set_aside(pass.key, &broken);
    report(context, pass)
}

/// Reports the object once for each of its versions that differ in the error.
fn report(context: &PassContext, pass: &mut CurrentPass<'_>) -> Next {
    let key = pass.key;
    pass.ends(UNDECODABLE);
    context.daemons.drop_of(key);
    if let Some(found) = context.env.primary.report_undecodable(key) {
        let note = note(context, key, &found);
        tracing::warn!(object = %key, "{note}");
        let event = event::event(EventType::Warning, UNDECODABLE, &note);
        pass.send(event, reference_to(context, key, &found));
    }
    Next::Await
}

fn note(context: &PassContext, key: &Key, found: &Undecodable) -> String {
    let (kind, error) = (&context.kind.resource.kind, &found.error);
    let finalizer = context.finalizers.name();
    let headline = format!("the {kind} does not fit its type: {error}");
    if !found.finalizers.iter().any(|held| held == finalizer) {
        return format!("{headline}; the object is not reconciled until the field is corrected");
    }
    if !found.deleting {
        return format!(
            "{headline}; the object is not reconciled until the field is corrected, and its finalizer {finalizer} remains"
        );
    }
    let plural = plural_and_group(&context.kind.resource.plural, &context.kind.resource.group);
    let space = key.namespace.as_ref().map(|namespace| format!(" -n {namespace}")).unwrap_or_default();
    format!(
        "{headline}; the object is being deleted, but its cleanup cannot run, so its finalizer {finalizer} remains: correct the field, or \
         delete the resources created for the object and then the finalizer: kubectl edit {plural}{space} {}",
        key.name
    )
}

fn reference_to(context: &PassContext, key: &Key, found: &Undecodable) -> ObjectReference {
    ObjectReference {
        api_version: Some(context.kind.resource.api_version.clone()),
        kind: Some(context.kind.resource.kind.clone()),
        namespace: key.namespace.as_deref().map(ToOwned::to_owned),
        name: Some(key.name.to_string()),
        uid: found.uid.clone(),
        ..ObjectReference::default()
    }
}
