//! Validation of an operator's settings, and the configuration of its cluster.

use kube::Config;

use super::builder::Operator;
use super::error::{Error, Reason, Result};
use super::limits::Own;
use super::{conflicts, identity, index_names};
use crate::client::chain;
use crate::introspection::ReconcilerInfo;
use crate::queue::QueueConfig;
use crate::watch::unreadable;

/// Checks the settings for contradictions.
pub(super) fn check(operator: &Operator) -> Result<(QueueConfig, Own)> {
    let setup = |headline: String, help: &str| Err(Error::new(Reason::Setup, headline, help));
    let name = &*operator.name;
    identity::check(operator)?;
    let config = operator.limits.config();
    let members: Vec<_> = operator.members.iter().map(|member| member.under(name)).collect();
    if members.is_empty() && !serves(operator) {
        return setup(format!("{name} has no reconciler"), "add one: `.reconciler::<my_reconciler>(dependencies)`");
    }
    for member in &operator.members {
        member.check()?;
    }
    if let Some(part) = operator.label_selector.as_deref().and_then(unreadable) {
        let help = "write requirements with commas between them: `team=a`, `tier in (web, db)`, `!legacy`";
        return setup(format!("the label selector has the invalid requirement `{part}`"), help);
    }
    index_names::check(members.iter().map(|member| &member.wiring))?;
    for (at, one) in members.iter().enumerate() {
        for other in &members[at + 1..] {
            if let Some((headline, help)) = conflicts::between(one, other) {
                return setup(headline, help);
            }
        }
    }
    #[cfg(feature = "webhooks")]
    super::webhooks::check(operator)?;
    #[cfg(feature = "routes")]
    super::routes::table(operator)?;
    operator.check_rules()?;
    let names: Vec<_> = members.iter().map(|member| member.name).collect();
    operator.triggers.check(&names)?;
    Ok((QueueConfig { shutdown_timeout: operator.shutdown_timeout, ..config }, operator.limits.own(&names)?))
}

/// Whether the operator has functions that API servers or users call. It then needs no reconciler.
#[cfg(feature = "webhooks")]
fn serves(operator: &Operator) -> bool {
    !operator.reviews.is_empty()
}

#[cfg(not(feature = "webhooks"))]
fn serves(_operator: &Operator) -> bool {
    false
}

/// Reads the kubeconfig, or the service account of the pod.
pub(super) async fn infer() -> Result<Config> {
    Config::infer().await.map_err(|error| {
        let headline = format!("no cluster is configured: {}", chain(&error));
        Error::new(Reason::Config, headline, "set KUBECONFIG, or give the pod a service account").caused_by(error)
    })
}

/// Fails if the configuration impersonates a user while steps act as others. The API server would get the groups of both.
pub(super) fn check_sites(operator: &Operator, config: &Config) -> Result {
    let impersonates = config.auth_info.impersonate.is_some() || config.auth_info.impersonate_groups.is_some();
    let has_site = |known: ReconcilerInfo| known.wiring.steps.iter().any(|step| step.find_site.is_some());
    let acts = || operator.default_service_account.is_some() || operator.introspect().into_iter().any(has_site);
    if !impersonates || !acts() {
        return Ok(());
    }
    let headline = "the kubeconfig acts as another user, and so do steps of this operator";
    Err(Error::new(
        Reason::Config,
        headline,
        "remove `as` and `as-groups` from its user, and give the operator a user of its own",
    ))
}

/// The error for a configuration that cannot create a client.
pub(super) fn unusable(error: kube::Error) -> Error {
    let headline = format!("the cluster configuration cannot be used: {}", chain(&error));
    Error::new(Reason::Config, headline, "check the kubeconfig with `kubectl get --raw /version`").caused_by(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "dependents")]
    #[test]
    fn a_kubeconfig_that_impersonates_is_rejected_with_sites_only() {
        let mut config = Config::new("https://localhost".parse().unwrap());
        let (plain, acting) = (Operator::new("x"), Operator::new("x").default_service_account("deployer"));
        assert!(check_sites(&acting, &config).is_ok());
        config.auth_info.impersonate_groups = Some(vec!["system:masters".into()]);
        assert!(check_sites(&plain, &config).is_ok());
        assert!(check_sites(&acting, &config).is_err());
    }
}
