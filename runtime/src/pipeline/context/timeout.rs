//! The run of a step, within its span and its timeout. The generic part is small, since it is compiled once per step.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;
use tracing::Span;

use crate::api::DryRunLog;
use crate::pipeline::state::PassState;
use crate::wiring::StepWiring;

/// The timeout and the name under which a step runs, and its end in a dry run.
#[derive(Clone, Copy)]
pub struct Limit {
    step: &'static StepWiring,
    dry_run: Option<&'static dyn DryRunLog>,
}

impl std::fmt::Debug for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Limit").field("step", &self.step.name).finish_non_exhaustive()
    }
}

impl Limit {
    /// The limit of the current step.
    pub(super) fn of(step: &'static StepWiring, state: &PassState) -> Self {
        Self { step, dry_run: state.backend.dry_run() }
    }

    /// Binds the step to this limit.
    pub fn run<F: Future>(self, step: F) -> Bounded<F> {
        Bounded { step, running: Running::of(self) }
    }
}

pin_project! {
    /// The future of a step: its output, or `None` if it timed out or was halted.
    #[must_use = "futures do nothing unless awaited"]
    pub struct Bounded<F> {
        #[pin]
        step: F,
        running: Running,
    }
}

impl<F: Future> Future for Bounded<F> {
    type Output = Option<F::Output>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        poll(this.running, this.step, cx)
    }
}

/// Shared by all steps with the same return type, to compile less code.
fn poll<T>(running: &mut Running, mut step: Pin<&mut dyn Future<Output = T>>, cx: &mut Context<'_>) -> Poll<Option<T>> {
    let mut polled = Poll::Pending;
    if !running.is_halted() {
        running.inside(&mut || polled = step.as_mut().poll(cx));
    }
    match polled {
        Poll::Ready(value) => Poll::Ready(Some(value)),
        Poll::Pending if running.is_halted() => Poll::Ready(None),
        // Checked after the step was polled, so a step may still finish at the deadline.
        Poll::Pending if time::is_over(&mut running.time, cx) => Poll::Ready(None),
        Poll::Pending => Poll::Pending,
    }
}

struct Running {
    span: Span,
    limit: Limit,
    time: time::Time,
}

impl Running {
    fn of(limit: Limit) -> Self {
        let span = tracing::info_span!("step", step = limit.step.name);
        Self { span, limit, time: time::start(limit.step.timeout) }
    }

    fn is_halted(&self) -> bool {
        self.limit.dry_run.is_some_and(|log| log.is_halted(self.limit.step.name))
    }

    /// Polls in the span of the step. Not generic, so that entering the span is compiled only here.
    fn inside(&self, poll: &mut dyn FnMut()) {
        let _entered = self.span.enter();
        poll();
    }
}

#[cfg(feature = "operator")]
mod time {
    use std::pin::Pin;
    use std::task::Context;
    use std::time::Duration;

    use tokio::task::coop::{Unconstrained, unconstrained};
    use tokio::time::{Sleep, sleep};

    /// The timer of a step; `None` means no limit other than that of the pass. It is exempt from tokio's cooperative budget, so that a step
    /// that uses up its budget in every poll still times out.
    pub(super) type Time = Option<Pin<Box<Unconstrained<Sleep>>>>;

    pub(super) fn start(timeout: Option<Duration>) -> Time {
        timeout.map(|timeout| Box::pin(unconstrained(sleep(timeout))))
    }

    pub(super) fn is_over(time: &mut Time, cx: &mut Context<'_>) -> bool {
        time.as_mut().is_some_and(|time| Future::poll(time.as_mut(), cx).is_ready())
    }
}

/// A stub for builds in which nothing runs: types only.
#[cfg(not(feature = "operator"))]
mod time {
    use std::task::Context;
    use std::time::Duration;

    pub(super) type Time = ();

    pub(super) fn start(_: Option<Duration>) -> Time {}

    pub(super) fn is_over((): &mut Time, _: &mut Context<'_>) -> bool {
        false
    }
}
