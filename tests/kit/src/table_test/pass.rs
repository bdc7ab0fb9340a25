//! Rows that run a whole pass of a reconciler of evenkeel.

use std::sync::Arc;
use std::time::Duration;

use evenkeel::{Operator, ReconciledKind, Reconciler};
use kube::Resource;
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};
use tokio_util::task::AbortOnDropHandle;

use super::Row;
use super::seen::{Outcome, Seen};

/// The name of the operator: field managers are `tester/<reconciler>`, finalizers `<group>/tester`.
const OPERATOR: &str = "tester";
/// The timeout for the end of a body. A pass that takes longer was short-circuited and has no body.
const PATIENCE: Duration = Duration::from_secs(400);
/// Time for the work after the end of a pass, shorter than the shortest delay before the next pass.
const AFTER: Duration = Duration::from_millis(100);
/// The outcome that an expectation may omit.
const SUCCESS: &str = "Done";

impl Row {
    /// Runs one pass of a reconciler for each given object of its kind.
    ///
    /// The operator is named `tester`. If the program has the CRD of the kind, the CRD is installed. Given statuses belong to the field
    /// manager of this reconciler.
    ///
    /// The outcome is `Done`, `Waiting`, `Failed` and so on, or `a: Done, b: Waiting` for several objects. It is
    /// `Unchanged` if no body ran.
    ///
    /// If the reconciler declares `triggers(..)` and an object has other labels or annotations, the row also runs without
    /// them, with the same dependencies. A different result means that the body reads a label or an annotation whose
    /// changes do not trigger a pass.
    ///
    /// Use virtual time (`#[tokio::test(start_paused = true)]`), so that a hanging step takes no real time.
    ///
    /// # Panics
    /// Panics if the objects cannot be stored, if the operator does not start, or if the result depends on an undeclared
    /// label or annotation.
    pub async fn pass<R>(self, deps: R::Deps) -> Seen
    where
        R: Reconciler<Object: ReconciledKind>,
    {
        let deps = Arc::new(deps);
        let seen = self.clone().run::<R>(deps.clone()).await;
        self.check_triggers::<R>(&deps).await;
        seen
    }

    /// Runs one pass for each object.
    pub(super) async fn run<R>(mut self, deps: Arc<R::Deps>) -> Seen
    where
        R: Reconciler<Object: ReconciledKind>,
    {
        let objects = self.seed.count(&R::Object::kind(&()));
        self.seed = self.seed.and_definition::<R::Object>().status_by(&R::WIRING.field_manager_under(OPERATOR));
        let (name, cluster) = self.start().await;
        let (sender, mut reports) = mpsc::unbounded_channel();
        let operator = Operator::new(OPERATOR).client(cluster.client()).reconciler_sharing::<R>(deps);
        let operator = operator.on_pass_end(move |report| {
            // The receiver is gone once each object had its pass.
            let _ = sender.send((report.name.to_owned(), report.outcome.as_str()));
        });
        let running = AbortOnDropHandle::new(tokio::spawn(operator.run_until(std::future::pending())));
        let mut ended = Vec::new();
        while ended.len() < objects
            && let Ok(Some(report)) = timeout(PATIENCE, reports.recv()).await
        {
            ended.push(report);
        }
        sleep(AFTER).await;
        if running.is_finished() {
            let why = running.await.map(|ended| ended.err().map(|error| error.to_string()));
            panic!("{name}: the operator does not run: {why:?}");
        }
        drop(running);
        Seen::of(name, &cluster, outcome(ended))
    }
}

fn outcome(mut ended: Vec<(String, &'static str)>) -> Outcome {
    ended.sort();
    let is_success = !ended.is_empty() && ended.iter().all(|(_, outcome)| *outcome == SUCCESS);
    let text = match ended.as_slice() {
        [] => "Unchanged".to_owned(),
        [(_, outcome)] => (*outcome).to_owned(),
        several => several.iter().map(|(name, outcome)| format!("{name}: {outcome}")).collect::<Vec<_>>().join(", "),
    };
    if is_success { Outcome::Success(text) } else { Outcome::Failure(text) }
}
