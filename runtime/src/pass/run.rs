//! The body: the author's code, for an object that lives or goes, with panics and endless runs contained.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::time::Duration;

use futures::FutureExt;

use super::PassWorker;
use super::prepare::claim::Prepared;
use super::report::current_pass::CurrentPass;
use crate::interval::Clamped;
use crate::outcome::{Flow, Halt, Outcome, panicked};
use crate::pipeline::context::Pass;
use crate::pipeline::reconciler::Reconciler;
use crate::pipeline::state::Draft;
use crate::queue::Next;
use crate::queue::meter::CutOff;
use crate::wiring::policy::Effective;
use crate::wiring::{Observer, When};

/// What the end of the author's code means.
pub(super) struct Verdict {
    pub(super) outcome: Outcome,
    /// What stopped it.
    pub(super) halt: Option<Halt>,
    /// The labels and annotations that the claim changed in this pass, as far as they are not declared.
    pub(super) claimed: Vec<String>,
}

/// How the author's code ended.
pub(super) enum Ended {
    Returned(Flow),
    Panicked(String),
    TimedOut(Duration),
}

impl<R: Reconciler> PassWorker<R> {
    /// Runs the author's code, and finishes the pass.
    pub(super) async fn body(&self, current: &mut CurrentPass<'_>, prepared: Prepared<R>, part: Part) -> Next {
        let Prepared { object, claimed } = prepared;
        let backend = self.backend(current.key, &object);
        let mut draft = Draft::new(&*object, R::WIRING, backend.clone());
        if let Effective::Known(policy) = self.policy(&object) {
            draft.policy = policy;
        }
        let asked = R::timeout(&object).unwrap_or(R::WIRING.timeout);
        let (limit, deps) = (Clamped::clamp("time-out", asked, &mut draft.clamped), &self.env.deps);
        let mut pass = Pass { draft: &mut draft };
        let ended = match R::WIRING.hooks.is_empty() {
            // Where it is made it stays: moving a future costs what it is long.
            true => run(limit, pin!(part.run::<R>(&object, deps, &mut pass))).await,
            // Rare: what runs beside the steps need not make every body larger.
            false => run(limit, hooked::<R>(&object, deps, &mut pass, part).boxed()).await,
        };
        if let Some(how) = ended.cut_off() {
            self.env.meter.tell(|counts| counts.cut_off(how));
        }
        let halt = ended.halt(&mut draft);
        let verdict = Verdict { outcome: draft.outcome(halt.clone()), halt, claimed };
        let next = match part {
            Part::Cleanup => self.deleted(current, &object, &mut draft, &backend, verdict).boxed().await,
            Part::Steps | Part::Observer(_) => self.finish(current, &object, &mut draft, &backend, verdict).await,
        };
        // A pass that timed out may have left blocking work behind: the key stays taken until it ends.
        backend.blocking.close();
        backend.blocking.wait().await;
        next
    }
}

/// Which of the author's code runs.
#[derive(Clone, Copy)]
pub(super) enum Part {
    Steps,
    Observer(Observer),
    Cleanup,
}

impl Part {
    async fn run<R: Reconciler>(self, object: &R::Object, deps: &R::Deps, pass: &mut Pass<'_>) -> Flow {
        match self {
            Self::Steps => R::reconcile(object, deps, pass).await,
            Self::Observer(observer) => (observer.run)(object, deps, &mut *pass.draft).await,
            Self::Cleanup => R::cleanup(object, deps, pass).await,
        }
    }
}

/// The author's code with the hooks around it; those after it on success only.
async fn hooked<R: Reconciler>(object: &R::Object, deps: &R::Deps, pass: &mut Pass<'_>, part: Part) -> Flow {
    let around = match part {
        Part::Steps => Some((When::Before, When::After)),
        Part::Cleanup => Some((When::BeforeDelete, When::AfterDelete)),
        Part::Observer(_) => None,
    };
    hooks::<R>(When::Read, object, deps, pass).await?;
    if let Some((before, _)) = around {
        hooks::<R>(before, object, deps, pass).await?;
    }
    part.run::<R>(object, deps, pass).await?;
    match around {
        Some((_, after)) => hooks::<R>(after, object, deps, pass).await,
        None => Ok(()),
    }
}

async fn hooks<R: Reconciler>(when: When, object: &R::Object, deps: &R::Deps, pass: &mut Pass<'_>) -> Flow {
    for hook in R::WIRING.hooks.iter().filter(|hook| hook.when == when) {
        (pass.draft.step, pass.draft.cleanup) = (Some(hook.step), None);
        (hook.run)(object, deps, &mut *pass.draft).await?;
    }
    Ok(())
}

/// Runs the author's code. A panic ends here; after `limit` the future is dropped.
pub(super) async fn run(limit: Duration, body: impl Future<Output = Flow>) -> Ended {
    match tokio::time::timeout(limit, AssertUnwindSafe(body).catch_unwind()).await {
        Ok(Ok(flow)) => Ended::Returned(flow),
        Ok(Err(panic)) => Ended::Panicked(panicked(&*panic)),
        Err(_) => Ended::TimedOut(limit),
    }
}

impl Ended {
    pub(super) fn cut_off(&self) -> Option<CutOff> {
        match self {
            Self::Returned(_) => None,
            Self::Panicked(_) => Some(CutOff::Panic),
            Self::TimedOut(_) => Some(CutOff::TimeOut),
        }
    }

    /// What stopped the pipeline; a panic or a time-out is marked on the step in which it happened.
    pub(super) fn halt(self, draft: &mut Draft) -> Option<Halt> {
        let halt = match self {
            Self::Returned(flow) => return flow.err(),
            Self::Panicked(text) => draft.cut_off("Panicked", &|part| format!("{part} panicked: {text}")),
            Self::TimedOut(limit) => draft.cut_off("TimedOut", &|part| format!("{part} did not end within {limit:?}")),
        };
        Some(halt)
    }
}
