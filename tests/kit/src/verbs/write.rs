//! The final part of all writes: admission, validation, managed fields, and the commit or its dry run.

use std::sync::Arc;

use serde_json::Value;

use super::admit::{self, Draft};
use super::checks::{by_schema, namespace_open, refuse, taken};
use super::object_size;
use super::record::{self, Track, actor, lists};
use super::stored::{is_current, stored};
use crate::admission;
use crate::api_error::{Failure, resource, typed};
use crate::apply::{Lists, is_unchanged, own_status, track_update};
use crate::conversion;
use crate::crd_write;
use crate::depth_limit;
use crate::rbac;
use crate::request_context::{Call, Uid};
use crate::schema;
use crate::service_address::Ledger;
use crate::state::Server;
use crate::store::{Key, Stale, Write};
use crate::strategy;

/// Maximum number of attempts when other writes conflict.
const ATTEMPTS: usize = 16;

/// The result of a write.
pub(super) struct Written {
    pub(super) object: Arc<Value>,
    pub(super) created: bool,
    pub(super) warnings: Vec<String>,
}

/// The new state of a stored object, as a request asks for it.
pub(super) struct Sent {
    pub(super) object: Value,
    /// Warnings that are also returned if the write is rejected.
    pub(super) complaints: Vec<String>,
    /// Warnings that are only returned if the write succeeds.
    pub(super) notes: Vec<String>,
}

impl From<Value> for Sent {
    fn from(object: Value) -> Self {
        Sent { object, complaints: Vec::new(), notes: Vec::new() }
    }
}

/// Stores a new object, as it was decoded.
pub(super) async fn insert(server: &Server, call: &Call, sent: Value, track: Track) -> Result<Written, Failure> {
    let mut draft = admit::created(server, call, sent, track).await?;
    let warned = |failure: Failure, warnings: &[String]| failure.warning(warnings.to_vec());
    complete(server, call, &mut draft).map_err(|failure| warned(failure, &draft.warnings))?;
    let asked = admit::validated(server, call, &draft.object, None).await;
    draft.warnings.extend(asked.map_err(|failure| warned(failure, &draft.warnings))?);
    let warnings = draft.warnings.clone();
    let stored = async {
        draft.object = conversion::stored(server, &call.kind, draft.object).await?;
        shown(server, call, store_new(server, call, draft)?).await
    };
    stored.await.map_err(|failure| warned(failure, &warnings))
}

/// Converts the result of a write to the version of the request.
async fn shown(server: &Server, call: &Call, written: Written) -> Result<Written, Failure> {
    let object = conversion::object(server, &call.lens, written.object).await?;
    Ok(Written { object, ..written })
}

/// Sets the system fields and the managed fields of a new object, and checks it.
fn complete(server: &Server, call: &Call, draft: &mut Draft) -> Result<(), Failure> {
    let (kind, object) = (&call.kind, &mut draft.object);
    strategy::fresh(kind, call.target.namespace.as_deref(), &server.clock.stamp(), object)?;
    if let Some(Uid(uid)) = &call.uid {
        strategy::metadata(object).insert("uid".to_owned(), uid.as_str().into());
    }
    rbac::check_given(server, call, object, None)?;
    admission::supported(kind, object)?;
    draft.warnings.extend(crd_write::prepare(call, object, None)?);
    let own = [strategy::created(kind, object), strategy::kind_causes(kind, object, None)].concat();
    let causes = by_schema(call, object, None, own, &mut draft.warnings);
    let name = strategy::meta(object, "name").to_owned();
    refuse(typed(kind, &name), &causes)?;
    namespace_open(server, call, &name)?;
    if draft.track == Track::Update {
        let time = server.clock.stamp();
        track_update(None, object, lists(call), &actor(server, call, &kind.api_version(), &time));
    }
    strategy::complete(kind, object);
    admission::prioritize(server, call, object)?;
    // The status in the request was removed above. The defaults of the status have no owner; in early releases the creator owns them.
    if let Some(schema) = &call.lens.schema {
        schema::default(object, schema);
    }
    if draft.track == Track::Update {
        let time = server.clock.stamp();
        own_status(object, lists(call), &actor(server, call, &kind.api_version(), &time));
    }
    Ok(())
}

/// Commits a complete new object.
fn store_new(server: &Server, call: &Call, draft: Draft) -> Result<Written, Failure> {
    let Draft { mut object, warnings, .. } = draft;
    let kind = &call.kind;
    let name = strategy::meta(&object, "name").to_owned();
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

/// Computes and commits a change of a stored object, and retries on conflicts with other writes.
///
/// `compute` is run again after conversions that it requires. `check` compares the live object with the sent one after the mutating webhooks.
pub(super) async fn replace(
    server: &Server,
    call: &Call,
    track: Track,
    compute: impl Fn(&Value, Lists<'_>) -> Result<Sent, Failure> + Send + Sync,
    check: impl Fn(&Value, &Value) -> Result<(), Failure> + Send,
) -> Result<Written, Failure> {
    let key = call.key(call.name());
    for _ in 0..ATTEMPTS {
        let live = server.store.get(&call.kind.storage, &key);
        let live = live.ok_or_else(|| Failure::not_found(resource(&call.kind, call.name())))?;
        let converted = conversion::object(server, &call.lens, Arc::clone(&live)).await?;
        let shown = call.lens.shown(&converted);
        let sent = conversion::with_versions(server, &call.lens, |lists| compute(&shown, lists)).await;
        let Sent { object, mut complaints, notes } = sent?;
        let attempt = async {
            let draft = admit::updated(server, call, object, &shown, track).await?;
            check(&shown, &draft.object).map_err(|failure| failure.warning(draft.warnings.clone()))?;
            change(server, call, draft, &live, &shown).await
        };
        if let Some(mut written) = attempt.await.map_err(|failure| failure.warning(complaints.clone()))? {
            complaints.extend(notes);
            written.warnings.splice(0..0, complaints);
            return Ok(written);
        }
    }
    Err(Failure::stale(resource(&call.kind, call.name())))
}

/// One attempt; returns `None` if another write came first.
async fn change(
    server: &Server,
    call: &Call,
    mut draft: Draft,
    live: &Arc<Value>,
    before: &Value,
) -> Result<Option<Written>, Failure> {
    let warned = |failure: Failure, warnings: &[String]| failure.warning(warnings.to_vec());
    prepare(server, call, &mut draft, before).map_err(|failure| warned(failure, &draft.warnings))?;
    if draft.track == Track::Update {
        record::updated(server, call, before, &mut draft.object).await;
    }
    let asked = admit::validated(server, call, &draft.object, Some(before)).await;
    draft.warnings.extend(asked.map_err(|failure| warned(failure, &draft.warnings))?);
    let warnings = draft.warnings.clone();
    let stored = async {
        if call.kind.converts().is_some() && !is_same(call, live, before, &draft.object) {
            draft.object = conversion::stored(server, &call.kind, draft.object).await?;
        }
        match store_change(server, call, draft, live, before)? {
            Some(written) => shown(server, call, written).await.map(Some),
            None => Ok(None),
        }
    };
    stored.await.map_err(|failure| warned(failure, &warnings))
}

/// Restores what the request must not change, and checks the changed object.
fn prepare(server: &Server, call: &Call, draft: &mut Draft, shown: &Value) -> Result<(), Failure> {
    let (kind, sent) = (&call.kind, &mut draft.object);
    strategy::carry_over(kind, call.part(), shown, sent);
    rbac::check_given(server, call, sent, Some(shown))?;
    admission::supported(kind, sent)?;
    draft.warnings.extend(crd_write::prepare(call, sent, Some(shown))?);
    // An API server validates the metadata twice: in the generic code and in the code of the kind.
    let metadata = strategy::updated(shown, sent);
    let own = [metadata.clone(), metadata, strategy::kind_causes(kind, sent, Some(shown))].concat();
    let causes = by_schema(call, sent, Some(shown), own, &mut draft.warnings);
    refuse(typed(kind, call.name()), &causes)
}

/// Whether a write changes nothing. An object in an old storage version is always written anew.
fn is_same(call: &Call, live: &Value, before: &Value, after: &Value) -> bool {
    is_current(&call.kind, live) && is_unchanged(before, after)
}

/// Commits a complete changed object, unless nothing changes.
fn store_change(
    server: &Server,
    call: &Call,
    draft: Draft,
    live: &Arc<Value>,
    shown: &Value,
) -> Result<Option<Written>, Failure> {
    let Draft { object: mut sent, warnings, .. } = draft;
    let (kind, key) = (&call.kind, call.key(call.name()));
    let mut ledger = server.addresses.open(&server.store, kind);
    given(ledger.as_mut(), call, &key, &mut sent)?;
    if is_same(call, live, shown, &sent) {
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
    let write = Write { resource: kind.storage.clone(), key, old: Some(Arc::clone(live)), new: (!gone).then_some(new) };
    match server.store.commit(write) {
        Ok(committed) => Ok(Some(Written { object: answer.unwrap_or(committed), created: false, warnings })),
        Err(Stale) => Ok(None),
    }
}

/// Rejects an object if a part that must be stored was cut off because of its depth.
fn whole(call: &Call, object: &Value) -> Result<(), Failure> {
    if call.is_cut { depth_limit::whole(object) } else { Ok(()) }
}
