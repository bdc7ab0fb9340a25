//! Updates `managedFields` on every write except apply.

use serde_json::{Value, json};

use super::actor::{Actor, Lists, Rules};
use super::builtin;
use super::comparisons::Comparisons;
use super::entry_limit::cap;
use super::managed_fields::without_ledger;
use super::managed_fields::{Entry, Id, Ledger};
use super::owned_paths::never_owned;
use super::owned_paths::owned;
use super::path_element::Element;
use super::schema_change::reconciled;
use super::set::{Node, Set};
use super::shape::Shape;
use super::views::Views;

/// Records in `after.metadata.managedFields` that `actor` replaced `before` by `after` with POST, PUT or a patch other than apply.
/// `before` is `None` for a create.
///
/// `actor` becomes the only owner of each changed field, and removed fields are removed from every entry.
///
/// Valid `managedFields` in `after` replace the stored ones (kubectl migrates entries this way). Absent, null, empty or malformed ones
/// are ignored, and `[{}]` clears all entries. An existing object without entries stays without entries.
///
/// From the eleventh update entry on, the oldest entries are merged into one of the manager `ancient-changes`.
///
/// If the object cannot be converted to the version of an entry, all entries are removed, as an API server does.
pub fn track_update(before: Option<&Value>, after: &mut Value, lists: Lists<'_>, actor: &Actor<'_>) {
    updated(before, after, lists, actor).unwrap_or_default().write(after);
}

/// The ledger that [`track_update`] writes.
///
/// # Errors
/// If the object cannot be converted to the version of an entry.
pub(crate) fn updated(
    before: Option<&Value>,
    after: &Value,
    lists: Lists<'_>,
    actor: &Actor<'_>,
) -> Result<Ledger, String> {
    let ledger = base(before, after, actor);
    if before.is_some() && ledger.entries.is_empty() {
        return Ok(ledger);
    }
    let bare = written(without_ledger(after), lists, actor);
    let old = written(before.map_or_else(|| unwritten(&bare, lists), without_ledger), lists, actor);
    let views = Views::new(lists, after, actor.api_version);
    recorded(ledger, &old, &bare, views, actor.manager, actor)
}

/// The part of the object that a request writes: built-in kinds exclude the status from writes of the main resource.
fn written(mut object: Value, lists: Lists<'_>, actor: &Actor<'_>) -> Value {
    if let (Lists::Deduced, None, Some(fields)) = (lists, actor.subresource, object.as_object_mut()) {
        fields.remove("status");
    }
    object
}

/// The state before an object is created: empty, or the empty parts of a built-in kind.
fn unwritten(after: &Value, lists: Lists<'_>) -> Value {
    let text = |name: &str| after[name].as_str().unwrap_or_default();
    match lists {
        Lists::Structural(_) | Lists::Versions(..) => json!({}),
        Lists::Deduced => builtin::empty(text("apiVersion"), text("kind")),
    }
}

/// The ledger before the write is recorded.
fn base(before: Option<&Value>, after: &Value, actor: &Actor<'_>) -> Ledger {
    let live = || before.map(Ledger::of).unwrap_or_default();
    let sent = after.pointer("/metadata/managedFields");
    if actor.subresource.is_some() {
        return live();
    }
    if sent == Some(&json!([{}])) {
        return Ledger::default();
    }
    sent.and_then(|sent| Ledger::decode(sent).ok()).filter(|ledger| !ledger.entries.is_empty()).unwrap_or_else(live)
}

/// The ledger after `manager` changed `old` to `new`; neither object contains `managedFields`.
///
/// # Errors
/// If an object has no form in the version of an entry.
pub(super) fn recorded(
    ledger: Ledger,
    old: &Value,
    new: &Value,
    views: Views<'_>,
    manager: &str,
    actor: &Actor<'_>,
) -> Result<Ledger, String> {
    let mut ledger = reconciled(ledger, old, views, actor.rules)?;
    let comparisons = Comparisons::new(old, new, &ledger, views)?;
    let is_changed = |entry: &Entry| !entry.set.intersection(&comparisons.of(entry).changed()).is_empty();
    let was_owned = ledger.entries.values().any(is_changed);
    for entry in ledger.entries.values_mut() {
        comparisons.of(entry).release(&mut entry.set);
    }
    let gained = comparisons.own().changed().difference(&never_owned());
    // A write through `scale` takes replicas over from an owner, but does not claim replicas without an owner.
    if !gained.is_empty() && (was_owned || actor.subresource != Some("scale")) {
        let entry = Entry { set: gained, api_version: actor.api_version.to_owned(), time: time(actor) };
        add(&mut ledger, Id::update(manager, actor), entry);
    }
    ledger.drop_empty();
    cap(&mut ledger);
    Ok(ledger)
}

/// Makes the creator of an object the owner of the defaults of its status, if the rules require it.
pub(crate) fn own_status(object: &mut Value, lists: Lists<'_>, actor: &Actor<'_>) {
    if actor.rules == Rules::Today || object["status"].is_null() {
        return;
    }
    let (mut ledger, status) = (Ledger::of(object), Element::field("status"));
    let below = owned(&object["status"], Shape::root(lists, object).step(&status).0);
    let new = Entry { set: Set::default(), api_version: actor.api_version.to_owned(), time: time(actor) };
    let entry = ledger.entries.entry(Id::update(actor.manager, actor)).or_insert(new);
    entry.set.attach(status, Node { is_member: true, below });
    ledger.write(object);
}

/// A write through `scale` changes owners without setting a time.
fn time(actor: &Actor<'_>) -> Option<String> {
    (actor.subresource != Some("scale")).then(|| actor.time.to_owned())
}

fn add(ledger: &mut Ledger, id: Id, mut entry: Entry) {
    if let Some(previous) = ledger.entries.remove(&id) {
        entry.set.extend(previous.set);
    }
    ledger.entries.insert(id, entry);
}
