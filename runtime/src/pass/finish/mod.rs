//! The end of a pass: summary, report, status write, schedule.

pub(super) mod bare;
pub(super) mod foreign_conditions;
pub(super) mod hot_object;
pub(super) mod json_patch;
pub(super) mod late_digest;
#[cfg(feature = "dependents")]
pub(super) mod late_progress;
pub(super) mod leftover_fields;
pub(super) mod managed_fields;
pub(super) mod resync;
pub(super) mod retry_write;
pub(super) mod schedule;
pub(super) mod status_write;
pub(super) mod take_over;
pub(super) mod time_stamps;
pub(super) mod written;

use std::collections::BTreeSet;

use futures::FutureExt;

use self::schedule::{clamp_retry_after, schedule};
use super::api::PassBackend;
use super::context::PassContext;
use super::decide::{policy, unchanged};
use super::memory::late_digest::sooner;
use super::memory::unsent_status::Pending;
use super::report::current_pass::CurrentPass;
use super::report::{PassReport, hook, warn_of_clamped};
use super::run::BodyEnd;
use super::watcher;
use crate::api::DryRunLog;
use crate::outcome::Outcome;
use crate::pipeline::object::Object;
use crate::queue::Next;
use crate::status::{NOT_FINAL, ObservedInputs};

/// Writes the status if it differs, emits the event of a transition, and schedules the next pass.
pub(super) async fn finish(context: &PassContext, pass: &mut CurrentPass<'_>, object: &Object, end: BodyEnd) -> Next {
    let BodyEnd { mut state, backend, result } = end;
    let (key, backend) = (pass.key, &*backend);
    if result.outcome == Outcome::Conflict {
        context.keep_for_next(key, &Outcome::Conflict, &mut state);
        hook::observe(context, backend, &Outcome::Conflict, &PassReport::empty(), None);
        return hot_object::outdated(context, key, backend);
    }
    if context.env.dry_run.is_some_and(DryRunLog::is_incomplete) {
        return Next::Await;
    }
    let error = result.error.as_ref();
    let retry = error.map(|error| error.retry).unwrap_or_default();
    let (outcome, mut intent) = state.conclude(result.outcome, retry);
    context.keep_for_next(key, &outcome, &mut state);
    pass.ends(outcome.as_str());
    state.references.extend(policy::namespace(context.wiring, object).map(|namespace| namespace.to_string()));
    context.env.relations.keep(key, &state.references);
    let inputs = observed_inputs(context, object, backend, &state.references, (&outcome, result.claimed));
    intent.observed_inputs = Some(ObservedInputs { added: watcher::end(context, key, object, &state), ..inputs });
    let progressed = state.progressed(&intent);
    let found = foreign_conditions::without_foreign(context, key, state.take_found(), &intent);
    let mut report = PassReport::of(&found, &intent, &outcome, error, context.wiring.conditions);
    watcher::without_first_success(context, object, (&found, &outcome), &mut report);
    hook::after(context, object, &state, (&outcome, error), &mut intent, &mut report);
    let digest = late_digest::lateness(context, key, object, pass.triggers, (&found, &intent));
    let late = digest.late();
    #[cfg(feature = "dependents")]
    let wait = late_progress::lateness(context, key, &outcome, (&found, &intent));
    #[cfg(not(feature = "dependents"))]
    let wait = None;
    let changed = late.is_none() && wait.is_none() && intent != found;
    late_digest::remember(context, key, digest);
    report.log(&outcome, progressed);
    let mut clamped = std::mem::take(&mut state.clamped);
    let next = schedule(context, object, (&outcome, retry), progressed, &mut clamped);
    clamp_retry_after(pass.answers.retry_after(), &mut clamped);
    let mut written = Ok(());
    if changed {
        time_stamps::warn_of_time_stamps(context, object, &found, &intent);
        let events = report.event().into_iter().chain(policy::change(&found, &intent)).collect();
        let pending = Pending::new(object.meta(), (found, intent), (&outcome, retry), events);
        // Boxed: most passes find the status up to date.
        written = retry_write::write(context, pass, object, backend, pending).boxed().await;
    }
    hook::observe(context, backend, &outcome, &report, written.as_ref().err());
    if let Err(next) = written {
        return next;
    }
    warn_of_clamped(context, pass, object, changed, &clamped);
    let next = match late {
        Some(late) => late.within(next),
        None => next,
    };
    let next = match wait {
        Some(left) => sooner(next, left),
        None => next,
    };
    hot_object::until_quiet(backend, next)
}

fn observed_inputs(
    context: &PassContext,
    object: &Object,
    backend: &PassBackend,
    references: &BTreeSet<String>,
    (outcome, claimed): (&Outcome, Vec<String>),
) -> ObservedInputs {
    let claimed = unchanged::claimed(context, object, claimed);
    let digest = match outcome.is_final() {
        true => unchanged::digest_after(context, object, backend, references, &claimed),
        false => NOT_FINAL.to_owned(),
    };
    let policy = policy::policy(context, object).shown().to_owned();
    let references = references.iter().cloned().collect();
    ObservedInputs { wiring: context.wiring_hash.clone(), digest, references, policy, claimed, added: false }
}
