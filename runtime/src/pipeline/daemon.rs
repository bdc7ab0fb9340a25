//! Daemons: long-running tasks of an object that are independent of its passes.

use std::fmt;
use std::future::Future;
use std::time::Duration;

use crate::outcome::ReconcileError;
use crate::pipeline::reconciler::Reconciler;

/// A long-running task of an object that is independent of its passes. `#[daemon]` implements it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a daemon of this reconciler",
    label = "not a `#[daemon]`, or it takes a dependency that the reconciler does not have",
    note = "mark the function with `#[daemon]`"
)]
pub trait DaemonOf<R: Reconciler>: Sized {
    /// The error that it returns.
    type Error: ReconcileError;
    /// The name of the function.
    const NAME: &'static str;
    /// The time limit of one run; `None`: unlimited.
    const TIMEOUT: Option<Duration> = None;
    /// Runs the daemon with the dependencies of the reconciler.
    fn run(object: &R::Object, deps: &R::Deps, daemon: &Daemon)
    -> impl Future<Output = Result<(), Self::Error>> + Send;
}

/// The handle by which a running [daemon](macro@crate::daemon) requests a reconcile of its object.
pub struct Daemon {
    request: Box<dyn Fn() + Send + Sync>,
}

impl Daemon {
    /// Creates a handle that calls a function for each request, to test a daemon.
    ///
    /// ```
    /// # use std::sync::atomic::{AtomicU32, Ordering};
    /// # use std::sync::Arc;
    /// use evenkeel::Daemon;
    ///
    /// let requests = Arc::new(AtomicU32::new(0));
    /// let counted = requests.clone();
    /// let daemon = Daemon::new(move || drop(counted.fetch_add(1, Ordering::Relaxed)));
    /// daemon.reconcile();
    /// assert_eq!(requests.load(Ordering::Relaxed), 1);
    /// ```
    pub fn new(request: impl Fn() + Send + Sync + 'static) -> Self {
        Self { request: Box::new(request) }
    }

    /// Requests a reconcile of the object. The steps run even if nothing in the cluster has changed.
    ///
    /// Requests during a pass lead to one more pass after it.
    pub fn reconcile(&self) {
        (self.request)();
    }
}

impl fmt::Debug for Daemon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Daemon").finish_non_exhaustive()
    }
}
