//! The run of a step: within its span, and within its time. What is generic here is compiled once for each step, so it is little.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;
use tracing::Span;

use crate::wiring::StepWiring;

/// How long a step runs, and under which name.
#[derive(Clone, Copy, Debug)]
pub struct Limit(pub(super) &'static StepWiring);

impl Limit {
    /// The step, bound to it from now on.
    pub fn run<F: Future>(self, step: F) -> Bounded<F> {
        Bounded { step, running: Running::of(self.0) }
    }
}

pin_project! {
    /// The future of a step: what it returns, or `None` where it did not end in time.
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

/// Steps that return the same share this.
fn poll<T>(running: &mut Running, mut step: Pin<&mut dyn Future<Output = T>>, cx: &mut Context<'_>) -> Poll<Option<T>> {
    let mut polled = Poll::Pending;
    running.inside(&mut || polled = step.as_mut().poll(cx));
    match polled {
        Poll::Ready(value) => Poll::Ready(Some(value)),
        // Asked after the step, which so may end at the last moment.
        Poll::Pending if time::is_over(&mut running.time, cx) => Poll::Ready(None),
        Poll::Pending => Poll::Pending,
    }
}

struct Running {
    span: Span,
    time: time::Time,
}

impl Running {
    fn of(step: &StepWiring) -> Self {
        let span = tracing::info_span!("step", step = step.name);
        Self { span, time: time::start(step.timeout) }
    }

    /// In the span of the step. Not generic, so that entering it is compiled here.
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

    /// `None`: as long as the pass. A step that uses up its turn at every poll runs out of time all the same: unconstrained.
    pub(super) type Time = Option<Pin<Box<Unconstrained<Sleep>>>>;

    pub(super) fn start(timeout: Option<Duration>) -> Time {
        timeout.map(|timeout| Box::pin(unconstrained(sleep(timeout))))
    }

    pub(super) fn is_over(time: &mut Time, cx: &mut Context<'_>) -> bool {
        time.as_mut().is_some_and(|time| Future::poll(time.as_mut(), cx).is_ready())
    }
}

/// Types only: nothing runs.
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
