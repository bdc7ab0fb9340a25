//! The body: the author's code, with panics and endless runs contained.

use std::any::Any;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures::FutureExt;

use crate::draft::Draft;
use crate::outcome::{Class, Flow, Halt};

/// How the author's code ended.
pub(super) enum Ended {
    Returned(Flow),
    Panicked(String),
    TimedOut(Duration),
}

/// Runs the author's code. A panic ends here; after `limit` the future is dropped.
pub(super) async fn run(limit: Duration, body: impl Future<Output = Flow>) -> Ended {
    match tokio::time::timeout(limit, AssertUnwindSafe(body).catch_unwind()).await {
        Ok(Ok(flow)) => Ended::Returned(flow),
        Ok(Err(panic)) => Ended::Panicked(text(&*panic)),
        Err(_) => Ended::TimedOut(limit),
    }
}

fn text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".into())
}

impl Ended {
    /// What stopped the pipeline; a panic or a time-out is marked on the step in which it happened.
    pub(super) fn halt(self, draft: &mut Draft) -> Option<Halt> {
        let (reason, message) = match self {
            Self::Returned(flow) => return flow.err(),
            Self::Panicked(text) => ("Panicked", format!("step {} panicked: {text}", step(draft))),
            Self::TimedOut(limit) => ("TimedOut", format!("step {} did not end within {limit:?}", step(draft))),
        };
        tracing::error!(reason, "{message}");
        draft.fail(None, reason, &message);
        Some(Halt { class: Class::Transient, reason, message })
    }
}

fn step(draft: &Draft) -> &'static str {
    draft.step.map_or("(none)", |step| step.name)
}
