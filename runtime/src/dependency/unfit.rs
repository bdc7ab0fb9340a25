//! The error of a step that found an object but cannot use it.

use std::fmt;
use std::marker::PhantomData;

use crate::kind::{Kind, TriggeredBy};

/// An object that a step needs exists, but the step cannot use it yet, for example because it lacks a key.
///
/// Only [`Cx::unfit`](crate::Cx::unfit) creates this error, for a kind that is watched. Each change to the object
/// triggers a reconcile, so an error of class `waiting` that contains it does not need a poll time.
///
/// ```ignore
/// #[derive(Debug, thiserror::Error, ReconcileError)]
/// pub enum RepoError {
///     /// The Secret does not exist yet.
///     #[error(transparent)]
///     #[class(waiting)]
///     SecretMissing(#[from] Absent<Secret>),
///     /// The Secret lacks a key.
///     #[error(transparent)]
///     #[class(waiting)]
///     SecretIncomplete(#[from] Unfit<Secret>),
/// }
///
/// #[sub_reconciler(sets(on::SourceFetched), watches(Secret, by_name))]
/// pub async fn fetch(repo: &GitRepository, cx: &mut Cx) -> Result<(), RepoError> {
///     let secret = cx.require::<Secret>(&repo.spec.secret).await?;
///     let token = secret.data.as_ref().and_then(|data| data.get("token"));
///     let token = token.ok_or_else(|| cx.unfit(&secret, "the key `token` is missing"))?;
///     ..
/// }
/// ```
///
/// The message of the condition is then ``Secret "login" cannot be used yet: the key `token` is missing``.
pub struct Unfit<K> {
    name: String,
    why: String,
    kind: PhantomData<fn() -> K>,
}

impl<K: Kind> Unfit<K> {
    pub(crate) fn new(name: impl Into<String>, why: impl fmt::Display) -> Self {
        Self { name: name.into(), why: why.to_string(), kind: PhantomData }
    }

    /// The name of the object: `team-a/login`.
    ///
    /// The namespace is included if it differs from that of the reconciled object.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The missing part of the object.
    #[must_use]
    pub fn why(&self) -> &str {
        &self.why
    }
}

impl<K: Kind> fmt::Display for Unfit<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} \"{}\" cannot be used yet: {}", K::kind(&()), self.name, self.why)
    }
}

impl<K: Kind> fmt::Debug for Unfit<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Unfit({self})")
    }
}

impl<K: Kind> std::error::Error for Unfit<K> {}

impl<K: Kind> TriggeredBy for Unfit<K> {
    type Kind = K;
}
