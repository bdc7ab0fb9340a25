//! The operator: reconcilers under one name, with one client and one end.

mod cli;
mod conflicts;
mod controller;
mod crd_check;
mod crd_watch;
mod describe;
mod error;
mod index_names;
mod instrument;
pub mod kube_controller;
mod lease_name;
mod limits;
#[cfg(feature = "metrics")]
mod listen;
#[cfg(feature = "log")]
mod log;
#[cfg(feature = "log")]
mod log_line;
mod registration;
mod shutdown;
mod signal;
mod startup;
mod status_check;
mod trigger;
mod wiring_check;

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use futures::future::{join_all, try_join_all};
use kube::{Client, Config, CustomResourceExt};
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use self::controller::{Launch, Prepared};
use self::crd_watch::Definitions;
use self::instrument::Telling;
use self::limits::Limits;
use self::registration::{Member, Typed};
use self::trigger::Triggers;
use crate::client;
use crate::dependency::Access;
use crate::interval::Jitter;
use crate::leadership::Gate;
use crate::pipeline::hook::{Observer, Report};
use crate::pipeline::reconciler::Reconciler;
use crate::queue::QueueConfig;
use crate::trigger::List;
use crate::watch::{Health, Scope, Streaming, Watches};
use crate::wiring::policy::Policy;

pub use self::error::{Error, Reason, Result};
#[doc(inline)]
pub use self::kube_controller as pair;
pub use self::lease_name::leader_id;

/// An operator: one or more reconcilers under one name.
///
/// ```ignore
/// Operator::new("source-controller").reconciler::<git_repository>(Git::open("./data")?).run_cli().await
/// ```
#[must_use = "an operator does nothing until it is run"]
pub struct Operator {
    name: Arc<str>,
    version: Option<String>,
    namespaces: Vec<Arc<str>>,
    managed_fields: bool,
    streaming_lists: bool,
    limits: Limits,
    grace: Duration,
    jitter: Jitter,
    client: Option<Client>,
    /// What to make a client of, where it is not the usual one.
    config: Option<Config>,
    #[cfg(feature = "metrics")]
    listener: Option<crate::telemetry::metrics::Listener>,
    /// All of them, except in our own tests.
    pub(crate) causes: List,
    access: Access,
    policy: Policy,
    owner: Option<Arc<str>>,
    observers: Vec<Observer>,
    triggers: Triggers,
    members: Vec<Box<dyn Member>>,
}

impl std::fmt::Debug for Operator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let reconcilers: Vec<_> = self.members.iter().map(|member| member.identity().name).collect();
        f.debug_struct("Operator").field("name", &self.name).field("reconcilers", &reconcilers).finish_non_exhaustive()
    }
}

impl Operator {
    /// An operator without reconcilers. The name stands in field managers (`<operator>/<reconciler>`), finalizers
    /// (`<group>/<operator>`), events and the `User-Agent`: changing it later leaves the old ones behind.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            version: None,
            namespaces: Vec::new(),
            managed_fields: false,
            streaming_lists: true,
            limits: Limits::default(),
            grace: QueueConfig::GRACE,
            jitter: Jitter::default(),
            client: None,
            config: None,
            #[cfg(feature = "metrics")]
            listener: None,
            causes: List::default(),
            access: Access::default(),
            policy: Policy::default(),
            owner: None,
            observers: Vec::new(),
            triggers: Triggers::default(),
            members: Vec::new(),
        }
    }

    /// Adds a reconciler with what it depends on: one value, or a tuple in the order of its parameters.
    pub fn reconciler<R: Reconciler<Object: CustomResourceExt>>(mut self, deps: R::Deps) -> Self {
        self.members.push(Box::new(Typed::<R>::new(deps)));
        self
    }

    /// The same over dependencies that other operators have, too.
    #[doc(hidden)]
    pub fn reconciler_sharing<R: Reconciler<Object: CustomResourceExt>>(mut self, deps: Arc<R::Deps>) -> Self {
        self.members.push(Box::new(Typed::<R>::sharing(deps)));
        self
    }

    /// Watches these namespaces only; none means all. Kinds without namespaces are not affected.
    pub fn namespaces<N: AsRef<str>>(mut self, namespaces: impl IntoIterator<Item = N>) -> Self {
        self.namespaces = namespaces.into_iter().map(|namespace| namespace.as_ref().into()).collect();
        self
    }

    /// Keeps `metadata.managedFields` and the annotation `kubectl.kubernetes.io/last-applied-configuration` of the objects that steps are
    /// given. Otherwise both are skipped while decoding: no reconciler should decide by them, and they take most of the memory of an object.
    pub fn keep_managed_fields(mut self) -> Self {
        self.managed_fields = true;
        self
    }

    /// Asks for the objects that are there in pages, also where the API server offers them as a stream in the watch itself. Otherwise a
    /// stream is asked for, which costs a large cluster's API server far less memory: Kubernetes offers it from 1.32 on, earlier behind the
    /// feature gate `WatchList`. A server that refuses it, or never ends it, is asked once.
    pub fn paged_lists(mut self) -> Self {
        self.streaming_lists = false;
        self
    }

    /// How long running passes may take after a stop; by default 25 s, less than the 30 s of a pod (`terminationGracePeriodSeconds`). Then
    /// they are dropped, and run again at the next start. On the command line it is `--grace`.
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// How far the requeue interval of an object may be from what was asked for; five percent unless said otherwise. Each object
    /// has a share of its own, kept over restarts.
    pub fn jitter(mut self, jitter: Jitter) -> Self {
        self.jitter = jitter;
        self
    }

    /// Whether objects may refer to others in another namespace, by `depends_on` or [`Cx::require_ready`](crate::Cx::require_ready). They
    /// may, unless [`Access::SameNamespace`] is given here or `--no-cross-namespace-refs` on the command line; then such an object is
    /// stalled with the reason `AccessDenied`. Whatever else a step reads by name is in the namespace of its object anyway.
    pub fn access(mut self, access: Access) -> Self {
        self.access = access;
        self
    }

    /// What may be done for objects of which nobody says so, where their reconciler has `policies`; [`Policy::Manage`] unless given here
    /// or by `--default-policy` on the command line.
    pub fn default_policy(mut self, policy: Policy) -> Self {
        self.policy = policy;
        self
    }

    /// The namespace in which this operator runs, where several operators with the same kinds share a cluster: each object belongs to the one
    /// that its annotation [`evenkeel.dev/operator-namespace`](crate::ownership::OPERATOR_NAMESPACE) names. One without it is claimed before
    /// anything is done for it; for one of another operator nothing is done, and one Warning event says so. Without this, all objects are
    /// ours. On the command line it is `--operator-namespace`.
    pub fn operator_namespace(mut self, namespace: impl AsRef<str>) -> Self {
        self.owner = Some(namespace.as_ref().into()).filter(|namespace: &Arc<str>| !namespace.is_empty());
        self
    }

    /// The version of the program, for `--version` and the `User-Agent`: `.version(env!("CARGO_PKG_VERSION"))`.
    pub fn version(mut self, version: &str) -> Self {
        self.version = Some(version.to_owned());
        self
    }

    /// The client to use, instead of one from the kubeconfig or the service account. Build it with kube's own retries off
    /// (`config.default_retry = false`): the queue backs off per object, and retries underneath would hold its slots.
    pub fn client(mut self, client: Client) -> Self {
        self.client = Some(client);
        self
    }

    /// Calls this after each pass with how it ended, for notifications and metrics; several observers are called in order. It runs
    /// within the pass, so it should hand on what takes time. A panic in it is logged and changes nothing.
    ///
    /// ```no_run
    /// # use evenkeel::Operator;
    /// let (notices, _inbox) = std::sync::mpsc::channel();
    /// let operator = Operator::new("source-controller").observe(move |report| {
    ///     if report.notify && report.transition {
    ///         let _ = notices.send(format!("{}: {}", report.name, report.message));
    ///     }
    /// });
    /// ```
    pub fn observe(mut self, observer: impl Fn(&Report<'_>) + Send + Sync + 'static) -> Self {
        self.observers.push(Arc::new(observer));
        self
    }

    /// Runs until SIGTERM or Ctrl-C. A second signal ends the process at once, with the exit code 143 or 130.
    ///
    /// # Errors
    /// See [`run_until`](Self::run_until).
    pub async fn run(self) -> Result {
        let signals = signal::Signals::listen(None)?;
        self.run_until(signals.stop()).await
    }

    /// Runs until the future ends. Then no further pass starts, and running ones may end within the [grace](Self::grace). Those that do not
    /// are dropped.
    ///
    /// Work that a step gave to [`Cx::blocking`](crate::Cx::blocking) cannot be dropped: its thread goes on, and a tokio runtime waits for
    /// it when it is dropped, at the end of `main` at the latest. A program that has to end in time ends the process
    /// ([`std::process::exit`]), as [`run_cli`](Self::run_cli) does, or its runtime by `Runtime::shutdown_background`.
    ///
    /// # Errors
    /// Passes were dropped at the end of the grace: [`Error::dropped`] names their objects.
    ///
    /// The operator cannot start: a contradiction in the setup, no cluster, no CRD, an outdated CRD, no rights to list and watch.
    /// What fails later is tried again and never ends the operator. Where some reconciled kinds are installed and others are not, the
    /// reconcilers of those begin when the definition comes.
    ///
    /// # Cancellation
    /// Dropping the future drops the running passes at once.
    pub async fn run_until(self, stop: impl Future<Output = ()> + Send) -> Result {
        let span = tracing::info_span!("operator", operator = %self.name);
        self.serve(stop).instrument(span).await
    }

    async fn serve(mut self, stop: impl Future<Output = ()> + Send) -> Result {
        let launch = self.launch().await?;
        let stopping = launch.stop.clone();
        let run = async {
            let members: Vec<_> = self.members.into_iter().map(|member| member.prepare(launch.clone())).collect();
            // All of them have joined: from here on each watch runs once.
            let mut watches = launch.watches.start();
            let _definitions = launch.definitions.start(&launch.client);
            // Before the first pass there is nothing to wait for.
            let Some(prepared) = launch.stop.run_until_cancelled(try_join_all(members)).await else { return Ok(()) };
            let prepared = prepared?;
            startup::something_to_do(&prepared)?;
            launch.telling.started();
            tracing::info!("started");
            let mut passes = std::pin::pin!(join_all(prepared.into_iter().map(Prepared::run)));
            tokio::select! {
                dropped = &mut passes => shutdown::stopped(dropped.concat(), launch.config.grace),
                (watch, why) = watches.ended() => {
                    launch.stop.cancel();
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

    /// What its reconcilers share.
    async fn launch(&mut self) -> Result<Launch> {
        let (config, own) = startup::settings(self)?;
        let health = Health::default();
        let telling = self.telling(&health).await?;
        let client = match (self.client.take(), self.config.take()) {
            (Some(client), _) => client::noted(&client, &self.agent(), telling.calls("")),
            (None, Some(config)) => self.connect(config, &telling)?,
            (None, None) => self.connect(startup::infer().await?, &telling)?,
        };
        Ok(Launch {
            watches: Watches::new(client.clone(), health, Streaming::wanted(self.streaming_lists)),
            client,
            definitions: Definitions::default(),
            operator: self.name.clone(),
            scope: Scope { namespaces: self.namespaces.clone().into(), whole: self.managed_fields },
            config,
            own: own.into(),
            jitter: self.jitter,
            causes: self.causes,
            access: self.access,
            policy: self.policy,
            owner: self.owner.clone(),
            observers: self.observers.clone().into(),
            triggers: self.triggers.clone(),
            gate: Gate::open(),
            telling,
            stop: CancellationToken::new(),
        })
    }

    #[cfg(feature = "metrics")]
    async fn telling(&mut self, health: &Health) -> Result<Telling> {
        self.listening(health).await.map(Telling::through)
    }

    #[cfg(not(feature = "metrics"))]
    #[expect(clippy::unused_async, reason = "with the feature it binds a socket")]
    async fn telling(&mut self, _health: &Health) -> Result<Telling> {
        Ok(Telling::default())
    }

    fn connect(&self, config: Config, telling: &Telling) -> Result<Client> {
        let calls = telling.calls(config.cluster_url.host().unwrap_or_default());
        client::configured(config, &self.agent(), calls).map_err(|error| startup::unusable(&error))
    }

    /// `source-controller/1.2.0 evenkeel/0.1.0`.
    fn agent(&self) -> String {
        let version = self.version.iter().fold(String::new(), |_, version| format!("/{version}"));
        format!("{}{version} evenkeel/{}", self.name, env!("CARGO_PKG_VERSION"))
    }
}
