//! Runs an operator: checks the settings, starts the reconcilers, and stops them.

use std::future::Future;
use std::sync::Arc;

use futures::future::{join_all, try_join_all};
use kube::{Client, Config};
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use super::builder::Operator;
use super::controller::{OperatorContext, Prepared};
use super::crd_watch::Definitions;
use super::error::{Error, Result};
use super::instrument::Telemetry;
#[cfg(feature = "metrics")]
use super::listen;
use super::signal::Signals;
use super::{settings, shutdown, startup};
use crate::client::{self, StepClient};
use crate::leadership::Leadership;
use crate::queue::meter::CallMeter;
use crate::watch::{Health, Scope, SharedWatches, Streaming};

impl Operator {
    /// Runs until SIGTERM or Ctrl-C.
    ///
    /// A second signal ends the process at once, with the exit code 143 or 130.
    ///
    /// # Errors
    /// See [`run_until`](Self::run_until).
    pub async fn run(self) -> Result {
        let signals = Signals::listen(None)?;
        self.run_until(signals.stop()).await
    }

    /// Runs until the future completes, and then shuts down.
    ///
    /// After that no further pass starts, and running passes may finish within the [shutdown
    /// timeout](Self::shutdown_timeout). Passes that exceed the timeout are dropped.
    ///
    /// Work in [`Cx::blocking`](crate::Cx::blocking) cannot be dropped: its thread continues. A tokio runtime waits for
    /// such threads when the runtime itself is dropped, at the latest at the end of `main`. A program that must exit in
    /// time can call [`std::process::exit`], as [`run_cli`](Self::run_cli) does, or `Runtime::shutdown_background`.
    ///
    /// # Errors
    /// Passes were dropped after the shutdown timeout: [`Error::dropped`] lists their objects.
    ///
    /// The operator cannot start:
    ///
    /// - The setup contradicts itself.
    /// - The cluster is unreachable.
    /// - No CRD is installed, or a CRD is outdated.
    /// - The RBAC rules do not allow list and watch.
    ///
    /// Later failures are retried and never end the operator. If only some of the reconciled kinds are installed, the
    /// reconcilers of the other kinds start when their CRDs are installed.
    ///
    /// # Cancellation
    /// Dropping the future drops the running passes at once.
    pub async fn run_until(self, stop: impl Future<Output = ()> + Send) -> Result {
        let span = tracing::info_span!("operator", operator = %self.name);
        serve(self, stop).instrument(span).await
    }
}

async fn serve(mut operator: Operator, stop: impl Future<Output = ()> + Send) -> Result {
    operator.gates.warn();
    let context = context(&mut operator).await?;
    let stopping = context.stop.clone();
    let run = async {
        let members: Vec<_> = operator.members.into_iter().map(|member| member.prepare(context.clone())).collect();
        // All reconcilers have joined, so each watch is started only once.
        let mut watches = context.watches.start();
        let _definitions = context.definitions.start(&context.client);
        // A stop before the first pass has nothing to wait for.
        let Some(prepared) = context.stop.run_until_cancelled(try_join_all(members)).await else { return Ok(()) };
        let prepared = prepared?;
        something_to_do(&prepared)?;
        context.telemetry.started();
        tracing::info!("started");
        let mut passes = std::pin::pin!(join_all(prepared.into_iter().map(Prepared::run)));
        tokio::select! {
            dropped = &mut passes => shutdown::stopped(dropped.concat(), context.config.shutdown_timeout),
            (watch, why) = watches.ended() => {
                context.stop.cancel();
                Err(startup::ended(&watch, &why).with_dropped(passes.await.concat()))
            }
        }
    };
    let mut run = std::pin::pin!(run);
    tokio::select! {
        ended = &mut run => ended,
        () = stop => {
            tracing::info!("stopping");
            stopping.cancel();
            run.await
        }
    }
}

/// Returns an error if no reconciled kind is installed, since the operator would do nothing. If only some are missing,
/// their watches have already logged it.
fn something_to_do(reconcilers: &[Box<dyn Prepared>]) -> Result {
    let missing: Option<Vec<_>> = reconcilers.iter().map(|reconciler| reconciler.missing()).collect();
    missing.and_then(|missing| missing.first().map(|error| Error::clone(error))).map_or(Ok(()), Err)
}

/// Prepares the state that all reconcilers of the operator share.
pub(super) async fn context(operator: &mut Operator) -> Result<OperatorContext> {
    let (config, own) = settings::check(operator)?;
    let health = Health::default();
    let telemetry = telemetry(operator, &health).await?;
    let (client, meter) = match (operator.client.take(), operator.config.take()) {
        (Some(client), _) => (client::named(&client, &agent(operator)), telemetry.calls("")),
        (None, Some(config)) => connect(operator, config, &telemetry)?,
        (None, None) => connect(operator, settings::infer().await?, &telemetry)?,
    };
    let passes = Arc::new(StepClient::new(client.clone(), meter.clone()));
    let client = client::counted(&client, &meter);
    Ok(OperatorContext {
        watches: SharedWatches::new(client.clone(), health, Streaming::wanted(operator.streaming_lists)),
        client,
        passes,
        definitions: Definitions::default(),
        operator: operator.name.clone(),
        scope: Scope { namespaces: operator.namespaces.clone().into(), whole: operator.managed_fields },
        config,
        own: own.into(),
        jitter: operator.jitter,
        enabled_triggers: operator.enabled_triggers,
        gates: operator.gates.changed().into(),
        access: operator.access,
        policy: operator.policy,
        owner: operator.owner.clone(),
        listeners: operator.listeners.clone().into(),
        triggers: operator.triggers.clone(),
        gate: Leadership::open(),
        telemetry,
        stop: CancellationToken::new(),
    })
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

/// Creates the client and the meter that counts its calls.
fn connect(operator: &Operator, config: Config, telemetry: &Telemetry) -> Result<(Client, CallMeter)> {
    let meter = telemetry.calls(config.cluster_url.host().unwrap_or_default());
    match client::configured(config, &agent(operator)) {
        Ok(client) => Ok((client, meter)),
        Err(error) => Err(settings::unusable(error)),
    }
}

/// The `User-Agent`: `source-controller/1.2.0 evenkeel/0.1.0`.
fn agent(operator: &Operator) -> String {
    let version = operator.version.iter().fold(String::new(), |_, version| format!("/{version}"));
    format!("{}{version} evenkeel/{}", operator.name, env!("CARGO_PKG_VERSION"))
}

/// Hooks for evenkeel's own tests.
#[cfg(feature = "__test-hooks")]
impl Operator {
    /// Disables a trigger in the event filter and the short-circuit.
    pub fn without_trigger(mut self, word: &str) -> Self {
        self.enabled_triggers.take_out(word);
        self
    }

    /// Runs the body in every pass, and a pass for every event of the reconciled kind.
    pub fn without_short_circuit(mut self) -> Self {
        self.enabled_triggers.always_run();
        self
    }

    /// Reduces a pass to looking up the object, as a bare closure would, to measure the overhead of the rest of a pass.
    pub fn without_pass(mut self) -> Self {
        self.enabled_triggers.only_look_up();
        self
    }
}
