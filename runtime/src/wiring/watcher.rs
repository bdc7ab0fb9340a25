//! What `#[watcher]` declares besides what every reconciler may declare.

use std::any::Any;
use std::sync::Arc;

use kube::core::DynamicObject;

use super::relation::Cache;

/// Decodes a whole object as its type. The error names the field that does not fit.
pub type DecodeWhole = fn(&DynamicObject) -> Result<Arc<dyn Any + Send + Sync>, String>;

/// The declarations of a watcher.
#[derive(Clone, Copy, Debug)]
pub struct WatcherWiring {
    /// How it remembers across restarts which objects it has handled.
    pub mark: Mark,
    /// Whether an unchanged object is not handled again after a restart (`settled`).
    pub settled: bool,
    /// Whether `update` takes the object as it was handled last.
    pub previous: bool,
    /// How much of an object is cached (`cache = metadata`, `cache = none`).
    pub cache: Cache,
    /// Decodes the object that is read before each call (`cache = none`).
    pub whole: Option<DecodeWhole>,
    /// Whether each new version of an object counts as a change (`on(any)`).
    pub any_version: bool,
    /// What becomes of an object that leaves the selection (`leave = ".."`).
    pub leave: Leave,
    /// Whether a call is given up after some tries, so that the `requeue` interval tries again.
    pub gives_up: bool,
    /// The function of `retry = policy`, as written.
    pub policy: Option<&'static str>,
}

/// How a watcher remembers across restarts which objects it has handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// In the status: `observedInputs.added`.
    Status,
    /// By finalizers (`bare`): `<domain>/adding.<name>` until `add` has succeeded, then `<domain>/<name>`.
    Finalizers,
    /// Not at all: nothing is written to the object (`plain`).
    None,
}

/// What becomes of a live object that leaves the selection of a watcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leave {
    /// Its finalizer is removed, and nothing is undone.
    Detach,
    /// `delete` runs, then its finalizer is removed.
    Delete,
}

impl WatcherWiring {
    /// A watcher with the default of every argument.
    pub const DEFAULT: Self = Self {
        mark: Mark::Status,
        settled: false,
        previous: true,
        cache: Cache::Full,
        whole: None,
        any_version: false,
        leave: Leave::Detach,
        gives_up: false,
        policy: None,
    };
}
