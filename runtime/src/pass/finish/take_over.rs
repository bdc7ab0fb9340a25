//! Takes over the status fields of earlier managers before a write.

use crate::pass::api::PassBackend;
use crate::pass::api::identity::Unwritten;
use crate::pass::context::PassContext;
use crate::pass::finish::managed_fields::Take;
use crate::pass::finish::status_write;
use crate::pipeline::object::Object;
use crate::status::PATCHED;
use crate::status::observed::Observed;

/// Takes over the fields of previous managers if another wiring wrote the status, and our own fields if it was patched. Skips a hot object,
/// since a take-over needs a version.
pub(in crate::pass) async fn take_over(
    context: &PassContext,
    object: &Object,
    backend: &PassBackend,
) -> Result<(), Unwritten> {
    let Some(status) = object.status().filter(|status| !status.conditions().is_empty()) else { return Ok(()) };
    let inputs = Observed::of(status, context.wiring).inputs;
    let is_of = |wiring: &str| inputs.as_ref().is_some_and(|inputs| inputs.wiring == wiring);
    let declared = context.wiring.previously.managers.iter().copied();
    let previously = declared.chain(context.former_managers.iter().map(String::as_str));
    let previously = previously.filter(|_| !is_of(&context.wiring_hash));
    let managers: Vec<&str> = previously.chain(is_of(PATCHED).then_some(&*context.field_manager)).collect();
    if managers.is_empty() || backend.hot {
        return Ok(());
    }
    if let Some(version) = status_write::take_over(&backend.calls, &backend.identity, Take::Managers(&managers)).await?
    {
        *backend.version.lock() = version;
    }
    Ok(())
}
