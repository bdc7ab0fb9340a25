//! What a step returns that has found an object, and cannot use it as it is.

use std::fmt;
use std::marker::PhantomData;

use crate::kind::{Kind, WakeUp};

/// An object that a step needs is there, and the step cannot use it yet: it lacks a key, for instance. Only
/// [`Cx::unfit`](crate::Cx::unfit) makes one, where the kind is watched: each change of the object triggers a reconcile, so an error of
/// class `waiting` that holds one needs no poll time.
///
/// ```ignore
/// #[derive(Debug, thiserror::Error, ReconcileError)]
/// pub enum RepoError {
///     /// The Secret is not there yet.
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
/// The condition then says: ``Secret "login" cannot be used yet: the key `token` is missing``.
pub struct Unfit<K> {
    name: String,
    why: String,
    kind: PhantomData<fn() -> K>,
}

impl<K: Kind> Unfit<K> {
    pub(crate) fn new(name: impl Into<String>, why: impl fmt::Display) -> Self {
        Self { name: name.into(), why: why.to_string(), kind: PhantomData }
    }

    /// The name of the object, after its namespace where that is another one than that of the reconciled object: `team-a/login`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What is missing.
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

impl<K: Kind> WakeUp for Unfit<K> {
    type Kind = K;
}
