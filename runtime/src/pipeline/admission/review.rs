//! The context of a function that reviews writes: the request, reads, refusals and warnings.

use std::fmt;
use std::marker::PhantomData;

use k8s_openapi::api::authentication::v1::UserInfo;

use super::denial::{Cause, Denial};
use super::field::Field;
use super::function::AdmissionFunction;
use super::request::{Reads, ReviewRequest};
use crate::api::{ApiError, Target};
use crate::kind::typed;
use crate::pipeline::context::Get;
use crate::pipeline::permission::ReadBy;
use crate::wiring::admission::Operation;
use crate::wiring::{Kind, KindInfo};

/// The context of a `#[validate]` or `#[mutate]` function: `cx: &mut Review`.
///
/// The attribute fills in the rest of the type: `Review<'_, F>` for the function `F`. A review can read the kinds that its function declares,
/// and cannot write.
pub struct Review<'r, F: AdmissionFunction> {
    request: &'r ReviewRequest,
    reads: &'r dyn Reads,
    causes: Vec<Cause>,
    warnings: Vec<String>,
    of: PhantomData<fn() -> F>,
}

impl<'r, F: AdmissionFunction> Review<'r, F> {
    pub(crate) fn new(request: &'r ReviewRequest, reads: &'r dyn Reads) -> Self {
        Self { request, reads, causes: Vec::new(), warnings: Vec::new(), of: PhantomData }
    }

    /// The causes and the warnings of the function.
    pub(crate) fn into_parts(self) -> (Vec<Cause>, Vec<String>) {
        (self.causes, self.warnings)
    }

    /// The user who sends the request.
    #[must_use]
    pub fn user(&self) -> &UserInfo {
        &self.request.user
    }

    /// The operation of the request.
    #[must_use]
    pub fn operation(&self) -> Operation {
        self.request.operation
    }

    /// Whether the API server will not store the result (`kubectl apply --dry-run=server`).
    #[must_use]
    pub fn dry_run(&self) -> bool {
        self.request.dry_run
    }

    /// Reads an object by name; `None` if it does not exist.
    ///
    /// An object of a namespaced kind is read from the namespace of the reviewed object. If the function declares `watches(K, labels = "..")`
    /// and the cache has the object, it comes from the cache. In all other cases it comes from the API server: an object that was created a
    /// moment ago is not in the cache yet.
    ///
    /// A text that cannot be the name of an object returns `None` without a call.
    ///
    /// # Errors
    /// The call failed, the object cannot be decoded, or a cluster-scoped object is reviewed and `K` is namespaced.
    pub fn get<K: Kind + ReadBy<F>>(&self, name: &str) -> Get<'_, K> {
        let kind = KindInfo::of::<K>();
        let namespace = self.request.namespace.clone().filter(|_| kind.namespaced);
        let is_impossible = kind.namespaced && namespace.is_none();
        let target = is_name(name).then(|| Target { kind, namespace, name: name.to_owned() });
        Get(Box::pin(async move {
            let Some(target) = target else { return Ok(None) };
            if is_impossible {
                let kind = K::kind(&());
                let text = format!("{kind} is namespaced, and the reviewed object is not: read a cluster-scoped kind");
                return Err(ApiError::Invalid(text.into()));
            }
            let text = target.to_string();
            let Some(object) = self.reads.read(target).await? else { return Ok(None) };
            let undecoded = |error| ApiError::Failed(format!("{text} cannot be decoded: {error}").into());
            typed(&object).map(Some).map_err(undecoded)
        }))
    }

    /// Refuses the write with a message about a field. The function continues, so the user gets all messages at once.
    ///
    /// ```ignore
    /// cx.deny(field!(spec.team), format!("there is no team {:?}", repo.spec.team));
    /// ```
    ///
    /// The API server answers 422 `Invalid`, with one entry in `details.causes` for each call.
    pub fn deny(&mut self, field: impl FnOnce(Option<&F::Object>) -> Field, message: impl Into<String>) {
        let cause = self.cause(field, message);
        self.causes.push(cause);
    }

    /// Returns the refusal with a message about a field, to end the function with: `return Err(cx.denial(field!(spec.team), ".."))`.
    #[must_use]
    pub fn denial(&self, field: impl FnOnce(Option<&F::Object>) -> Field, message: impl Into<String>) -> Denial {
        Denial::of(self.cause(field, message))
    }

    /// Adds a warning, which kubectl prints whether the write is refused or not.
    ///
    /// Keep it below 120 characters: the API server drops what exceeds 4,096 characters in a response.
    pub fn warn(&mut self, warning: impl Into<String>) {
        self.warnings.push(warning.into());
    }

    fn cause(&self, field: impl FnOnce(Option<&F::Object>) -> Field, message: impl Into<String>) -> Cause {
        Cause { field: self.reads.path(&field(None)), message: message.into() }
    }
}

/// Whether an object can have this name. Others would change the path of the request.
fn is_name(name: &str) -> bool {
    let is_dots = name == "." || name == "..";
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._:@".contains(c);
    !name.is_empty() && name.len() <= 253 && !is_dots && name.chars().all(is_plain)
}

impl<F: AdmissionFunction> fmt::Debug for Review<'_, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let function = F::WIRING.name;
        f.debug_struct("Review").field("function", &function).field("causes", &self.causes).finish_non_exhaustive()
    }
}
