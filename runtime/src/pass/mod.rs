//! The pass: one run of a reconciler for one object, from the cache to the status write.
//!
//! fetch from cache - deleting? delete path - short-circuit - finalizer - steps - classify - summary - one status write - event -
//! schedule. What is special to one object's life (claim, policies, hooks) comes between these calls, in [`PassWorker::pass`].

mod api;
mod context;
mod decide;
mod delete;
mod finish;
mod prepare;
mod report;
mod run;
mod undecodable;

use std::sync::Arc;

use futures::FutureExt;
use kube::api::DynamicObject;
use tokio::time::Instant;
use tracing::{Instrument, Span, field};

pub(crate) use self::api::apply::Owned;
pub(crate) use self::api::calls::Calls;
#[cfg(feature = "flux")]
pub(crate) use self::api::calls::answered;
pub(crate) use self::api::owned_object::owned;
pub(crate) use self::context::{Env, PassWorker, owner};
#[cfg(feature = "metrics")]
pub(crate) use self::report::inspect::Working;

use self::context::observed;
use self::decide::{Decision, Lack, Namespace, ObjectFacts, after_watching};
use self::finish::schedule;
use self::report::current_pass::{CurrentPass, FinishedPass, UNCHANGED};
use self::report::event;
use self::run::Part;
use crate::api::ApiError;
use crate::pipeline::object::Object;
use crate::queue::{Attempt, Causes, Key, Next, Ran, Worker};

/// So many conflicts in a row, and the cache is not trusted any more.
const HANGS: u32 = 3;

/// A pass that has begun: its span, and when, if that counts.
struct Begun {
    span: Span,
    at: Option<Instant>,
}

/// An object, and what its pass does.
struct Decided {
    object: Arc<Object>,
    decision: Result<Decision, Lack>,
}

impl PassWorker {
    /// How the pass ends, if the caches show that nothing is to be done; otherwise what is to be done. Without a future: to move one costs
    /// more than the look.
    fn fast_path(&self, key: &Key, causes: Causes, attempt: Attempt) -> Result<Next, Option<Decided>> {
        if attempt.conflicts >= HANGS {
            return Err(None);
        }
        let object = self.env.primary.get(key).ok_or(None)?;
        let facts = self.facts(key, &*object, causes, Namespace::Unread);
        match facts.decide() {
            Ok(Decision::Unchanged) if facts.is_quiet() => Ok(self.rest(&*object, &facts.seen, facts.late)),
            decision => {
                drop(facts);
                Err(Some(Decided { object, decision }))
            }
        }
    }

    /// What it goes through is on the heap, piece by piece: most passes need little of it, and moving a future costs what it is long.
    async fn pass(&self, pass: &mut CurrentPass<'_>, attempt: Attempt, decided: Option<Decided>) -> Next {
        let (key, causes) = (pass.key, pass.causes);
        let decided = match decided {
            Some(decided) => decided,
            None => match self.fetch(key, attempt).await {
                Ok(Some(object)) => {
                    let decision = self.facts(key, &*object, causes, Namespace::Unread).decide();
                    Decided { object, decision }
                }
                Ok(None) => return self.absent(pass),
                Err(error) => return self.unreachable(&error),
            },
        };
        let Decided { object, decision } = decided;
        let decision = self.completed(key, &*object, causes, decision).await;
        match decision {
            Decision::Contested(left) => return Next::Later(left),
            Decision::Foreign(other) => return self.yield_to(pass, &*object, &other),
            Decision::Delete => return self.delete(pass, object).boxed().await,
            Decision::Suspended => {
                return self.freeze(pass, &*object).boxed().await;
            }
            _ => self.thaw(pass, &*object),
        }
        match (decision, self.pending(key)) {
            (Decision::Resend, Some(pending)) => self.resend(pass, object, pending).boxed().await,
            (Decision::Unchanged, _) => {
                pass.ends(UNCHANGED);
                self.settled(pass, &*object).await
            }
            (Decision::Blocked(halt), _) => self.hold(pass, &object, halt).boxed().await,
            _ => self.steps(pass, object).await,
        }
    }

    /// Reads and watches what the decision lacks.
    async fn completed(
        &self,
        key: &Key,
        object: &Object,
        causes: Causes,
        mut decision: Result<Decision, Lack>,
    ) -> Decision {
        loop {
            // On the heap: most objects refer to nothing.
            decision = match decision {
                Ok(decision) => return decision,
                Err(Lack::Namespace) => {
                    self.ask_namespace(key, object).boxed().await;
                    self.facts(key, object, causes, Namespace::Read).decide()
                }
                Err(Lack::References(blocked_by)) => {
                    let are_readable = self.follow(key, object).boxed().await;
                    Ok(after_watching(&self.facts(key, object, causes, Namespace::Read), blocked_by, are_readable))
                }
            };
        }
    }

    fn facts<'a>(&'a self, key: &'a Key, object: &'a Object, causes: Causes, at: Namespace) -> ObjectFacts<'a> {
        ObjectFacts::of(self, (key, object), causes, at)
    }

    /// Claim and finalizer, then the author's code as the policy allows it.
    async fn steps(&self, pass: &mut CurrentPass<'_>, object: Arc<Object>) -> Next {
        let prepared = match self.prepare(pass, object).await {
            Ok(prepared) => prepared,
            Err(next) => return next,
        };
        let part = match self.is_skipped(&*prepared.object) {
            true => self.wiring.observe.map(Part::Observer),
            false => Some(Part::Steps),
        };
        match part {
            Some(part) => self.body(pass, prepared, part).boxed().await,
            None => self.leave(pass, &*prepared.object).boxed().await,
        }
    }

    /// From the cache; after so many conflicts from the server, in case the cache hangs.
    async fn fetch(&self, key: &Key, attempt: Attempt) -> Result<Option<Arc<Object>>, ApiError> {
        if attempt.conflicts < HANGS {
            return Ok(self.env.primary.get(key));
        }
        let Some(live) = self.live(key).boxed().await? else { return Ok(None) };
        Ok(self.wrote(&live))
    }

    async fn live(&self, key: &Key) -> Result<Option<DynamicObject>, ApiError> {
        self.calls().get(&self.target(key)).await
    }

    /// The pass with its report.
    async fn whole(&self, key: &Key, begun: Begun, causes: Causes, attempt: Attempt, decided: Option<Decided>) -> Ran {
        let mut pass = CurrentPass::new(key, causes);
        let running = crate::client::noting_retry_after(self.pass(&mut pass, attempt, decided).boxed());
        let (next, retry_after) = running.instrument(begun.span.clone()).await;
        let FinishedPass { next, outcome, events } = pass.finished(next);
        self.ended(key, &begun, outcome, &next);
        let recorder = self.recorder.clone();
        let tail = (!events.is_empty()).then(|| event::publish(recorder, events).instrument(begun.span).boxed());
        Ran { next: schedule::not_before(next, retry_after), tail }
    }

    fn unreachable(&self, error: &ApiError) -> Next {
        tracing::warn!(%error, "the object could not be read; trying again");
        Next::Undone { at_least: None }
    }
}

impl Worker for PassWorker {
    async fn run(&self, key: &Key, causes: Causes, attempt: Attempt) -> Ran {
        #[cfg(feature = "sabotage")]
        if self.env.causes.only_looks_up() {
            std::hint::black_box(self.env.primary.get(key));
            return Next::Await.into();
        }
        let span = tracing::info_span!(
            "pass", reconciler = self.wiring.name, object = %key, causes = %causes, outcome = field::Empty
        );
        let begun = Begun { span, at: self.env.meter.begin() };
        let decided = match begun.span.in_scope(|| self.fast_path(key, causes, attempt)) {
            Ok(next) => {
                self.ended(key, &begun, UNCHANGED, &next);
                return next.into();
            }
            Err(decided) => decided,
        };
        // On the heap: the futures around it would each hold it, and without optimisation a thread's stack is not enough for them.
        self.whole(key, begun, causes, attempt, decided).boxed().await
    }

    fn with_outage<F: Future<Output: Send> + Send>(&self, pass: F) -> impl Future<Output = (F::Output, bool)> + Send {
        crate::client::noting(pass).map(|(ended, answers)| (ended, answers.outage))
    }
}
