//! The schedule: when an object is reconciled again without a change.

use std::time::Duration;

use crate::backoff::Backoff;
use crate::interval::{Clamped, LONGEST};
use crate::outcome::Outcome;
use crate::outcome::retry::Retry;
use crate::pass::context::PassContext;
use crate::pass::memory::late_digest::LateDigest;
use crate::pipeline::object::Object;
use crate::queue::Next;
use crate::status::observed::Observed;

/// The next pass of an unchanged object; a stalled one has none.
pub(in crate::pass) fn next_unchanged(
    context: &PassContext,
    object: &Object,
    seen: &Observed<'_>,
    late: Option<LateDigest>,
) -> Next {
    tracing::debug!("unchanged");
    let next = match seen.stalled {
        true if !context.wiring.watcher.is_some_and(|watcher| watcher.gives_up) => Next::Await,
        _ => schedule(context, object, (&Outcome::Done, Retry::Slow), false, &mut Vec::new()),
    };
    match late {
        Some(late) => late.within(next),
        None => next,
    }
}

/// The next pass after this outcome. Requested times that are out of bounds are added to `clamped`.
pub(in crate::pass) fn schedule(
    context: &PassContext,
    object: &Object,
    (outcome, retry): (&Outcome, Retry),
    progressed: bool,
    clamped: &mut Vec<Clamped>,
) -> Next {
    match outcome {
        Outcome::Done | Outcome::Ignored => {
            let resync = interval(context, object, clamped).map(|interval| until_resync(context, object, interval));
            let soonest = resync.into_iter().chain(context.until_reapply(object)).min();
            soonest.map_or(Next::Await, Next::After)
        }
        Outcome::Waiting { poll: None } | Outcome::Stalled { .. } if retry == Retry::VerySlow => {
            let interval = interval(context, object, clamped).unwrap_or(Retry::HOUR);
            Next::After(until_resync(context, object, interval))
        }
        Outcome::Requeue { after: Some(after) } => Next::After(*after),
        Outcome::Waiting { poll: Some(poll) } => Next::After(*poll),
        Outcome::Requeue { after: None } => Next::Retry { progressed, at_least: None },
        Outcome::Failed { .. } => match pace(context, object, retry, clamped) {
            Some(curve) => Next::RetryAlong { progressed, curve, at_least: None },
            None => Next::Retry { progressed, at_least: None },
        },
        Outcome::Waiting { poll: None } | Outcome::Stalled { .. } => Next::Await,
        Outcome::Gone => Next::Forget,
        Outcome::Conflict => Next::Conflict { newer_than: object.resource_version().to_owned() },
    }
}

/// The time until the next resync.
fn until_resync(context: &PassContext, object: &Object, interval: Duration) -> Duration {
    context.clock.until_resync(interval, object.uid())
}

/// The back-off of a failure, if it is not the default one.
fn pace(context: &PassContext, object: &Object, retry: Retry, clamped: &mut Vec<Clamped>) -> Option<Backoff> {
    match retry {
        Retry::Fast => Some(Backoff::FAST),
        Retry::VerySlow => Some(Backoff::flat(interval(context, object, clamped).unwrap_or(Retry::HOUR))),
        Retry::After(pause) => Some(Backoff::flat(Clamped::clamp("retry interval", pause, clamped))),
        Retry::Slow => {
            let pause = context.env.reconciler.retry(object)?;
            Some(Backoff::flat(Clamped::clamp("retry interval", pause, clamped)))
        }
    }
}

/// The requeue interval of the object.
fn interval(context: &PassContext, object: &Object, clamped: &mut Vec<Clamped>) -> Option<Duration> {
    let interval = context.env.reconciler.requeue(object)?;
    Some(Clamped::clamp("requeue interval", interval, clamped))
}

/// Adds a `Retry-After` of the API server that is out of bounds to `clamped`.
pub(in crate::pass) fn clamp_retry_after(retry_after: Option<Duration>, clamped: &mut Vec<Clamped>) {
    if let Some(asked) = retry_after.filter(|asked| *asked > LONGEST) {
        Clamped::clamp("Retry-After of the API server", asked, clamped);
    }
}

/// Delays the next pass to the time that the API server requested in this pass, clamped like all times. A conflict is not an overload: it
/// waits for the cache.
pub(in crate::pass) fn not_before(next: Next, retry_after: Option<Duration>) -> Next {
    let Some(least) = retry_after.map(|asked| asked.min(LONGEST)) else { return next };
    let later = |at_least: Option<Duration>| at_least.max(Some(least)).map(|asked| asked.min(LONGEST));
    match next {
        Next::After(delay) => Next::After(delay.max(least)),
        Next::Store(delay) => Next::Store(delay.max(least)),
        Next::Later(delay) => Next::Later(delay.max(least)),
        Next::Retry { progressed, at_least } => Next::Retry { progressed, at_least: later(at_least) },
        Next::NotStarted { at_least } => Next::NotStarted { at_least: later(at_least) },
        Next::RetryAlong { progressed, curve, at_least } => {
            Next::RetryAlong { progressed, curve, at_least: later(at_least) }
        }
        Next::Await | Next::Conflict { .. } | Next::Forget => next,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASKED: Duration = Duration::from_secs(60);

    #[test]
    fn no_retry_runs_before_retry_after() {
        let (short, long) = (Duration::from_secs(5), Duration::from_secs(600));
        let after = |next| not_before(next, Some(ASKED));
        assert_eq!(after(Next::After(short)), Next::After(ASKED));
        assert_eq!(after(Next::After(long)), Next::After(long));
        let retry = |at_least| Next::Retry { progressed: true, at_least };
        assert_eq!(after(retry(None)), retry(Some(ASKED)));
        assert_eq!(after(retry(Some(long))), retry(Some(long)));
        let again = |at_least| Next::RetryAlong { progressed: false, curve: Backoff::FAST, at_least };
        assert_eq!(after(again(None)), again(Some(ASKED)));
        assert_eq!((after(Next::Await), not_before(retry(None), None)), (Next::Await, retry(None)));
    }

    #[test]
    fn retry_after_is_limited_to_thirty_days() {
        for asked in [LONGEST + ASKED, Duration::MAX] {
            let at_least = Some(LONGEST);
            let next = Next::Retry { progressed: false, at_least: Some(asked) };
            assert_eq!(not_before(next, Some(asked)), Next::Retry { progressed: false, at_least });
            assert_eq!(not_before(Next::After(ASKED), Some(asked)), Next::After(LONGEST));
            let mut clamped = Vec::new();
            clamp_retry_after(Some(asked), &mut clamped);
            assert_eq!(clamped.len(), 1);
        }
        let mut clamped = Vec::new();
        clamp_retry_after(Some(LONGEST), &mut clamped);
        clamp_retry_after(Some(Duration::ZERO), &mut clamped);
        assert!(clamped.is_empty());
    }
}
