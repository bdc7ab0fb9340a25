//! Server-side apply: merging, ownership and `managedFields`, by the published structured-merge algorithm.
//!
//! All functions are pure. Custom resources use the list and map types of their schema; built-in kinds use those that API servers publish
//! (see `builtin.json`). For a kind in neither, members are owned separately and lists are owned as a whole.

mod actor;
#[cfg(test)]
mod algebra;
mod builtin;
#[cfg(test)]
mod builtins;
mod compare;
mod comparisons;
mod entry_limit;
mod error;
mod fields;
pub(crate) mod golang;
mod managed_fields;
mod merge;
mod owned_paths;
mod path_element;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod published;
mod published_schema;
#[cfg(test)]
mod recorded;
mod remove;
mod remove_unapplied;
mod schema_change;
mod set;
mod shape;
#[cfg(test)]
mod tests;
mod typed;
mod update;
mod versions;
mod views;

use serde_json::{Value, json};

pub use actor::{Actor, Force, Lists, Rules};
pub use error::{ApplyError, Conflict};
pub(crate) use managed_fields::Ledger;
pub use managed_fields::Operation;
pub use update::track_update;
pub(crate) use update::{own_status, updated};
pub use versions::Versions;

use crate::schema::is_equal;
use comparisons::Comparisons;
use managed_fields::{Entry, Id, without_ledger};
pub(crate) use published_schema::{Node, definition, needed, root_name};
pub(crate) use shape::Shape;
use views::Views;

/// Applies `config` to `live` (`None`: a create) and returns the new object with its `managedFields`.
///
/// If nothing changes, the result equals `live`, including the times.
///
/// Through the subresource `status`, only the status in `config` counts. A kind *with* that subresource ignores `status` in a main apply;
/// the caller must remove it from `config` first.
///
/// The result may contain nulls that validation must reject, and it lacks the defaults of released fields: call
/// [`schema::fill`](crate::schema::fill) on it, not `default`. Then check [`is_unchanged`].
///
/// # Errors
/// Returns an [`ApplyError`]. The function does not validate the name, the version, or values against the schema.
pub fn apply(
    live: Option<&Value>,
    config: &Value,
    lists: Lists<'_>,
    actor: &Actor<'_>,
    force: Force,
) -> Result<Value, ApplyError> {
    if config.pointer("/metadata/managedFields").is_some_and(|fields| !fields.is_null()) {
        return Err(ApplyError::Invalid("metadata.managedFields must be nil".to_owned()));
    }
    let views = Views::new(lists, config, actor.api_version);
    check_types(config, views.shape)?;
    let config = relevant(config, actor);
    let Some(live) = live else {
        return merge_and_own(&json!({}), &config, Ledger::default(), views, actor, force);
    };
    let old = without_ledger(live);
    let ledger = adopted(Ledger::of(live), &old, views, actor)?;
    let new = merge_and_own(&old, &config, ledger, views, actor, force)?;
    Ok(if is_unchanged(live, &new) { live.clone() } else { new })
}

/// Whether the objects are equal except for the times in `managedFields`, so that the write is a no-op.
#[must_use]
pub fn is_unchanged(live: &Value, new: &Value) -> bool {
    is_equal(&without_ledger(live), &without_ledger(new)) && Ledger::of(live).is_same_but_times(&Ledger::of(new))
}

fn check_types(config: &Value, shape: Shape<'_>) -> Result<(), ApplyError> {
    let failed = |text| format!("failed to create typed patch object ({}): {text}", identity(config));
    typed::check(config, shape).map_err(|text| ApplyError::Typed(failed(text)))
}

/// The object in error messages: `namespace/name; group/version, Kind=Kind`.
fn identity(config: &Value) -> String {
    let text = |path: &str| config.pointer(path).and_then(Value::as_str).unwrap_or_default();
    let version = text("/apiVersion");
    let slash = if version.contains('/') { "" } else { "/" };
    format!("{}/{}; {slash}{version}, Kind={}", text("/metadata/namespace"), text("/metadata/name"), text("/kind"))
}

/// The part of a configuration that can be applied through the actor's subresource.
fn relevant(config: &Value, actor: &Actor<'_>) -> Value {
    let Value::Object(map) = config else { return config.clone() };
    let mut map = map.clone();
    if let Some(Value::Object(metadata)) = map.get_mut("metadata") {
        metadata.remove("managedFields");
    }
    if actor.subresource == Some("status") {
        map.retain(|name, _| matches!(name.as_str(), "apiVersion" | "kind" | "status"));
    }
    map.into()
}

/// Assigns an object without owners to `before-first-apply`, so that the first apply conflicts instead of silently taking it over.
fn adopted(ledger: Ledger, old: &Value, views: Views<'_>, actor: &Actor<'_>) -> Result<Ledger, ApplyError> {
    if !ledger.entries.is_empty() {
        return Ok(ledger);
    }
    update::recorded(ledger, &json!({}), old, views, "before-first-apply", actor).map_err(ApplyError::Typed)
}

fn merge_and_own(
    old: &Value,
    config: &Value,
    ledger: Ledger,
    views: Views<'_>,
    actor: &Actor<'_>,
    force: Force,
) -> Result<Value, ApplyError> {
    let mut ledger = schema_change::reconciled(ledger, old, views, actor.rules).map_err(ApplyError::Typed)?;
    let id = Id::apply(actor);
    let last = ledger.entries.remove(&id);
    let set = owned_paths::owned(config, views.shape).difference(&owned_paths::never_owned());
    let time = last.as_ref().and_then(|entry| entry.time.clone());
    ledger.entries.insert(id.clone(), Entry { set, api_version: actor.api_version.to_owned(), time });

    let merged = merge::merge(old, config, views.shape);
    let mut new = match last {
        Some(last) => remove_unapplied::release(&merged, &last, &ledger, views)
            .map_err(|why| ApplyError::Typed(format!("failed to prune fields: {why}")))?,
        None => merged,
    };
    let comparisons = Comparisons::new(old, &new, &ledger, views).map_err(ApplyError::Typed)?;
    settle(&mut ledger, &id, &comparisons, force)?;
    if !is_equal(old, &new)
        && let Some(entry) = ledger.entries.get_mut(&id)
    {
        entry.time = Some(actor.time.to_owned());
    }
    ledger.write(&mut new);
    Ok(new)
}

/// Removes changed fields from the entries of other managers, and removed fields from all entries. Without force, changed fields of other
/// managers are conflicts.
fn settle(ledger: &mut Ledger, own: &Id, comparisons: &Comparisons, force: Force) -> Result<(), ApplyError> {
    let others = || ledger.entries.iter().filter(|(id, _)| *id != own);
    let changed = |entry: &Entry| entry.set.intersection(&comparisons.of(entry).changed());
    let conflicts: Vec<_> = others().flat_map(|(id, entry)| Conflict::all(id, entry, &changed(entry))).collect();
    if force == Force::No && !conflicts.is_empty() {
        return Err(ApplyError::Conflicts(conflicts));
    }
    for (_, entry) in ledger.entries.iter_mut().filter(|(id, _)| *id != own) {
        comparisons.of(entry).release(&mut entry.set);
    }
    ledger.drop_empty();
    Ok(())
}
