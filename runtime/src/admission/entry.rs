//! One webhook: a `#[validate]` function, or all `#[mutate]` functions of a kind in their order.

use std::sync::Arc;

use http::StatusCode;
use serde_json::Value;
use tokio::time::Instant;

use super::envelope::Request;
use super::erased::{AnyObject, Called, Function};
use super::json_diff::Patch;
use super::raw_object::RawObject;
use super::reads::{Backend, RequestReads};
use super::reply::{Refusal, Verdict};
use super::run::{Ended, limit, run};
use super::unchanged::is_unchanged;
use super::wire_path::WirePaths;
use crate::pipeline::admission::meter::{ReviewMeter, ReviewResult};
use crate::pipeline::admission::{Cause, DenialKind, ReviewRequest};
use crate::wiring::KindInfo;
use crate::wiring::admission::{AdmissionWiring, Operation};

/// One webhook.
pub(crate) struct Entry {
    /// The path at which it is called: `/admit/team-exists`.
    pub(super) path: String,
    /// Its name in the configuration.
    pub(super) name: String,
    /// At least one; several have one kind and one type.
    pub(super) functions: Vec<Function>,
    pub(super) paths: WirePaths,
}

/// The objects of a request.
struct Subject<'a> {
    operation: Operation,
    /// The object to review: the new one, or the one that is being deleted.
    raw: &'a RawObject<'a>,
    old: Option<&'a RawObject<'a>>,
    is_unchanged: bool,
}

impl Entry {
    pub(super) fn first(&self) -> &'static AdmissionWiring {
        self.functions[0].wiring()
    }

    pub(super) fn kind(&self) -> &KindInfo {
        self.functions[0].kind()
    }

    /// The name by which messages refer to it.
    fn label(&self) -> String {
        let names: Vec<_> = self.functions.iter().map(|function| format!("`{}`", function.wiring().name)).collect();
        names.join(", ")
    }

    /// Reviews a write.
    pub(super) async fn review(&self, request: &Request<'_>, backend: Option<Arc<Backend>>) -> Verdict {
        let subject = match self.subject(request) {
            Ok(subject) => subject,
            Err(message) => return Verdict::Denied(Refusal::misdirected(message)),
        };
        let meter = backend.as_ref().map(|backend| backend.meter.clone()).unwrap_or_default();
        let due = self.due(&subject, &meter);
        if due.is_empty() {
            return Verdict::Allowed { patch: Vec::new(), warnings: Vec::new() };
        }
        let object = match due[0].0.decode(&subject.raw.text()) {
            Ok(object) => object,
            Err(error) => return undecodable(&subject, request, &due, (&meter, &error)),
        };
        let reads = RequestReads { backend, paths: &self.paths, raw: subject.raw };
        let old = former(&subject, request, &due);
        let seen = ReviewRequest {
            user: request.user_info.clone(),
            operation: subject.operation,
            dry_run: request.dry_run.unwrap_or_default(),
            namespace: request.namespace.clone().filter(|namespace| !namespace.is_empty()),
        };
        let call = Call { entry: self, request, subject: &subject, seen: &seen, reads: &reads, meter: &meter };
        call.functions(&due, object, old.as_ref()).await
    }

    /// What the request is about.
    fn subject<'a>(&self, request: &'a Request<'a>) -> Result<Subject<'a>, String> {
        let (kind, label) = (self.kind(), self.label());
        if !request.kind.is(kind) {
            let (resource, other) = (&kind.resource, request.kind.text());
            return Err(format!(
                "{label} reviews {} of {}, and this is {other}: set `matchPolicy: Equivalent` and `apiVersions: [{}]` in the webhook configuration",
                resource.kind, resource.api_version, resource.version
            ));
        }
        let (wanted, given) =
            (self.first().subresource.unwrap_or_default(), request.sub_resource.as_deref().unwrap_or_default());
        if wanted != given {
            return Err(format!(
                "{label} reviews the subresource {wanted:?}, and this is {given:?}: correct `resources` in the webhook configuration"
            ));
        }
        let operation = request.operation().ok_or_else(|| {
            format!(
                "{label} cannot review the operation {}: remove it from `operations` in the webhook configuration",
                request.operation
            )
        })?;
        let (raw, old) = match operation {
            Operation::Delete => (request.old_object.as_ref(), None),
            Operation::Create | Operation::Update => (request.object.as_ref(), request.old_object.as_ref()),
        };
        let raw = raw.ok_or_else(|| format!("the request for {label} has no object"))?;
        let is_unchanged =
            operation == Operation::Update && wanted.is_empty() && old.is_some_and(|old| is_unchanged(old, raw));
        Ok(Subject { operation, raw, old, is_unchanged })
    }

    /// The functions that review this write, in their order.
    fn due(&self, subject: &Subject<'_>, meter: &ReviewMeter) -> Vec<&Function> {
        let of_operation = self.functions.iter().filter(|one| one.wiring().operations.contains(&subject.operation));
        let due = of_operation.filter(|function| {
            let wiring = function.wiring();
            let skipped = subject.is_unchanged && !wiring.unchanged;
            if skipped {
                meter.record(|counts| counts.review(wiring.name, ReviewResult::Unchanged, std::time::Duration::ZERO));
            }
            !skipped
        });
        due.collect()
    }
}

/// The answer for an object that does not fit its type.
fn undecodable(
    subject: &Subject<'_>,
    request: &Request<'_>,
    due: &[&Function],
    (meter, error): (&ReviewMeter, &str),
) -> Verdict {
    for function in due {
        let name = function.wiring().name;
        meter.record(|counts| counts.review(name, ReviewResult::Undecodable, std::time::Duration::ZERO));
    }
    let (function, object) = (due[0].wiring().name, request.object_name());
    if subject.is_unchanged {
        tracing::warn!(function, %object, error, "allowed an update that leaves an undecodable object as it was, without a review");
        return Verdict::Allowed { patch: Vec::new(), warnings: Vec::new() };
    }
    let message = format!("the object does not fit the type that `{function}` reviews: {error}");
    Verdict::Denied(Refusal::invalid(vec![Cause { field: String::new(), message }], Vec::new()))
}

/// The object as it was before, if a function takes it and it can be decoded. Otherwise an invalid object could not be repaired.
fn former(subject: &Subject<'_>, request: &Request<'_>, due: &[&Function]) -> Option<AnyObject> {
    let function = due.iter().find(|function| function.wiring().takes_old)?;
    let decoded = function.0.decode(&subject.old?.text());
    let (function, object) = (function.wiring().name, request.object_name());
    let warn = |error: &String| {
        tracing::warn!(function, %object, error, "the former object does not fit its type, and is passed as `None`");
    };
    decoded.inspect_err(warn).ok()
}

/// The calls for one request.
struct Call<'a> {
    entry: &'a Entry,
    request: &'a Request<'a>,
    subject: &'a Subject<'a>,
    seen: &'a ReviewRequest,
    reads: &'a RequestReads<'a>,
    meter: &'a ReviewMeter,
}

impl Call<'_> {
    async fn functions(&self, due: &[&Function], mut object: AnyObject, old: Option<&AnyObject>) -> Verdict {
        let before = match self.entry.first().mutates.then(|| due[0].0.tree(&object)).transpose() {
            Ok(before) => before,
            Err(error) => return unwritten(due[0], &error),
        };
        let mut warnings = Vec::new();
        for function in due {
            let started = Instant::now();
            let ended = run(function, (&mut object, old), self.seen, self.reads).await;
            let (name, result) = (function.wiring().name, ended.result());
            self.meter.record(|counts| counts.review(name, result, started.elapsed()));
            match self.verdict(function.wiring(), ended, warnings) {
                Ok(collected) => warnings = collected,
                Err(verdict) => return verdict,
            }
        }
        let Some(before) = before else { return Verdict::Allowed { patch: Vec::new(), warnings } };
        match due[0].0.tree(&object).and_then(|after| self.patch(due[0], &before, &after)) {
            Ok(patch) => Verdict::Allowed { patch: patch.steps, warnings },
            Err(error) => unwritten(due[0], &error),
        }
    }

    /// The warnings so far, if the next function may run; otherwise the answer.
    fn verdict(
        &self,
        wiring: &AdmissionWiring,
        ended: Ended,
        mut warnings: Vec<String>,
    ) -> Result<Vec<String>, Verdict> {
        let (function, object) = (wiring.name, self.request.object_name());
        let failed = |code, message: String| {
            tracing::error!(function, %object, message, "the write was not reviewed");
            Err(Verdict::Failed { code, message })
        };
        let Called { returned, mut causes, warnings: more } = match ended {
            Ended::Returned(called) => called,
            Ended::Panicked => {
                let message = format!("`{function}` panicked while it reviewed {object}: see the log of the operator");
                return failed(StatusCode::INTERNAL_SERVER_ERROR, message);
            }
            Ended::TimedOut => {
                let limit = limit(wiring);
                let message = format!(
                    "`{function}` did not review {object} within {limit:?}: raise its `timeout`, or let it read less"
                );
                return failed(StatusCode::INTERNAL_SERVER_ERROR, message);
            }
        };
        warnings.extend(more);
        match returned.map_err(|denial| denial.0) {
            Ok(()) => {}
            Err(DenialKind::Refused(cause)) => causes.push(cause),
            Err(DenialKind::Unavailable(error)) => {
                let message = format!("`{function}` could not review {object}: {error}");
                return failed(StatusCode::SERVICE_UNAVAILABLE, message);
            }
        }
        if causes.is_empty() {
            return Ok(warnings);
        }
        tracing::debug!(function, %object, "refused a write");
        Err(Verdict::Denied(Refusal::invalid(causes, warnings)))
    }

    /// The patch of the raw object; empty if nothing has changed.
    fn patch(&self, first: &Function, before: &Value, after: &Value) -> Result<Patch, String> {
        if before == after {
            return Ok(Patch::default());
        }
        let raw = self.subject.raw.tree().map_err(|error| error.to_string())?;
        let patch = Patch::of(before, after, &raw);
        if patch.replaced_lists > 0 {
            let name = first.wiring().name;
            self.meter.record(|counts| counts.replaced_lists(name, patch.replaced_lists));
        }
        Ok(patch)
    }
}

/// The answer if an object cannot be written as JSON.
fn unwritten(function: &Function, error: &str) -> Verdict {
    let message = format!("the object of `{}` cannot be written as JSON: {error}", function.wiring().name);
    tracing::error!(message, "the write was not reviewed");
    Verdict::Failed { code: StatusCode::INTERNAL_SERVER_ERROR, message }
}
