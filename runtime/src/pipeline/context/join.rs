//! Joined steps: they run concurrently, each with its own pass, and are merged when all have ended.

use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

use super::Pass;
use crate::outcome::{PassError, panicked};
use crate::pipeline::state::StepEnd;

/// Makes a pass for each of the joined steps.
#[allow(clippy::expect_used, reason = "as many drafts are made as are asked for")]
pub fn fork<'a, const N: usize>(pass: &'a mut Pass<'_>) -> [Pass<'a>; N] {
    let mut states = pass.state.fork(N).iter_mut();
    std::array::from_fn(|_| Pass { state: states.next().expect("a draft for each step") })
}

/// The result of one joined step.
#[derive(Debug)]
pub struct JoinEnd<T>(Result<Result<T, PassError>, String>);

/// Runs a joined step. A panic is caught and affects the other steps no more than an error does.
pub async fn joined<T>(step: impl Future<Output = Result<T, PassError>>) -> JoinEnd<T> {
    let mut step = pin!(step);
    let caught = poll_fn(|cx| {
        let polled = catch_unwind(AssertUnwindSafe(|| step.as_mut().poll(cx)));
        polled.map_or_else(|panic| Poll::Ready(Err(panicked(&*panic))), |polled| polled.map(Ok))
    });
    JoinEnd(caught.await)
}

/// Runs both futures concurrently.
pub async fn both<A: Future, B: Future>(a: A, b: B) -> (A::Output, B::Output) {
    let (mut a, mut b) = (pin!(a), pin!(b));
    let (mut one, mut other) = (None, None);
    poll_fn(|cx| {
        advance(&mut one, a.as_mut(), cx);
        advance(&mut other, b.as_mut(), cx);
        match (one.take(), other.take()) {
            (Some(a), Some(b)) => Poll::Ready((a, b)),
            ended => {
                (one, other) = ended;
                Poll::Pending
            }
        }
    })
    .await
}

/// Polls the future unless it has ended, and stores its output.
fn advance<F: Future>(ended: &mut Option<F::Output>, future: Pin<&mut F>, cx: &mut Context<'_>) {
    if ended.is_none()
        && let Poll::Ready(value) = future.poll(cx)
    {
        *ended = Some(value);
    }
}

/// The results of joined steps: a single one, or nested pairs.
pub trait Ends {
    /// The values that the steps return.
    type Values;
    /// Returns the values, and adds to `stops` how each step ended, in declared order.
    fn end(self, stops: &mut Vec<Option<StepEnd>>) -> Option<Self::Values>;
}

impl<T> Ends for JoinEnd<T> {
    type Values = T;

    fn end(self, stops: &mut Vec<Option<StepEnd>>) -> Option<T> {
        let (value, stop) = match self.0 {
            Ok(Ok(value)) => (Some(value), None),
            Ok(Err(pass_error)) => (None, Some(StepEnd::Halted(pass_error))),
            Err(text) => (None, Some(StepEnd::Panicked(text))),
        };
        stops.push(stop);
        value
    }
}

impl<A: Ends, B: Ends> Ends for (A, B) {
    type Values = (A::Values, B::Values);

    fn end(self, stops: &mut Vec<Option<StepEnd>>) -> Option<Self::Values> {
        let (a, b) = (self.0.end(stops), self.1.end(stops));
        a.zip(b)
    }
}

/// Merges the results of the joined steps. Each error has marked its own condition; the most severe one is returned.
///
/// # Errors
/// A step failed or panicked.
#[allow(clippy::expect_used, reason = "a step that was not stopped has a value")]
pub fn merge<E: Ends>(pass: &mut Pass<'_>, ends: E) -> Result<E::Values, PassError> {
    let mut stops = Vec::new();
    let values = ends.end(&mut stops);
    match pass.state.join(stops) {
        Some(pass_error) => Err(pass_error),
        None => Ok(values.expect("every step succeeded")),
    }
}
