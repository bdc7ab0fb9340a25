//! The scenario that each operator has to pass, seen from outside: through the Kubernetes API and the store.

mod deletion;
mod drift;
mod failures;
mod first_life;
mod restart;
mod secret;

use std::time::Duration;

use crate::Result;
use crate::site::{NEVER, Site};

/// A check with its error, if it failed.
pub struct Check {
    pub name: &'static str,
    pub error: Option<String>,
}

/// The interval in which the operator looks for drift.
const SHORT: Duration = Duration::from_secs(3);

/// Runs all checks. An error is one of the scenario itself; a check that fails is part of the result.
pub async fn run(site: &mut Site) -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    let mut record = |name, result: Result<()>| {
        let error = result.err().map(|error| error.to_string());
        checks.push(Check { name, error });
    };
    // Without repetitions, an operator reacts to what it watches only.
    site.start(NEVER).await?;
    record("a bucket becomes Ready, with its ConfigMap", first_life::becomes_ready(site).await);
    record("a changed region reaches the store", first_life::follows_its_spec(site).await);
    record("it waits for its Secret, and continues when that comes", secret::waits_for_the_secret(site).await);
    record("a changed Secret reaches the store", secret::follows_the_secret(site).await);
    record("a failure of the store is reported and retried", failures::retries_a_failure(site).await);
    record("a refused region is reported, and not retried", failures::reports_a_refusal(site).await);
    record("a changed or deleted ConfigMap is restored", drift::restores_the_child(site).await);
    record("a deletion waits until the bucket is empty", deletion::waits_for_an_empty_bucket(site).await);
    record("a restart among unchanged objects writes nothing", restart::writes_nothing(site).await);
    site.start(SHORT).await?;
    record("a changed or deleted bucket is restored", drift::restores_the_bucket(site).await);
    record("repeated checks change no condition", restart::keeps_its_conditions(site, SHORT * 3).await);
    Ok(checks)
}
