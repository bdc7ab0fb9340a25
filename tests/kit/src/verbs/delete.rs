//! DELETE of one object.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::admission::{self, Operation, Request};
use crate::api_error::{Failure, quoted, resource, typed};
use crate::conversion;
use crate::registry::Kind;
use crate::request_context::Call;
use crate::response::Reply;
use crate::schema::Cause;
use crate::state::{Server, User};
use crate::store::{Key, Write};
use crate::{crd, crd_write, strategy, yaml};

/// Maximum number of attempts when other writes conflict with a deletion.
const ATTEMPTS: usize = 16;

/// The deletion propagation policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) enum Propagation {
    /// Unset: the finalizers of the object decide.
    #[default]
    Unsaid,
    /// Dependents are deleted after the owner.
    Background,
    /// Dependents are deleted before the owner.
    Foreground,
    /// Dependents are orphaned.
    Orphan,
}

/// The options of a deletion.
#[derive(Clone, Debug, Default)]
pub(crate) struct Deletion {
    pub(crate) propagation: Propagation,
    pub(crate) uid: Option<String>,
    pub(crate) version: Option<String>,
    pub(crate) grace: Option<i64>,
    pub(crate) dry_run: bool,
    /// `orphanDependents: false`. Only this option makes an unfinished deletion return status 202.
    pub(crate) cascades: bool,
    /// The options as sent, for reviews.
    pub(crate) reviewed: Map<String, Value>,
}

/// The result of a deletion.
#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    /// The object was deleted; the value is its last state.
    Gone(Arc<Value>),
    /// A finalizer or a grace period delays the deletion.
    Waiting(Arc<Value>),
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Options {
    kind: Option<String>,
    api_version: Option<String>,
    dry_run: Option<Vec<String>>,
    grace_period_seconds: Option<i64>,
    orphan_dependents: Option<bool>,
    preconditions: Option<Preconditions>,
    propagation_policy: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Preconditions {
    uid: Option<String>,
    resource_version: Option<String>,
}

pub(super) async fn answer(server: &Server, call: &Call) -> Result<Reply, Failure> {
    let deletion = Deletion::of(call)?;
    let key = call.key(call.name());
    let live = server.store.get(&call.kind.storage, &key);
    protected(call, live.is_some())?;
    let reviewer = Reviewer { user: &call.user, name: call.name() };
    let (outcome, warnings) = delete_reviewed(server, &call.kind, &key, &deletion, reviewer).await?;
    crd_write::settle(server, call);
    let (code, object) = match outcome {
        Outcome::Gone(object) if !returns_object(&call.kind) => {
            return Ok(Reply::value(200, &done(&call.kind, &object)).warning(warnings));
        }
        Outcome::Waiting(object) if deletion.cascades => (202, object),
        Outcome::Gone(object) | Outcome::Waiting(object) => (200, object),
    };
    let object = conversion::object(server, &call.lens, object).await?;
    Ok(Reply::object(code, &call.lens, &object, call.shape)?.warning(warnings))
}

/// Rejects the deletion of namespaces that Kubernetes protects.
fn protected(call: &Call, exists: bool) -> Result<(), Failure> {
    let namespace = call.kind.group.is_empty() && call.kind.plural == "namespaces";
    let kept = matches!(call.name(), "default" | "kube-system" | "kube-public");
    match namespace && kept && exists {
        true => Err(Failure::forbidden(resource(&call.kind, call.name()), "this namespace may not be deleted")),
        false => Ok(()),
    }
}

/// Whether a deletion of this kind returns the object; for other kinds it returns a `Status`.
fn returns_object(kind: &Kind) -> bool {
    let plural = kind.plural.as_str();
    kind.group.is_empty()
        && matches!(
            plural,
            "pods" | "services" | "persistentvolumes" | "persistentvolumeclaims" | "serviceaccounts" | "resourcequotas"
        )
}

fn done(kind: &Kind, object: &Value) -> Value {
    let mut details =
        json!({"name": strategy::meta(object, "name"), "kind": kind.plural, "uid": strategy::meta(object, "uid")});
    if !kind.group.is_empty() {
        details["group"] = json!(kind.group);
    }
    json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details})
}

impl Deletion {
    /// Reads the options of a request from the body, or from the query if there is no body.
    pub(super) fn of(call: &Call) -> Result<Self, Failure> {
        Self::from_options(options(call)?)
    }

    /// Reads options that are embedded in the body of another request.
    pub(super) fn asked(call: &Call, options: Value) -> Result<Self, Failure> {
        let mut options: Options = match options {
            Value::Null => Options::default(),
            options => Options::deserialize(options).map_err(|error| unread(&error.to_string()))?,
        };
        if !call.query.dry_run.is_empty() {
            options.dry_run = Some(call.query.dry_run.clone());
        }
        Self::from_options(options)
    }

    fn from_options(options: Options) -> Result<Self, Failure> {
        let causes = options_causes(&options);
        if !causes.is_empty() {
            return Err(Failure::invalid_options("DeleteOptions", &causes));
        }
        let propagation = match (options.propagation_policy.as_deref(), options.orphan_dependents) {
            (Some("Foreground"), _) => Propagation::Foreground,
            (Some("Orphan"), _) | (None, Some(true)) => Propagation::Orphan,
            (Some("Background"), _) | (None, Some(false)) => Propagation::Background,
            _ => Propagation::Unsaid,
        };
        let reviewed = reviewed(&options);
        let preconditions = options.preconditions.unwrap_or_default();
        Ok(Deletion {
            propagation,
            uid: preconditions.uid,
            version: preconditions.resource_version,
            grace: options.grace_period_seconds,
            dry_run: options.dry_run.is_some_and(|values| !values.is_empty()),
            cascades: options.orphan_dependents == Some(false),
            reviewed,
        })
    }
}

fn options(call: &Call) -> Result<Options, Failure> {
    if call.body.is_empty() {
        let query = &call.query;
        return Ok(Options {
            dry_run: Some(query.dry_run.clone()),
            grace_period_seconds: query.grace()?,
            orphan_dependents: query.orphan_dependents,
            propagation_policy: query.propagation_policy.clone(),
            ..Options::default()
        });
    }
    let text = String::from_utf8_lossy(&call.body);
    let value: Value = match call.content_type.as_str() {
        "application/yaml" => yaml::read(&call.body).map_err(|error| unread(&error))?.0,
        _ => serde_json::from_str(&text).map_err(|error| unread(&error.to_string()))?,
    };
    let mut options = Options::deserialize(value).map_err(|error| unread(&error.to_string()))?;
    let kind = options.kind.as_deref().unwrap_or("DeleteOptions");
    if kind != "DeleteOptions" {
        let version = options.api_version.as_deref().unwrap_or_default();
        return Err(Failure::bad_request(format!("no kind \"{kind}\" is registered for version \"{version}\"")));
    }
    if !call.query.dry_run.is_empty() {
        options.dry_run = Some(call.query.dry_run.clone());
    }
    Ok(options)
}

/// The options in the form of a review.
fn reviewed(options: &Options) -> Map<String, Value> {
    let preconditions = options.preconditions.as_ref().map(|asked| {
        let fields = [("uid", &asked.uid), ("resourceVersion", &asked.resource_version)];
        let given = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), json!(value.as_ref()?))));
        Value::Object(given.collect())
    });
    let fields = [
        ("dryRun", options.dry_run.as_ref().filter(|values| !values.is_empty()).map(|values| json!(values))),
        ("gracePeriodSeconds", options.grace_period_seconds.map(Value::from)),
        ("orphanDependents", options.orphan_dependents.map(Value::from)),
        ("preconditions", preconditions),
        ("propagationPolicy", options.propagation_policy.as_deref().map(Value::from)),
    ];
    fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

fn unread(why: &str) -> Failure {
    Failure::bad_request(format!("couldn't get version/kind; json parse error: {why}"))
}

fn options_causes(options: &Options) -> Vec<Cause> {
    let mut causes = Vec::new();
    let policy = options.propagation_policy.as_deref();
    if let (Some(policy), true) = (policy, options.orphan_dependents.is_some()) {
        let why = "orphanDependents and deletionPropagation cannot be both set";
        causes.push(Cause::invalid("propagationPolicy", quoted(policy), why));
    }
    if let Some(policy) = policy.filter(|policy| !matches!(*policy, "Foreground" | "Background" | "Orphan")) {
        let supported = ["Foreground", "Background", "Orphan", "nil"].map(str::to_owned);
        causes.push(Cause::unsupported("propagationPolicy", quoted(policy), &supported));
    }
    for value in options.dry_run.iter().flatten().filter(|value| *value != "All") {
        causes.push(Cause::unsupported("dryRun", quoted(value), &["All".to_owned()]));
    }
    causes
}

/// Who deletes an object, as a review reports it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reviewer<'a> {
    pub(crate) user: &'a User,
    /// The name in the path, which the deletion of a collection does not have.
    pub(crate) name: &'a str,
}

/// Deletes a stored object as [`delete_stored`] does, if no webhook refuses it. Returns the warnings of the webhooks.
pub(crate) async fn delete_reviewed(
    server: &Server,
    kind: &Arc<Kind>,
    key: &Key,
    deletion: &Deletion,
    reviewer: Reviewer<'_>,
) -> Result<(Outcome, Vec<String>), Failure> {
    let lens = server.catalog().lens(kind);
    let request =
        Request::new(kind, Operation::Delete, (&key.0, reviewer.name), reviewer.user, deletion.reviewed.clone());
    for _ in 0..ATTEMPTS {
        let live = server.store.get(&kind.storage, key).ok_or_else(|| Failure::not_found(resource(kind, &key.1)))?;
        preconditions(kind, &key.1, &live, deletion)?;
        let converted = conversion::object(server, &lens, Arc::clone(&live)).await?;
        let warnings = admission::delete(server, &request, &lens.shown(&converted)).await?;
        if let Some(outcome) = attempt(server, kind, key, live, deletion) {
            return Ok((outcome, warnings));
        }
    }
    Err(Failure::stale(resource(kind, &key.1)))
}

/// Deletes a stored object, or marks it for deletion if finalizers or a grace period delay the deletion.
pub(crate) fn delete_stored(server: &Server, kind: &Kind, key: &Key, deletion: &Deletion) -> Result<Outcome, Failure> {
    for _ in 0..ATTEMPTS {
        let live = server.store.get(&kind.storage, key).ok_or_else(|| Failure::not_found(resource(kind, &key.1)))?;
        preconditions(kind, &key.1, &live, deletion)?;
        if let Some(outcome) = attempt(server, kind, key, live, deletion) {
            return Ok(outcome);
        }
    }
    Err(Failure::stale(resource(kind, &key.1)))
}

/// One attempt; returns `None` if another write came first.
fn attempt(server: &Server, kind: &Kind, key: &Key, live: Arc<Value>, deletion: &Deletion) -> Option<Outcome> {
    let marked = marked(server, kind, &live, deletion);
    let gone = strategy::is_free(&marked);
    if deletion.dry_run {
        return Some(if gone { Outcome::Gone(live) } else { Outcome::Waiting(Arc::new(marked)) });
    }
    let old = Some(Arc::clone(&live));
    let write = Write { resource: kind.storage.clone(), key: key.clone(), old, new: (!gone).then_some(marked) };
    let object = server.store.commit(write).ok()?;
    Some(if gone { Outcome::Gone(live) } else { Outcome::Waiting(object) })
}

fn preconditions(kind: &Kind, name: &str, live: &Value, deletion: &Deletion) -> Result<(), Failure> {
    let (uid, version) = (strategy::meta(live, "uid"), strategy::meta(live, "resourceVersion"));
    let refuse = |why: String| Err(Failure::conflict(typed(kind, name), &why));
    match (&deletion.uid, &deletion.version) {
        (Some(asked), _) if asked != uid => refuse(format!(
            "the UID in the precondition ({asked}) does not match the UID in record ({uid}). The object might have been \
             deleted and then recreated"
        )),
        (_, Some(asked)) if asked != version => refuse(format!(
            "the ResourceVersion in the precondition ({asked}) does not match the ResourceVersion in record ({version}). \
             The object might have been modified"
        )),
        _ => Ok(()),
    }
}

/// The object marked for deletion.
fn marked(server: &Server, kind: &Kind, live: &Value, deletion: &Deletion) -> Value {
    let mut object = live.clone();
    propagate(&mut object, deletion.propagation);
    if kind.storage == crd_write::storage() {
        crd::mark_deleted(&mut object, server.clock.now());
    }
    if kind.storage == crd_write::storage() && !strategy::is_deleting(live) {
        // A deleted CRD gets no grace period, and its generation does not change.
        strategy::metadata(&mut object).insert("deletionTimestamp".to_owned(), json!(server.clock.stamp()));
        return object;
    }
    let grace = grace(kind, live, deletion);
    if strategy::is_deleting(live) {
        if grace < live["metadata"]["deletionGracePeriodSeconds"].as_i64().unwrap_or_default() {
            object["metadata"]["deletionGracePeriodSeconds"] = json!(grace);
        }
        return object;
    }
    let metadata = strategy::metadata(&mut object);
    metadata.insert("deletionTimestamp".to_owned(), json!(server.clock.stamp_in(grace)));
    metadata.insert("deletionGracePeriodSeconds".to_owned(), json!(grace));
    if let Some(generation) = metadata.get("generation").and_then(Value::as_i64) {
        metadata.insert("generation".to_owned(), json!(generation + 1));
    }
    if kind.group.is_empty() && kind.kind == "Namespace" {
        metadata.remove("deletionGracePeriodSeconds");
        object["status"]["phase"] = json!("Terminating");
    }
    object
}

/// Grace period in seconds; only Pods on a node have one.
fn grace(kind: &Kind, live: &Value, deletion: &Deletion) -> i64 {
    let pod = kind.group.is_empty() && kind.kind == "Pod";
    let on_node = !live["spec"]["nodeName"].as_str().unwrap_or_default().is_empty();
    match pod && on_node {
        true => deletion.grace.or_else(|| live["spec"]["terminationGracePeriodSeconds"].as_i64()).unwrap_or(30).max(0),
        false => 0,
    }
}

/// Sets the finalizers that the garbage collector acts on.
fn propagate(object: &mut Value, propagation: Propagation) {
    let (wanted, unwanted): (&[&str], &[&str]) = match propagation {
        Propagation::Unsaid => return,
        Propagation::Background => (&[], &["orphan", "foregroundDeletion"]),
        Propagation::Foreground => (&["foregroundDeletion"], &["orphan"]),
        Propagation::Orphan => (&["orphan"], &["foregroundDeletion"]),
    };
    let mut finalizers: Vec<String> = strategy::finalizers(object).into_iter().map(str::to_owned).collect();
    finalizers.retain(|finalizer| !unwanted.contains(&finalizer.as_str()));
    for finalizer in wanted {
        if !finalizers.iter().any(|known| known == finalizer) {
            finalizers.push((*finalizer).to_owned());
        }
    }
    match finalizers.is_empty() {
        true => drop(strategy::metadata(object).remove("finalizers")),
        false => drop(strategy::metadata(object).insert("finalizers".to_owned(), json!(finalizers))),
    }
}
