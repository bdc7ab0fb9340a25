//! Conversion webhooks of CRDs: what answers them must be there until the instances of the CRD are gone.

use serde_json::Value;

use super::checked::Checked;
use crate::dependent_rules::manifest::InvalidManifest;

/// Checks that neither the Service of a conversion webhook nor the pods behind it are deleted before the CRD: its instances could not be
/// listed any more, so that the deletion would never end.
pub(super) fn check_conversion(crd: &Checked<'_>, all: &[Checked<'_>]) -> Result<(), InvalidManifest> {
    let object = crd.item.object.value();
    let called = &object["spec"]["conversion"]["webhook"]["clientConfig"]["service"];
    let is_called = |one: &&Checked<'_>| one.item.id.is_service(called);
    let Some(service) = all.iter().find(is_called) else { return Ok(()) };
    let selector = service.item.object.value()["spec"]["selector"].take();
    let has_pods = |one: &Checked<'_>| {
        let object = one.item.object.value();
        let labels = &object["spec"]["template"]["metadata"]["labels"];
        one.item.id.namespace == service.item.id.namespace && selects(&selector, labels)
    };
    let order = crd.item.settings.delete_order;
    let is_before = |one: &&Checked<'_>| one.item.settings.delete_order < order;
    let answers = |one: &&Checked<'_>| std::ptr::eq(*one, service) || has_pods(one);
    match all.iter().filter(is_before).find(answers) {
        None => Ok(()),
        Some(one) => {
            let (own, id) = (one.item.settings.delete_order, &crd.item.id);
            let problem = format!("{own} is before {order}, the one of {id}, whose conversion webhook it answers");
            Err(InvalidManifest::new(&one.item.id, "delete-order", problem))
        }
    }
}

/// Whether the selector of a Service selects pods with these labels. Without labels it selects none.
fn selects(selector: &Value, labels: &Value) -> bool {
    let selector = selector.as_object().filter(|selector| !selector.is_empty());
    selector.is_some_and(|selector| selector.iter().all(|(name, value)| labels.get(name) == Some(value)))
}
