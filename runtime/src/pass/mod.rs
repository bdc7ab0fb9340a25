//! The pass: one run of a reconciler for one object, from the cache to the status write.
//!
//! Stages: fetch from cache - decide - claim and finalizer - steps - summary - one status write - event - schedule. A [`Decision`] selects
//! the stages that are left out.

mod api;
mod backend;
mod code_end;
mod context;
mod daemon;
mod decide;
mod delete;
#[cfg(feature = "dependents")]
mod dependents;
mod elsewhere;
mod finish;
mod leave;
mod memory;
mod pass_id;
mod prepare;
mod report;
mod run;
#[cfg(test)]
mod tests;
mod vanished;
mod watcher;
mod whole_object;
mod without_steps;

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use tracing::{Instrument, field};

use self::decide::facts::{Namespace, ObjectFacts};
use self::decide::{Decision, MissingFact, missing, policy};
use self::finish::{retry_write, schedule};
use self::prepare::{claim, live_read};
use self::report::current_pass::{Begun, CurrentPass, FinishedPass, UNCHANGED, ended};
use self::report::event;
use self::run::Part;
use self::without_steps::{blocked, foreign, skipped, suspended, unchanged_object, undecodable};
use crate::backoff::Backoff;
use crate::pipeline::object::Object;
use crate::queue::{Attempt, Key, Next, PassOutput, TriggerSet, Worker};

pub(crate) use self::api::apply::Owned;
#[cfg(feature = "__test-hooks")]
pub use self::api::blocking_work::block_here;
pub(crate) use self::api::calls::Calls;
pub(crate) use self::api::owned_object::{owned, owner};
pub(crate) use self::api::request::Sender;
#[cfg(feature = "flux")]
pub(crate) use self::api::request::answered;
pub(crate) use self::context::{PassContext, PassSetup};
#[cfg(feature = "metrics")]
pub(crate) use self::report::inspect::Working;

/// Number of consecutive conflicts after which a pass reads its object from the server, in case the cache hangs.
const HANGS: u32 = 3;

/// An object and the decision on its pass.
struct Decided {
    object: Arc<Object>,
    decision: Result<Decision, MissingFact>,
}

impl Worker for PassContext {
    fn backoff(&self) -> Backoff {
        self.env.backoff
    }

    fn is_known(&self, key: &Key) -> bool {
        self.env.primary.seen_version(key).is_some() || self.memory().contains_key(key)
    }

    fn uid(&self, key: &Key) -> Option<String> {
        self.env.primary.uid(key)
    }

    fn dropped(&self, key: &Key) -> Next {
        match self.env.shard_gates.number() {
            None => Next::Later(Duration::ZERO),
            // The replica that has the shard of the object reconciles it now.
            Some(_) => self.hand_over(key),
        }
    }

    async fn run(&self, key: &Key, triggers: TriggerSet, attempt: Attempt) -> PassOutput {
        #[cfg(feature = "__test-hooks")]
        if self.env.enabled_triggers.only_looks_up() {
            std::hint::black_box(self.env.primary.get(key));
            return Next::Await.into();
        }
        let span = tracing::info_span!(
            "pass", reconciler = self.wiring.name, object = %key, reconcile_id = %self.ids.next(), causes = %triggers,
            outcome = field::Empty
        );
        let begun = Begun { span, at: self.env.meter.begin() };
        let decided = match begun.span.in_scope(|| fast_path(self, key, triggers, attempt)) {
            Ok(next) => {
                ended(self, key, &begun, UNCHANGED, &next);
                return next.into();
            }
            Err(decided) => decided,
        };
        // Boxed: each surrounding future would contain it, and without optimisation they would overflow the stack of a thread.
        reported(self, CurrentPass::new(key, triggers), begun, attempt, decided).boxed().await
    }
}

/// Ends the pass if the caches show that there is nothing to do; otherwise returns the decision. It is not async, since moving a future
/// costs more than the lookup.
fn fast_path(
    context: &PassContext,
    key: &Key,
    triggers: TriggerSet,
    attempt: Attempt,
) -> Result<Next, Option<Decided>> {
    if attempt.conflicts >= HANGS {
        return Err(None);
    }
    let object = context.env.primary.get(key).ok_or(None)?;
    if context.env.primary.vanished(key).is_some() {
        return Err(None);
    }
    if !context.is_selected(&*object) {
        return if leave::is_left(context, &*object) { Err(None) } else { Ok(context.forget(key)) };
    }
    let facts = ObjectFacts::of(context, (key, &*object), triggers, Namespace::Unread);
    match facts.decide() {
        Ok(Decision::Unchanged) if facts.is_quiet() => {
            context.start_daemons(key, &object);
            Ok(schedule::next_unchanged(context, &*object, &facts.seen, facts.late))
        }
        decision => {
            drop(facts);
            Err(Some(Decided { object, decision }))
        }
    }
}

/// Runs the pass and reports it.
async fn reported(
    context: &PassContext,
    mut pass: CurrentPass<'_>,
    begun: Begun,
    attempt: Attempt,
    decided: Option<Decided>,
) -> PassOutput {
    let key = pass.key;
    let next = stages(context, &mut pass, attempt, decided).instrument(begun.span.clone()).await;
    watcher::rest(context, key);
    let FinishedPass { next, outcome, events, answers } = pass.finished(next);
    ended(context, key, &begun, outcome, &next);
    let recorder = context.recorder.clone();
    let tail = (!events.is_empty()).then(|| event::publish(recorder, events).instrument(begun.span).boxed());
    PassOutput { next: schedule::not_before(next, answers.retry_after()), tail, outage: answers.outage() }
}

/// Where a pass reads its object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Cache,
    Server,
}

/// Runs the stages of a pass. Each is boxed on its own: most passes need few of them, and the cost of moving a future grows with its size.
async fn stages(context: &PassContext, pass: &mut CurrentPass<'_>, attempt: Attempt, decided: Option<Decided>) -> Next {
    let key = pass.key;
    if let Some(vanished) = context.env.primary.vanished(key)
        && let Err(next) = vanished::clean_up(context, pass, &*vanished).boxed().await
    {
        return next;
    }
    let source = if attempt.conflicts < HANGS { Source::Cache } else { Source::Server };
    let (object, decision) = match decided_in_full(context, pass, source, decided).await {
        Ok((_, decision)) if live_read::is_due(context, key, &decision) => {
            live_read::begin_anew(context, key);
            match decided_in_full(context, pass, Source::Server, None).boxed().await {
                Ok(decided) => decided,
                Err(next) => return next,
            }
        }
        Ok(decided) => decided,
        Err(next) => return next,
    };
    match decision {
        Decision::Contested(left) => return Next::Later(left),
        Decision::Foreign(other) => {
            context.daemons.drop_of(key);
            return foreign::skip_foreign(context, pass, &*object, &other);
        }
        Decision::Delete => return delete::delete(context, pass, object).boxed().await,
        Decision::Suspended => {
            context.daemons.drop_of(key);
            return suspended::reconcile_suspended(context, pass, &*object).boxed().await;
        }
        _ => suspended::note_resumed(context, pass, &*object),
    }
    match (decision, retry_write::pending(context, key)) {
        (Decision::Resend, Some(pending)) => retry_write::resend(context, pass, object, pending).boxed().await,
        (Decision::Unchanged, _) => {
            pass.ends(UNCHANGED);
            context.start_daemons(key, &object);
            unchanged_object::reconcile_unchanged(context, pass, &*object).await
        }
        (Decision::Blocked(error), _) => blocked::block(context, pass, &*object, error).boxed().await,
        _ => steps(context, pass, object).await,
    }
}

/// Runs claim and finalizer, then the part of the author's code that the policy allows.
async fn steps(context: &PassContext, pass: &mut CurrentPass<'_>, object: Arc<Object>) -> Next {
    pass.is_marked = context.finalizers.is_marked(object.meta());
    let claim::Prepared { object, claimed } = match claim::claim_and_finalize(context, pass, object).await {
        Ok(prepared) => prepared,
        Err(next) => return next,
    };
    let part = match policy::is_skipped(context, &*object) {
        true => context.wiring.observe.as_ref().map(Part::Observer),
        false => Some(Part::Steps),
    };
    if let Err(next) = daemons_stop(context, pass.key, &*object, part).await {
        return next;
    }
    if matches!(part, Some(Part::Steps))
        && let Err(next) = whole_object::read(context, pass, &*object).await
    {
        return next;
    }
    let Some(part) = part else { return skipped::skip_by_policy(context, pass, &*object).boxed().await };
    // Boxed one after the other, so that neither future contains the other.
    let end = run::body(context, pass, &*object, claimed, part).boxed().await;
    let backend = end.backend.clone();
    let next = finish::finish(context, pass, &*object, end).boxed().await;
    backend.blocking.ended().await;
    if matches!(part, Part::Steps) && !matches!(next, Next::Forget) {
        context.start_daemons(pass.key, &object);
    }
    next
}

/// Stops the daemons of another version of the object, and all of them if the policy forbids the steps.
async fn daemons_stop(context: &PassContext, key: &Key, object: &Object, part: Option<Part>) -> Result<(), Next> {
    match part {
        Some(Part::Steps) => context.daemons.stop_outdated(key, object).await,
        _ => context.daemons.stop(key).await,
    }
}

/// The object and the decision on its pass.
///
/// # Errors
/// The pass ends without a decision.
async fn decided_in_full(
    context: &PassContext,
    pass: &mut CurrentPass<'_>,
    source: Source,
    decided: Option<Decided>,
) -> Result<(Arc<Object>, Decision), Next> {
    let Decided { object, decision } = match decided {
        Some(decided) => decided,
        None => fetch(context, pass, source).await?,
    };
    let decision = missing::read(context, pass.key, &*object, pass.triggers, decision).await;
    Ok((object, decision))
}

/// Reads the object and decides, as long as the caches suffice.
///
/// # Errors
/// The pass ends without a decision.
async fn fetch(context: &PassContext, pass: &mut CurrentPass<'_>, source: Source) -> Result<Decided, Next> {
    let key = pass.key;
    let object = match source {
        Source::Cache => Ok(context.env.primary.get(key)),
        Source::Server => live_read::read(context, pass).await,
    };
    match object {
        Ok(Some(object)) if !context.is_selected(&*object) => {
            if leave::is_left(context, &*object) {
                return Err(leave::leave(context, pass, &*object).boxed().await);
            }
            pass.ends(UNCHANGED);
            Err(context.forget(key))
        }
        Ok(Some(object)) => {
            let decision = ObjectFacts::of(context, (key, &*object), pass.triggers, Namespace::Unread).decide();
            Ok(Decided { object, decision })
        }
        Ok(None) => Err(undecodable::absent(context, pass)),
        Err(error) => {
            tracing::warn!(%error, "the object could not be read; retrying");
            Err(Next::NotStarted { at_least: None })
        }
    }
}
