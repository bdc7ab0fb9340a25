//! The final part of all writes: validation, managed fields, and the commit or its dry run.

use std::sync::Arc;

use serde_json::Value;

use super::{object_size, replicas};
use crate::admission;
use crate::api_error::{About, Failure, resource, typed};
use crate::apply::{Actor, Lists, is_unchanged, own_status, track_update};
use crate::cel;
use crate::crd_write;
use crate::depth_limit;
use crate::rbac;
use crate::registry::Kind;
use crate::request_context::Call;
use crate::schema::{self, Cause};
use crate::service_address::Ledger;
use crate::state::Server;
use crate::store::{Key, Stale, Write};
use crate::strategy::{self, Part};

/// Maximum number of attempts when other writes conflict.
const ATTEMPTS: usize = 16;

/// The result of a write.
pub(super) struct Written {
    pub(super) object: Arc<Value>,
    pub(super) created: bool,
    pub(super) warnings: Vec<String>,
}

/// The source of the list and map types of the kind.
pub(super) fn lists(call: &Call) -> Lists<'_> {
    call.lens.schema.as_deref().map_or(Lists::Deduced, Lists::Structural)
}

/// The actor of the request, for `managedFields`.
pub(super) fn actor<'a>(server: &Server, call: &'a Call, api_version: &'a str, time: &'a str) -> Actor<'a> {
    let rules = server.options.release.rules();
    Actor { manager: &call.manager, api_version, subresource: call.target.subresource.as_deref(), time, rules }
}

/// Stores a new object whose system fields are already set.
pub(super) fn insert(server: &Server, call: &Call, mut object: Value, track: Track) -> Result<Written, Failure> {
    let kind = &call.kind;
    rbac::check_given(server, call, &object, None)?;
    let mut warnings = crd_write::prepare(call, &mut object, None)?;
    let own = [strategy::created(kind, &object), strategy::kind_causes(kind, &object, None)].concat();
    let causes = by_schema(call, &object, None, own, &mut warnings);
    let name = strategy::meta(&object, "name").to_owned();
    refuse(typed(kind, &name), &causes)?;
    namespace_open(server, call, &name)?;
    if track == Track::Update {
        let time = server.clock.stamp();
        track_update(None, &mut object, lists(call), &actor(server, call, &kind.api_version(), &time));
    }
    strategy::complete(kind, &mut object);
    admission::new(server, call, &mut object)?;
    // The status in the request was removed above. The defaults of the status have no owner; in early releases the creator owns them.
    if let Some(schema) = &call.lens.schema {
        schema::default(&mut object, schema);
    }
    if track == Track::Update {
        let time = server.clock.stamp();
        own_status(&mut object, lists(call), &actor(server, call, &kind.api_version(), &time));
    }
    let key = call.key(&name);
    let mut ledger = server.addresses.open(&server.store, kind);
    given(ledger.as_mut(), call, &key, &mut object)?;
    if let Some(live) = server.store.get(&kind.storage, &key) {
        return Err(taken(resource(kind, &name), &live));
    }
    whole(call, &object)?;
    if call.is_dry_run() {
        return Ok(Written { object: Arc::new(object), created: true, warnings });
    }
    let new = stored(kind, object);
    object_size::check(&new)?;
    let write = Write { resource: kind.storage.clone(), key, old: None, new: Some(new) };
    let committed = server.store.commit(write).map_err(|Stale| Failure::already_exists(resource(kind, &name)))?;
    Ok(Written { object: committed, created: true, warnings })
}

/// Assigns the addresses of a Service. Addresses have no owner, so this runs after the managed fields are recorded.
fn given(ledger: Option<&mut Ledger<'_>>, call: &Call, key: &Key, object: &mut Value) -> Result<(), Failure> {
    let settled = ledger.map_or(Ok(()), |ledger| ledger.settle(key, object));
    settled.map_err(|cause| Failure::invalid(typed(&call.kind, &key.1), &[cause]))
}

/// Whether the write must still be recorded in `managedFields` as an Update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Track {
    /// It must still be recorded.
    Update,
    /// Server-side apply has already recorded it.
    Done,
}

/// Computes and commits a change of a stored object, and retries on conflicts with other writes.
pub(super) fn replace(
    server: &Server,
    call: &Call,
    track: Track,
    compute: impl Fn(&Value) -> Result<Value, Failure>,
) -> Result<Written, Failure> {
    let key = call.key(call.name());
    for _ in 0..ATTEMPTS {
        let live = server.store.get(&call.kind.storage, &key);
        let live = live.ok_or_else(|| Failure::not_found(resource(&call.kind, call.name())))?;
        let sent = compute(&call.lens.shown(&live))?;
        match change(server, call, track, &live, sent, &key)? {
            Some(written) => return Ok(written),
            None => continue,
        }
    }
    Err(Failure::stale(resource(&call.kind, call.name())))
}

/// One attempt; returns `None` if another write came first.
fn change(
    server: &Server,
    call: &Call,
    track: Track,
    live: &Arc<Value>,
    mut sent: Value,
    key: &Key,
) -> Result<Option<Written>, Failure> {
    let kind = &call.kind;
    let shown = call.lens.shown(live);
    keep(kind, &mut sent);
    strategy::carry_over(kind, call.part(), &shown, &mut sent);
    rbac::check_given(server, call, &sent, Some(&shown))?;
    let mut warnings = crd_write::prepare(call, &mut sent, Some(&shown))?;
    // An API server validates the metadata twice: in the generic code and in the code of the kind.
    let metadata = strategy::updated(&shown, &sent);
    let own = [metadata.clone(), metadata, strategy::kind_causes(kind, &sent, Some(&shown))].concat();
    let causes = by_schema(call, &sent, Some(&shown), own, &mut warnings);
    refuse(typed(kind, call.name()), &causes)?;
    if track == Track::Update {
        let time = server.clock.stamp();
        track_update(Some(&shown), &mut sent, lists(call), &actor(server, call, &kind.api_version(), &time));
    }
    let mut ledger = server.addresses.open(&server.store, kind);
    given(ledger.as_mut(), call, key, &mut sent)?;
    if is_unchanged(&shown, &sent) {
        return Ok(Some(Written { object: Arc::clone(live), created: false, warnings }));
    }
    whole(call, &sent)?;
    let gone = strategy::is_deleting(live) && strategy::is_free(&sent);
    let new = stored(kind, sent);
    if call.is_dry_run() {
        return Ok(Some(Written { object: Arc::new(new), created: false, warnings }));
    }
    object_size::check(&new)?;
    let answer = gone.then(|| Arc::new(new.clone()));
    let write = Write {
        resource: kind.storage.clone(),
        key: key.clone(),
        old: Some(Arc::clone(live)),
        new: (!gone).then_some(new),
    };
    match server.store.commit(write) {
        Ok(committed) => Ok(Some(Written { object: answer.unwrap_or(committed), created: false, warnings })),
        Err(Stale) => Ok(None),
    }
}

/// Rejects an object if a part that must be stored was cut off because of its depth.
fn whole(call: &Call, object: &Value) -> Result<(), Failure> {
    if call.is_cut { depth_limit::whole(object) } else { Ok(()) }
}

/// Drops the fields that the storage version does not declare.
fn keep(kind: &Kind, object: &mut Value) {
    if let Some(custom) = kind.custom().filter(|custom| custom.storage_version != kind.version) {
        schema::prune(object, &custom.storage_schema);
    }
}

/// The stored form of an object.
pub(super) fn stored(kind: &Kind, mut object: Value) -> Value {
    keep(kind, &mut object);
    if let Some(custom) = kind.custom() {
        object["apiVersion"] = format!("{}/{}", kind.group, custom.storage_version).into();
    } else if kind.storage.plural.as_ref() == "events" {
        object = crate::event::stored(&kind.group, object);
    }
    object
}

/// Appends the errors of a custom kind's schema to `causes`: first of its values, then of its CEL rules.
fn by_schema(
    call: &Call,
    object: &Value,
    live: Option<&Value>,
    mut causes: Vec<Cause>,
    warnings: &mut Vec<String>,
) -> Vec<Cause> {
    causes.extend(schema_causes(call, object, live));
    if let Some(schema) = &call.lens.schema {
        let outcome = cel::run(object, live, schema, &causes);
        causes.extend(outcome.causes);
        warnings.extend(outcome.warnings);
    }
    causes
}

/// The schema errors of a custom kind; a status write reports only errors in the status.
fn schema_causes(call: &Call, object: &Value, live: Option<&Value>) -> Vec<Cause> {
    let Some(schema) = &call.lens.schema else { return Vec::new() };
    let mut causes = schema::validate(object, live, schema);
    match call.part() {
        Part::Main if call.kind.status => causes.retain(|cause| !within(cause, "status")),
        Part::Main => {}
        Part::Status => causes.retain(|cause| within(cause, "status")),
    }
    if let Some(scale) = &call.kind.scale {
        replicas::check(object, scale, call.part(), &mut causes);
    }
    causes
}

fn within(cause: &Cause, field: &str) -> bool {
    cause.field.strip_prefix(field).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

fn refuse(about: About<'_>, causes: &[Cause]) -> Result<(), Failure> {
    if causes.is_empty() { Ok(()) } else { Err(Failure::invalid(about, causes)) }
}

fn taken(about: About<'_>, live: &Value) -> Failure {
    let mut failure = Failure::already_exists(about);
    if strategy::is_deleting(live) {
        failure.message = format!("object is being deleted: {}", failure.message);
    }
    failure
}

/// Rejects a create in a namespace that is missing or being deleted.
fn namespace_open(server: &Server, call: &Call, name: &str) -> Result<(), Failure> {
    let Some(namespace) = call.target.namespace.as_deref() else { return Ok(()) };
    let storage = crate::registry::Storage::new("", "namespaces");
    let about = About { group: "", kind: "namespaces", name: namespace };
    let live =
        server.store.get(&storage, &(String::new(), namespace.to_owned())).ok_or_else(|| Failure::not_found(about))?;
    if !strategy::is_deleting(&live) {
        return Ok(());
    }
    let cause = Cause {
        reason: "NamespaceTerminating".to_owned(),
        message: format!("namespace {namespace} is being terminated"),
        field: "metadata.namespace".to_owned(),
    };
    let why = format!("unable to create new content in namespace {namespace} because it is being terminated");
    Err(Failure::terminating(resource(&call.kind, name), &why, &cause))
}
