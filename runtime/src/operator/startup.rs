//! What has to be in order before passes run, and what to say where it is not.

use std::time::Duration;

use kube::{Client, Config};

use super::controller::Prepared;
use super::crd_check::Expected;
use super::error::{Error, Reason, Result, install};
use super::limits::Own;
use super::{Operator, conflicts, crd_check, index_names};
use crate::api::grant::plural_and_group;
use crate::client::chain;
use crate::queue::QueueConfig;
use crate::watch::{CREDENTIALS, Place, Progress, Trouble, Watching};
use crate::wiring::KindInfo;

/// How long the start waits for a watch that neither lists nor fails.
const PATIENCE: Duration = Duration::from_secs(2);

/// Between two looks at a definition that does not fit.
const PAUSE: Duration = Duration::from_secs(30);

/// Checks the operator's own contradictions.
pub(super) fn settings(operator: &Operator) -> Result<(QueueConfig, Own)> {
    let setup = |headline: String, cure: &str| Err(Error::new(Reason::Setup, headline, cure));
    let name = &*operator.name;
    if !is_label(name) {
        let cure = "it is part of finalizers: use up to 63 of a-z, 0-9 and -, for example source-controller";
        return setup(format!("`{name}` cannot be the name of an operator"), cure);
    }
    let config = operator.limits.config()?;
    let members: Vec<_> = operator.members.iter().map(|member| member.under(name)).collect();
    if members.is_empty() {
        return setup(format!("{name} has no reconciler"), "add one: `.reconciler::<my_reconciler>(dependencies)`");
    }
    for member in &operator.members {
        member.check()?;
    }
    index_names::check(members.iter().map(|member| &member.wiring))?;
    for (at, one) in members.iter().enumerate() {
        for other in &members[at + 1..] {
            if let Some((headline, cure)) = conflicts::between(one, other) {
                return setup(headline, cure);
            }
        }
    }
    let names: Vec<_> = members.iter().map(|member| member.name).collect();
    operator.triggers.check(&names)?;
    Ok((QueueConfig { grace: operator.grace, ..config }, operator.limits.own(&names)?))
}

/// A DNS label: what the name part of a finalizer certainly may be.
fn is_label(name: &str) -> bool {
    let inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    !name.is_empty() && name.len() <= 63 && name.chars().all(inner) && !name.starts_with('-') && !name.ends_with('-')
}

/// The kubeconfig, or the service account of the pod.
pub(super) async fn infer() -> Result<Config> {
    Config::infer().await.map_err(|error| {
        let headline = format!("no cluster to talk to: {}", chain(&error));
        Error::new(Reason::Config, headline, "set KUBECONFIG, or give the pod a service account")
    })
}

/// A configuration from which no client can be made.
pub(super) fn unusable(error: &kube::Error) -> Error {
    let headline = format!("the cluster configuration cannot be used: {}", chain(error));
    Error::new(Reason::Config, headline, "check the kubeconfig with `kubectl get --raw /version`")
}

/// Where no reconciled kind is installed, the operator would do nothing; otherwise the rest has been told by its watches.
pub(super) fn something_to_do(reconcilers: &[Box<dyn Prepared>]) -> Result {
    let missing: Option<Vec<_>> = reconcilers.iter().map(|reconciler| reconciler.missing()).collect();
    missing.and_then(|missing| missing.first().map(|error| Error::clone(error))).map_or(Ok(()), Err)
}

/// Waits until a kind is installed that was not, and its definition fits.
pub(super) async fn installed(client: &Client, expected: &Expected, lists: Vec<Watching>) {
    for (_, mut progress) in lists {
        // Its sender is held by the watch, which never ends by itself.
        let _ = progress.wait_for(|progress| *progress == Progress::Listed).await;
    }
    while let Err(error) = crd_check::check(client, expected).await {
        tracing::error!(reconciler = expected.wiring.name, "it cannot begin yet: {error}");
        tokio::time::sleep(PAUSE).await;
    }
    tracing::info!(reconciler = expected.wiring.name, "{} is installed now", expected.kind.resource.kind);
}

/// A watch is at its end, and with it the operator.
pub(super) fn ended(watch: &str, why: &str) -> Error {
    let headline = format!("the watch of {watch} has ended: {why}");
    Error::new(Reason::Ended, headline, "restart the operator, and report this: watches never end by themselves")
}

/// Waits for the lists of the reconciled kind.
pub(super) async fn primary(client: &Client, kind: &KindInfo, started: Vec<Watching>) -> Result {
    for (place, progress) in wait(started).await {
        if let Progress::Failed(trouble) = progress {
            refusal(client, kind, &place, trouble).await?;
        }
    }
    Ok(())
}

/// Waits for the lists of related kinds. None of them holds up the start for long; the watch has told of its trouble.
pub(super) async fn related(started: Vec<Watching>) {
    wait(started).await;
}

async fn wait(started: Vec<Watching>) -> Vec<(Place, Progress)> {
    let deadline = tokio::time::Instant::now() + PATIENCE;
    let mut ended = Vec::new();
    for (place, mut receiver) in started {
        let known = receiver.wait_for(|progress| *progress != Progress::Pending);
        match tokio::time::timeout_at(deadline, known).await {
            Ok(known) => ended.push((place, known.map_or(Progress::Pending, |progress| progress.clone()))),
            Err(_) => {
                let cure = Trouble::Forbidden(String::new()).cure(&place);
                tracing::warn!(
                    watch = %place,
                    "no answer to the first list within {PATIENCE:?}: starting without it; check the API server and the CRD, and {cure}"
                );
                ended.push((place, Progress::Pending));
            }
        }
    }
    ended
}

/// Whether the trouble is one that only a person can end; the rest is tried again.
async fn refusal(client: &Client, kind: &KindInfo, place: &Place, trouble: Trouble) -> Result {
    let resource = &kind.resource;
    match &trouble {
        Trouble::Unknown => Err(unknown(client, kind).await),
        Trouble::Forbidden(text) => {
            let plural = plural_and_group(&resource.plural, &resource.group);
            let headline = format!("no right to list {place}: {text}");
            let cure = format!("{}, and patch on {plural} and {plural}/status", trouble.cure(place));
            Err(Error::new(Reason::Forbidden, headline, cure))
        }
        Trouble::Unauthorized(_) => Err(Error::new(Reason::Config, trouble.to_string(), CREDENTIALS)),
        Trouble::Unreachable(text) => {
            let headline = format!("the API server does not answer: {text}");
            Err(Error::new(Reason::Unreachable, headline, "check the server of the kubeconfig, and that it runs"))
        }
        Trouble::Expired | Trouble::TooLong | Trouble::Silent(_) | Trouble::WentBack(_) | Trouble::Other(_) => Ok(()),
    }
}

/// Not installed at all, or installed in other versions?
async fn unknown(client: &Client, kind: &KindInfo) -> Error {
    let resource = &kind.resource;
    let groups = client.list_api_groups().await.map(|list| list.groups).unwrap_or_default();
    let group = groups.iter().find(|group| group.name == resource.group);
    let versions: Vec<&str> = group.iter().flat_map(|group| &group.versions).map(|v| v.version.as_str()).collect();
    if versions.is_empty() || versions.contains(&resource.version.as_str()) {
        let headline = format!("the CRD of {} ({}) is not installed", resource.kind, resource.api_version);
        return Error::new(Reason::NotInstalled, headline, install());
    }
    let served = versions.join(", ");
    let headline = format!("{} is not served in version {}, but in {served}", resource.kind, resource.version);
    Error::new(Reason::NotServed, headline, install())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_a_finalizer_cannot_hold_are_refused() {
        for name in ["", "Source", "a_b", "-a", "a-", "a/b", &"x".repeat(64)] {
            assert!(!is_label(name), "{name}");
        }
        assert!(is_label("source-controller"));
    }
}
