//! Prepares the state that all reconcilers of an operator share, and checks that one of them can run.

use std::sync::Arc;

use kube::{Client, Config};
use tokio_util::sync::CancellationToken;

use super::builder::Operator;
use super::controller::{OperatorContext, Prepared};
use super::crd_watch::Definitions;
use super::error::{Error, Result};
use super::instrument::Telemetry;
#[cfg(feature = "metrics")]
use super::listen;
use super::settings;
use super::shard_caches::Part;
use crate::api::DryRunLog;
use crate::client::{self, Connect, StepClient};
use crate::leadership::ShardGates;
use crate::queue::meter::CallMeter;
use crate::watch::{Health, Scope, SharedWatches, Streaming};

/// Prepares the state that all reconcilers of the operator share.
pub(super) async fn context(
    operator: &mut Operator,
    dry_run: Option<&'static dyn DryRunLog>,
    part: Part,
) -> Result<OperatorContext> {
    let Part { gates: shard_gates, caches: shard_caches } = part;
    let (config, own) = settings::check(operator)?;
    let health = Health::default();
    let telemetry = telemetry(operator, &health).await?;
    let (client, meter) = match (operator.client.take(), operator.config.take()) {
        (Some(client), _) => (client::named(&client, &agent(operator)), telemetry.calls("")),
        (None, Some(config)) => connect(operator, &shard_gates, config, &telemetry)?,
        (None, None) => connect(operator, &shard_gates, settings::infer().await?, &telemetry)?,
    };
    let client = match dry_run {
        Some(log) => log.client(&client),
        None => client,
    };
    let passes = Arc::new(StepClient::connecting(client.clone(), meter.clone(), connector(&shard_gates)));
    let client = client::counted(&client, &meter);
    telemetry.check_tokens_by(&client);
    let context = OperatorContext {
        watches: SharedWatches::new(client.clone(), health, Streaming::wanted(operator.streaming_lists)),
        #[cfg(feature = "routes")]
        reconciled: super::routes::reconciled(operator),
        client,
        passes,
        definitions: Definitions::default(),
        #[cfg(feature = "webhooks")]
        served: super::served_versions::all(&operator.reviews.spokes).into(),
        operator: operator.names(),
        scope: scope(operator),
        #[cfg(feature = "compact")]
        decoded_objects: operator.decoded_objects,
        config,
        own: own.into(),
        jitter: operator.jitter,
        enabled_triggers: operator.enabled_triggers,
        gates: operator.gates.changed().into(),
        settings: operator.fingerprint.clone(),
        access: operator.access,
        policy: operator.policy,
        #[cfg(feature = "dependents")]
        default_service_account: operator.default_service_account.clone(),
        owner: operator.owner.clone(),
        listeners: operator.listeners.clone().into(),
        triggers: operator.triggers.clone(),
        shard_gates,
        shard_caches,
        telemetry,
        dry_run,
        stop: CancellationToken::new(),
    };
    #[cfg(feature = "webhooks")]
    super::webhooks::connect(operator, &context, &context.telemetry);
    Ok(context)
}

fn scope(operator: &Operator) -> Scope {
    Scope {
        namespaces: operator.namespaces.clone().into(),
        cluster_wide: operator.watches_cluster(),
        labels: operator.label_selector.clone(),
        whole: operator.managed_fields,
    }
}

#[cfg(feature = "metrics")]
async fn telemetry(operator: &mut Operator, health: &Health) -> Result<Telemetry> {
    let mut custom = std::mem::take(&mut operator.custom);
    custom.add_gates(operator.gates.all().map(|(gate, enabled)| (gate.name(), gate.stage().as_str(), enabled)));
    listen::begin(operator.listener.take(), custom, health).await.map(Telemetry::through)
}

#[cfg(not(feature = "metrics"))]
#[expect(clippy::unused_async, reason = "with the feature it binds a socket")]
async fn telemetry(_operator: &mut Operator, _health: &Health) -> Result<Telemetry> {
    Ok(Telemetry::default())
}

/// Builds clients of clusters. Those of a replica are fenced.
fn connector(shard_gates: &ShardGates) -> Connect {
    #[cfg(feature = "lease")]
    if shard_gates.is_leased() {
        return client::fenced;
    }
    let _ = shard_gates;
    client::configured
}

/// Creates the client and the meter that counts its calls.
fn connect(
    operator: &Operator,
    shard_gates: &ShardGates,
    config: Config,
    telemetry: &Telemetry,
) -> Result<(Client, CallMeter)> {
    settings::check_sites(operator, &config)?;
    let meter = telemetry.calls(config.cluster_url.host().unwrap_or_default());
    match connector(shard_gates)(config, &agent(operator)) {
        Ok(client) => Ok((client, meter)),
        Err(error) => Err(settings::unusable(error)),
    }
}

/// The client of a command that runs no reconciler.
///
/// # Errors
/// No cluster is configured, or its configuration cannot be used.
#[cfg(feature = "doctor")]
pub(super) async fn client_alone(operator: &mut Operator) -> Result<Client> {
    let config = match (operator.client.take(), operator.config.take()) {
        (Some(client), _) => return Ok(client::named(&client, &agent(operator))),
        (None, Some(config)) => config,
        (None, None) => settings::infer().await?,
    };
    client::configured(config, &agent(operator)).map_err(settings::unusable)
}

/// The `User-Agent`: `source-controller/1.2.0 evenkeel/0.1.0`.
pub(super) fn agent(operator: &Operator) -> String {
    let version = operator.version.iter().fold(String::new(), |_, version| format!("/{version}"));
    format!("{}{version} evenkeel/{}", operator.name, env!("CARGO_PKG_VERSION"))
}

/// Returns an error if no reconciled kind is installed, since the operator would do nothing. If only some are missing,
/// their watches have already logged it.
pub(super) fn something_to_do(reconcilers: &[Box<dyn Prepared>]) -> Result {
    let missing: Option<Vec<_>> = reconcilers.iter().map(|reconciler| reconciler.missing()).collect();
    missing.and_then(|missing| missing.first().map(|error| Error::clone(error))).map_or(Ok(()), Err)
}
