//! A whole pass of a reconciler of evenkeel as a row.

use std::sync::Arc;
use std::time::Duration;

use evenkeel::{Operator, Reconciler};
use kube::{CustomResourceExt, Resource};
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};

use super::Row;
use super::seen::{Outcome, Seen};

/// The operator's name: field managers are `tester/<reconciler>`, finalizers `<group>/tester`.
const OPERATOR: &str = "tester";
/// A pass that has not ended then has not begun: the short-circuit left its body out.
const PATIENCE: Duration = Duration::from_secs(400);
/// What follows the end of a pass, less than the shortest pause before the next one.
const AFTER: Duration = Duration::from_millis(100);
/// Outcomes that an expectation need not name.
const SUCCESS: &str = "Done";

impl Row {
    /// Runs one pass of a reconciler for each given object of its kind, as the operator `tester`. The definition is there, and given
    /// statuses are those that this reconciler wrote. The outcome is `Done`, `Waiting`, `Failed` and so on, of several objects
    /// `a: Done, b: Waiting`; `Unchanged` where no body had to run.
    ///
    /// Where the reconciler declares `triggers(..)` and an object has other labels or annotations, the row runs again without them, over
    /// the same dependencies: a body that reads one of them would not run when it changes.
    ///
    /// Run it in virtual time (`#[tokio::test(start_paused = true)]`): a hanging step then costs nothing.
    ///
    /// # Panics
    /// The objects cannot be stored, or the operator does not start; or the row ends otherwise without what no trigger declares.
    pub async fn pass<R>(self, deps: R::Deps) -> Seen
    where
        R: Reconciler<Object: CustomResourceExt>,
    {
        let deps = Arc::new(deps);
        let seen = self.clone().run::<R>(deps.clone()).await;
        self.check_triggers::<R>(&deps).await;
        seen
    }

    /// Runs one pass for each object.
    pub(super) async fn run<R>(mut self, deps: Arc<R::Deps>) -> Seen
    where
        R: Reconciler<Object: CustomResourceExt>,
    {
        let objects = self.seed.count(&R::Object::kind(&()));
        self.seed = self.seed.and(&R::Object::crd()).status_by(&R::WIRING.field_manager_under(OPERATOR));
        let (name, cluster) = self.start().await;
        let (sender, mut reports) = mpsc::unbounded_channel();
        let operator = Operator::new(OPERATOR).client(cluster.client()).reconciler_sharing::<R>(deps);
        let operator = operator.on_pass_end(move |report| {
            // Nobody listens any more once all objects had their pass.
            let _ = sender.send((report.name.to_owned(), report.outcome.as_str()));
        });
        let running = tokio::spawn(operator.run_until(std::future::pending()));
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
        running.abort();
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
