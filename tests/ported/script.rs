//! What a case says that the author's functions do, and what they did.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use evenkeel::Class;
use evenkeel::prelude::*;
use evenkeel::{Actions, Retry};
use serde_json::Value;
use tokio::time::Instant;

/// How one of the functions ends.
#[derive(Clone, Debug, Default)]
pub(crate) enum End {
    #[default]
    Fine,
    /// Fine, with this in the status.
    Changed(String),
    Requeue(Duration),
    Wrong(Wrong),
    /// The condition is Unknown, with this reason.
    Unknown(&'static str),
}

/// An error as a case describes it.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct Wrong {
    pub(crate) class: Class,
    pub(crate) retry: Retry,
    pub(crate) reason: &'static str,
    pub(crate) message: String,
    pub(crate) actions: Actions,
}

impl ReconcileError for Wrong {
    fn class(&self) -> Class {
        self.class
    }

    fn reason(&self) -> &'static str {
        self.reason
    }

    fn retry(&self) -> Retry {
        self.retry
    }

    fn actions(&self) -> Actions {
        self.actions
    }
}

impl From<ApiError> for Wrong {
    fn from(error: ApiError) -> Self {
        Self::new(Class::Transient, error.reason(), &error.to_string())
    }
}

impl Wrong {
    pub(crate) fn new(class: Class, reason: &str, message: &str) -> Self {
        let reason = Box::leak(reason.to_owned().into_boxed_str());
        Self { class, retry: Retry::Slow, reason, message: message.to_owned(), actions: class.actions() }
    }

    /// The same as an error that an author declared.
    pub(crate) fn of(error: &impl ReconcileError) -> Self {
        let declared = Self::new(error.class(), error.reason(), &error.to_string());
        Self { actions: error.actions(), ..declared.retried(error.retry()) }
    }

    pub(crate) fn retried(self, retry: Retry) -> Self {
        Self { retry, ..self }
    }
}

/// What our classes are called there.
pub(crate) fn class(severity: &str) -> Class {
    match severity {
        "Error" => Class::Stalled,
        "Info" => Class::Waiting { poll: Some(Duration::from_secs(30)) },
        _ => Class::Transient,
    }
}

/// How a function ends, as `{"error": "..", "severity": "..", ..}` says.
pub(crate) fn end(said: &Value) -> End {
    let text = |key: &str| said[key].as_str();
    match (text("error"), text("result")) {
        (Some("ready_impacting"), _) => {
            let (severity, reason) = (text("severity").unwrap(), text("reason").unwrap());
            End::Wrong(Wrong::new(class(severity), reason, text("cause").unwrap_or("as the case says")))
        }
        (Some(reason), _) => {
            let reason = if reason == "other" { "Failed" } else { reason };
            End::Wrong(Wrong::new(Class::Transient, reason, "as the case says"))
        }
        (None, Some(result)) => End::Requeue(seconds(result)),
        (None, None) if said["changed"] == true => End::Changed("new".into()),
        (None, None) => End::Fine,
    }
}

/// `requeue_after 7s`
fn seconds(text: &str) -> Duration {
    let seconds = text.strip_prefix("requeue_after ").and_then(|text| text.strip_suffix('s')).unwrap();
    Duration::from_secs(seconds.parse().unwrap())
}

/// What the functions do, and what they did. Cloneable: all clones are one.
#[derive(Clone, Default)]
pub(crate) struct Script(Arc<Mutex<State>>);

#[derive(Default)]
pub(crate) struct State {
    pub(crate) claim: End,
    pub(crate) create: End,
    pub(crate) look: End,
    pub(crate) delete: End,
    pub(crate) before: End,
    pub(crate) after: End,
    /// The check before the steps asks the owner only.
    pub(crate) of_owner: bool,
    /// The claim does this to labels, annotations and owners.
    pub(crate) claims: Option<Value>,
    /// A long operation makes or deletes it; so often it is asked for until it has ended.
    pub(crate) takes: Option<usize>,
    pub(crate) asked: usize,
    pub(crate) started: usize,
    /// What ran, after how many calls of the API server.
    pub(crate) notes: Vec<(String, usize, Instant)>,
    /// Counts those calls.
    pub(crate) calls: Option<Box<dyn Fn() -> usize + Send>>,
}

impl Script {
    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    /// Reads it under one lock.
    pub(crate) fn of<T>(&self, read: impl FnOnce(&State) -> T) -> T {
        read(&self.lock())
    }

    pub(crate) fn note(&self, what: &str) {
        let mut state = self.lock();
        let calls = state.calls.as_ref().map_or(0, |count| count());
        state.notes.push((what.to_owned(), calls, Instant::now()));
    }

    /// How often it ran.
    pub(crate) fn count(&self, what: &str) -> usize {
        self.lock().notes.iter().filter(|(said, ..)| said == what).count()
    }

    /// The seconds between its runs.
    pub(crate) fn pauses(&self, what: &str) -> Vec<f64> {
        let state = self.lock();
        let times: Vec<Instant> = state.notes.iter().filter(|(said, ..)| said == what).map(|(.., at)| *at).collect();
        times.windows(2).map(|pair| (pair[1] - pair[0]).as_secs_f64()).collect()
    }
}
