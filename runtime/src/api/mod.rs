//! The port between a pass and the API server: every call of a step goes through it, so it can be counted, traced and failed.

#[cfg(feature = "operator")]
pub(crate) mod adoption;
#[cfg(feature = "operator")]
pub(crate) mod grant;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use kube::core::{DynamicObject, ObjectMeta};

use crate::dependency::Access;
use crate::outcome::reporting::{Actions, VariantInfo};
use crate::outcome::{Class, ReconcileError};
use crate::status::desired::StatusIntent;
use crate::status::operation::Operation;
use crate::wiring::{KindInfo, Relation};

/// A future on the heap: the same type as that of this name in `futures`.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What may go wrong with a call to the API server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApiError {
    /// Somebody wrote a newer version first (409).
    Conflict(String),
    /// The answer names an object that is not there (404): the one of the call, its namespace, or a subresource of it. A webhook answers so,
    /// too; that the object of the call is gone shows only in a read of it.
    NotFound(String),
    /// The API server does not serve the kind or the path, or does not serve it yet (404 that names no object).
    NotServed(String),
    /// The role does not allow it (403).
    Forbidden(String),
    /// The server refuses the content (400, 422).
    Invalid(String),
    /// The server is busy (429, 503), with its `Retry-After`.
    Busy(Option<Duration>, String),
    /// The object belongs to another owner, or to none: it was left as it is. The text names the owner.
    Foreign(String),
    /// Anything else: the network, a 500, an answer that cannot be decoded.
    Failed(String),
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Conflict(text)
            | Self::NotFound(text)
            | Self::NotServed(text)
            | Self::Forbidden(text)
            | Self::Invalid(text)
            | Self::Busy(_, text)
            | Self::Foreign(text)
            | Self::Failed(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for ApiError {}

const fn variant(reason: &'static str, doc: &'static str) -> VariantInfo {
    VariantInfo::new(reason, "transient", doc, Actions::TRANSIENT)
}

/// The reason of an object that waits for one that is another's, whatever the error type of its step is.
pub(crate) const FOREIGN: &str = "DependentForeign";
const FOREIGN_DOC: &str = "An object that it would write belongs to another owner, or to none; it is left as it is.\n\n\
    Delete that object, choose another name, or declare `owns(.., adopt = ..)`. It runs again when that object or its owner changes.";

/// A step that does nothing but talk to the API server needs no error type of its own: whatever is refused is tried again with back-off,
/// as a role, a webhook or another object may change. An object of another owner is waited for.
impl ReconcileError for ApiError {
    fn class(&self) -> Class {
        match self {
            Self::Foreign(_) => Class::Waiting { poll: None },
            _ => Class::Transient,
        }
    }

    fn reason(&self) -> &'static str {
        match self {
            Self::Conflict(_) => "Conflict",
            Self::NotFound(_) => "NotFound",
            Self::NotServed(_) => "NotServed",
            Self::Forbidden(_) => "Forbidden",
            Self::Invalid(_) => "Invalid",
            Self::Busy(..) => "ServerBusy",
            Self::Foreign(_) => FOREIGN,
            Self::Failed(_) => "CallFailed",
        }
    }

    const VARIANTS: &'static [VariantInfo] = &[
        variant("Conflict", "Somebody wrote a newer version first."),
        variant("NotFound", "What was to be written is not there, or its namespace is not."),
        variant("NotServed", "The API server does not serve the kind, or does not serve it yet."),
        variant("Forbidden", "The role of the operator does not allow it."),
        variant("Invalid", "The API server refuses the content."),
        variant("ServerBusy", "The API server is busy."),
        VariantInfo::new(FOREIGN, "waiting", FOREIGN_DOC, Actions::WAITING),
        variant("CallFailed", "The API server did not answer, or not as it should."),
    ];
}

/// Which object a call is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// Its kind.
    pub kind: KindInfo,
    /// Its namespace, where the kind has them.
    pub namespace: Option<String>,
    /// Its name.
    pub name: String,
}

impl Target {
    /// All objects of the kind that match a selector, in this namespace; without one, wherever they are watched. No object has such a
    /// name.
    #[must_use]
    pub fn selection(kind: KindInfo, namespace: Option<String>, selector: &str) -> Self {
        Self { namespace: namespace.filter(|_| kind.namespaced), name: format!("?{selector}"), kind }
    }

    /// Those of the selection that stand under an entry of an index.
    pub(crate) fn under(self, entry: &str) -> Self {
        Self { name: format!("{}|{entry}", self.name), ..self }
    }

    /// What is selected, where not an object is meant.
    pub(crate) fn selected(&self) -> Option<Selected<'_>> {
        let text = self.name.strip_prefix('?')?;
        // No selector has a bar.
        Some(match text.split_once('|') {
            Some((selector, entry)) => Selected { selector, entry: Some(entry) },
            None => Selected { selector: text, entry: None },
        })
    }
}

/// What a target selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Selected<'a> {
    /// By label.
    pub(crate) selector: &'a str,
    /// And by an entry of an index.
    pub(crate) entry: Option<&'a str>,
}

impl fmt::Display for Target {
    /// As it stands in `status.observedInputs.references`: `v1/Secret/team-a/token`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.kind.resource.api_version, self.kind.resource.kind)?;
        match &self.namespace {
            Some(namespace) => write!(f, "/{namespace}/{}", self.name),
            None => write!(f, "/{}", self.name),
        }
    }
}

/// What a pass can do. The operator implements it over the caches and the client; a test may give one of its own.
pub trait Backend: Send + Sync {
    /// Reads an object in the declared way. `None`: it is not there.
    fn get(&self, relation: Relation, target: Target) -> BoxFuture<'_, Result<Option<Arc<DynamicObject>>, ApiError>>;
    /// All objects of a [selection](Target::selection), ordered by namespace and name.
    fn list(&self, relation: Relation, target: Target) -> BoxFuture<'_, Result<Vec<Arc<DynamicObject>>, ApiError>>;
    /// Of all objects of a selection the metadata, or of those of the kind that the reconciled object owns.
    fn metadata(&self, relation: Relation, target: Target) -> BoxFuture<'_, Result<Vec<ObjectMeta>, ApiError>>;
    /// The names of the objects of the kind that are owned by the reconciled one, in order.
    fn owned(&self, kind: KindInfo) -> BoxFuture<'_, Result<Vec<String>, ApiError>>;
    /// Server-side apply of an owned object under the reconciler's field manager, owner reference included. One that is there already
    /// and not ours is taken over as the relation says, and [refused](ApiError::Foreign) otherwise.
    fn apply(
        &self,
        relation: Relation,
        target: Target,
        object: serde_json::Value,
    ) -> BoxFuture<'_, Result<Arc<DynamicObject>, ApiError>>;
    /// Deletes an owned object; one that is not there is fine, and one that is not ours is [refused](ApiError::Foreign).
    fn delete(&self, target: Target) -> BoxFuture<'_, Result<(), ApiError>>;
    /// Writes the status in the middle of a pass and replaces the status that was found. An `urgent` status is written although the spec
    /// has changed since the pass began.
    fn record(&self, found: StatusIntent, intent: StatusIntent, urgent: bool) -> BoxFuture<'_, Result<(), ApiError>>;
    /// The operation of this place in the code that runs for the reconciled object, as far as this process knows.
    #[doc(hidden)]
    fn operation(&self, _place: &'static str) -> Option<Operation> {
        None
    }
    /// Remembers that it runs, or that it has ended.
    #[doc(hidden)]
    fn keep_operation(&self, _place: &'static str, _operation: Option<Operation>) {}
    /// Which references to other namespaces the operator allows.
    fn access(&self) -> Access {
        Access::default()
    }
    /// Takes note of the end of a step.
    #[doc(hidden)]
    fn step_ended(&self, _step: &'static str, _how: &'static str, _took: Duration) {}
    /// Runs blocking work from now on, also where nobody awaits its end; the key of the object stays taken until then.
    fn blocking(&self, work: Box<dyn FnOnce() + Send>) -> BoxFuture<'static, ()>;
}
