//! The outcomes that a case sets for the functions of the author, and a record of their runs.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use evenkeel::Class;
use evenkeel::prelude::*;
use evenkeel::{Actions, Retry};
use serde_json::Value;
use tokio::time::Instant;

/// The outcome of a function.
#[derive(Clone, Debug, Default)]
pub(crate) enum End {
    #[default]
    Fine,
    /// Success, with this text in the status.
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

    /// The same, from an error that an author declared.
    pub(crate) fn of(error: &impl ReconcileError) -> Self {
        let declared = Self::new(error.class(), error.reason(), &error.to_string());
        Self { actions: error.actions(), ..declared.retried(error.retry()) }
    }

    pub(crate) fn retried(self, retry: Retry) -> Self {
        Self { retry, ..self }
    }
}

/// Our class for a severity of the other system.
pub(crate) fn class(severity: &str) -> Class {
    match severity {
        "Error" => Class::Stalled,
        "Info" => Class::Waiting { poll: Some(Duration::from_secs(30)) },
        _ => Class::Transient,
    }
}

/// Parses an outcome such as `{"error": "..", "severity": "..", ..}`.
pub(crate) fn end(given: &Value) -> End {
    let text = |key: &str| given[key].as_str();
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
        (None, None) if given["changed"] == true => End::Changed("new".into()),
        (None, None) => End::Fine,
    }
}

/// `requeue_after 7s`
fn seconds(text: &str) -> Duration {
    let seconds = text.strip_prefix("requeue_after ").and_then(|text| text.strip_suffix('s')).unwrap();
    Duration::from_secs(seconds.parse().unwrap())
}

/// The outcomes of the functions and the record of their runs. All clones share one state.
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
    /// The check before the steps reads the owner only.
    pub(crate) of_owner: bool,
    /// The changes of the claim to labels, annotations and owners.
    pub(crate) claims: Option<Value>,
    /// A long operation creates or deletes it, and ends after this many polls.
    pub(crate) takes: Option<usize>,
    pub(crate) asked: usize,
    pub(crate) started: usize,
    /// The functions that ran, each with the number of previous API calls.
    pub(crate) notes: Vec<(String, usize, Instant)>,
    /// Counts those calls.
    pub(crate) calls: Option<Box<dyn Fn() -> usize + Send>>,
}

impl Script {
    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    /// Reads the state under one lock.
    pub(crate) fn of<T>(&self, read: impl FnOnce(&State) -> T) -> T {
        read(&self.lock())
    }

    pub(crate) fn note(&self, what: &str) {
        let mut state = self.lock();
        let calls = state.calls.as_ref().map_or(0, |count| count());
        state.notes.push((what.to_owned(), calls, Instant::now()));
    }

    /// How often a function ran.
    pub(crate) fn count(&self, what: &str) -> usize {
        self.lock().notes.iter().filter(|(name, ..)| name == what).count()
    }

    /// The seconds between runs of a function.
    pub(crate) fn pauses(&self, what: &str) -> Vec<f64> {
        let state = self.lock();
        let times: Vec<Instant> = state.notes.iter().filter(|(name, ..)| name == what).map(|(.., at)| *at).collect();
        times.windows(2).map(|pair| (pair[1] - pair[0]).as_secs_f64()).collect()
    }
}
