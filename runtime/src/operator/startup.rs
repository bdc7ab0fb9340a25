//! The wait for the initial lists, and the errors if they fail.

use std::time::Duration;

use kube::Client;

use super::crd_check::{self, Expected};
use super::error::{Error, Reason, Result, install};
use crate::api::grant::plural_and_group;
use crate::watch::{CREDENTIALS, Progress, WatchError, WatchHandle, WatchTarget, offers_sharding};

/// How long the start waits for a watch that neither lists nor fails.
const PATIENCE: Duration = Duration::from_secs(2);

/// Interval between checks of a CRD that does not fit.
const PAUSE: Duration = Duration::from_secs(30);

/// Waits until a missing kind is installed and its CRD fits.
pub(super) async fn installed(client: &Client, expected: &Expected, lists: Vec<WatchHandle>) {
    for (_, mut progress) in lists {
        // The watch holds the sender and never ends by itself.
        let _ = progress.wait_for(|progress| *progress == Progress::Listed).await;
    }
    while let Err(error) = crd_check::check(client, expected).await {
        tracing::error!(reconciler = expected.wiring.name, %error, "the reconciler cannot start yet");
        tokio::time::sleep(PAUSE).await;
    }
    tracing::info!(reconciler = expected.wiring.name, kind = %expected.kind.resource.kind, "the kind is installed");
}

/// The error for a watch that has ended: it also ends the operator.
pub(super) fn ended(watch: &str, why: &str) -> Error {
    let headline = format!("the watch of {watch} has ended: {why}");
    Error::new(Reason::Ended, headline, "restart the operator, and report this as a bug: a watch must not end")
}

/// Waits for the lists of the reconciled kind.
pub(super) async fn primary(client: &Client, expected: &Expected, started: Vec<WatchHandle>) -> Result {
    for (place, progress) in wait(started).await {
        if let Progress::Failed(watch_error) = progress {
            refusal(client, expected, &place, watch_error).await?;
        }
    }
    Ok(())
}

/// Checks that the API server selects the objects of a shard.
///
/// # Errors
/// It ignores such selectors.
pub(super) async fn selects_shards(client: &Client, places: &[WatchTarget]) -> Result {
    let Some(place) = places.first() else { return Ok(()) };
    match offers_sharding(client, place).await {
        Ok(false) => {
            let headline = format!("the API server does not select the shards of {place}");
            let help = "enable its feature gate `ShardedListAndWatch` (Kubernetes 1.36, alpha), or leave out `--shard-mode server`";
            Err(Error::new(Reason::Setup, headline, help))
        }
        // The watches report what else is wrong.
        Ok(true) | Err(_) => Ok(()),
    }
}

/// Waits for the lists of related kinds, for a limited time. Errors are not returned: the watch has logged them.
pub(super) async fn related(started: Vec<WatchHandle>) {
    wait(started).await;
}

async fn wait(started: Vec<WatchHandle>) -> Vec<(WatchTarget, Progress)> {
    let deadline = tokio::time::Instant::now() + PATIENCE;
    let mut ended = Vec::new();
    for (place, mut receiver) in started {
        let known = receiver.wait_for(|progress| *progress != Progress::Pending);
        match tokio::time::timeout_at(deadline, known).await {
            Ok(known) => ended.push((place, known.map_or(Progress::Pending, |progress| progress.clone()))),
            Err(_) => {
                let help = WatchError::Forbidden(String::new()).help(&place);
                tracing::warn!(
                    watch = %place,
                    "no response to the first list within {PATIENCE:?}; starting without it; check the API server and the CRD, and {help}"
                );
                ended.push((place, Progress::Pending));
            }
        }
    }
    ended
}

/// Returns errors that only a person can fix; other errors are retried.
async fn refusal(client: &Client, expected: &Expected, place: &WatchTarget, watch_error: WatchError) -> Result {
    let resource = &expected.kind.resource;
    match &watch_error {
        WatchError::Unknown => Err(unknown(client, expected).await),
        WatchError::Forbidden(text) => {
            let plural = plural_and_group(&resource.plural, &resource.group);
            let headline = format!("the role does not allow list on {place}: {text}");
            let status = if expected.is_own() { format!(" and {plural}/status") } else { String::new() };
            let help = format!("{}, and patch on {plural}{status}", watch_error.help(place));
            Err(Error::new(Reason::Forbidden, headline, help))
        }
        WatchError::Unauthorized(_) => Err(Error::new(Reason::Config, watch_error.to_string(), CREDENTIALS)),
        WatchError::Unreachable(text) => {
            let headline = format!("the API server does not respond: {text}");
            Err(Error::new(Reason::Unreachable, headline, "check the server in the kubeconfig, and that it is running"))
        }
        WatchError::Expired
        | WatchError::TooLong
        | WatchError::Silent(_)
        | WatchError::WentBack(_)
        | WatchError::ShardSelector(_)
        | WatchError::Other(_) => Ok(()),
    }
}

/// Distinguishes a kind that is not installed from one that is only served in other versions.
async fn unknown(client: &Client, expected: &Expected) -> Error {
    let resource = &expected.kind.resource;
    let groups = client.list_api_groups().await.map(|list| list.groups).unwrap_or_default();
    let group = groups.iter().find(|group| group.name == resource.group);
    let versions: Vec<&str> = group.iter().flat_map(|group| &group.versions).map(|v| v.version.as_str()).collect();
    if versions.is_empty() || versions.contains(&resource.version.as_str()) {
        let headline = format!("the CRD of {} ({}) is not installed", resource.kind, resource.api_version);
        let help = if expected.is_own() { install() } else { format!("install what serves {}", resource.api_version) };
        return Error::new(Reason::NotInstalled, headline, help);
    }
    let served = versions.join(", ");
    let headline = format!("{} is not served in version {}, but in {served}", resource.kind, resource.version);
    let help = if expected.is_own() { install() } else { "reconcile one of the versions that are served".to_owned() };
    Error::new(Reason::NotServed, headline, help)
}
