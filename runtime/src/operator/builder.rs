//! The builder of an operator: its name, its reconcilers and its settings.

use std::fmt;
#[cfg(feature = "metrics")]
use std::net::{SocketAddr, TcpListener};
use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::Arc;
use std::time::Duration;

use futures::{Stream, StreamExt};
use kube::runtime::reflector::ObjectRef;
use kube::{Client, Config, CustomResourceExt};

use super::limits::Limits;
use super::registration::{Registration, Typed};
use super::trigger::Triggers;
use crate::dependency::Access;
use crate::interval::Jitter;
use crate::pipeline::hook::{PassListener, Report};
use crate::pipeline::reconciler::Reconciler;
use crate::queue::{Key, QueueConfig};
#[cfg(feature = "metrics")]
use crate::telemetry::metrics::Listener;
use crate::trigger::EnabledTriggers;
use crate::wiring::policy::Policy;

/// An operator: one or more reconcilers under one name.
///
/// ```ignore
/// Operator::new("source-controller").reconciler::<git_repository>(Git::open("./data")?).run_cli().await
/// ```
#[must_use = "an operator does nothing until it is run"]
pub struct Operator {
    pub(super) name: Arc<str>,
    pub(super) version: Option<String>,
    pub(super) namespaces: Vec<Arc<str>>,
    pub(super) managed_fields: bool,
    pub(super) streaming_lists: bool,
    pub(super) limits: Limits,
    pub(super) shutdown_timeout: Duration,
    pub(super) jitter: Jitter,
    pub(super) client: Option<Client>,
    /// What to make a client of, where it is not the usual one.
    pub(super) config: Option<Config>,
    #[cfg(feature = "metrics")]
    pub(super) listener: Option<Listener>,
    /// All of them, except in our own tests.
    pub(super) enabled_triggers: EnabledTriggers,
    pub(super) access: Access,
    pub(super) policy: Policy,
    pub(super) owner: Option<Arc<str>>,
    pub(super) listeners: Vec<PassListener>,
    pub(super) triggers: Triggers,
    pub(super) members: Vec<Box<dyn Registration>>,
}

impl fmt::Debug for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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
            shutdown_timeout: QueueConfig::SHUTDOWN_TIMEOUT,
            jitter: Jitter::default(),
            client: None,
            config: None,
            #[cfg(feature = "metrics")]
            listener: None,
            enabled_triggers: EnabledTriggers::default(),
            access: Access::default(),
            policy: Policy::default(),
            owner: None,
            listeners: Vec::new(),
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
    /// they are dropped, and run again at the next start. On the command line it is `--shutdown-timeout`.
    pub fn shutdown_timeout(mut self, shutdown_timeout: Duration) -> Self {
        self.shutdown_timeout = shutdown_timeout;
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

    /// Calls this after each pass with how it ended, for notifications and metrics; several functions are called in order. It runs
    /// within the pass, so it should hand on what takes time. A panic in it is logged and changes nothing.
    ///
    /// ```no_run
    /// # use evenkeel::Operator;
    /// let (notices, _inbox) = std::sync::mpsc::channel();
    /// let operator = Operator::new("source-controller").on_pass_end(move |report| {
    ///     if report.notify && report.transition {
    ///         let _ = notices.send(format!("{}: {}", report.name, report.message));
    ///     }
    /// });
    /// ```
    pub fn on_pass_end(mut self, listener: impl Fn(&Report<'_>) + Send + Sync + 'static) -> Self {
        self.listeners.push(Arc::new(listener));
        self
    }

    /// Sets how many objects of one reconciler are reconciled at a time; 16 by default. `#[reconciler(concurrency = ..)]` and
    /// [`concurrency_of`](Self::concurrency_of) take precedence.
    ///
    /// ```
    /// # use evenkeel::Operator;
    /// use std::num::NonZero;
    /// let operator = Operator::new("source-controller").concurrency(const { NonZero::new(4).unwrap() });
    /// ```
    pub fn concurrency(mut self, passes: NonZeroUsize) -> Self {
        self.limits.concurrency = passes;
        self
    }

    /// Sets how many objects of this reconciler are reconciled at a time. Takes precedence over [`concurrency`](Self::concurrency) and
    /// `#[reconciler(concurrency = ..)]`.
    pub fn concurrency_of<R: Reconciler>(mut self, passes: NonZeroUsize) -> Self {
        self.limits.set_own::<R>(passes);
        self
    }

    /// Sets how many objects of all reconcilers together are reconciled at a time; unlimited by default.
    pub fn total_concurrency(mut self, passes: NonZeroUsize) -> Self {
        self.limits.together = Some(passes);
        self
    }

    /// Sets how many failed objects of all reconcilers together are retried per second; 100 by default. An object that waits for its retry
    /// does not count towards the concurrency, and a changed object is never delayed.
    pub fn retries_per_second(mut self, retries: NonZeroU32) -> Self {
        self.limits.retries = retries;
        self
    }

    /// Wants a pass for each object that the stream names: something outside of the cluster changed that its steps look at, and no watch
    /// tells of it. The body runs, whatever the cluster holds. An object that is not there (yet) is no mistake and is left alone.
    ///
    /// The stream is read from the first list of the kind on, so what it says before is not lost; what it says while the operator is
    /// down is, and the requeue interval makes up for it. Its end is the end of the triggers, and of nothing else.
    ///
    /// ```ignore
    /// let pushes = hooks.map(|push| ObjectRef::new(&push.name).within(&push.namespace));
    /// Operator::new("source-controller").reconciler::<git_repository>(git).trigger::<git_repository>(pushes)
    /// ```
    pub fn trigger<R: Reconciler<Object: CustomResourceExt>>(
        self,
        references: impl Stream<Item = ObjectRef<R::Object>> + Send + 'static,
    ) -> Self {
        let keys = references.map(|reference| Key::new(reference.namespace.as_deref(), &reference.name)).boxed();
        self.triggers.add::<R>(keys);
        self
    }
}

#[cfg(feature = "metrics")]
impl Operator {
    /// Listens at the address, over plain HTTP and without asking who it is: `/metrics`, `/healthz`, `/readyz` and `/debug/objects`, as
    /// told [here](crate::guide::diagnostics). With port 0 a free one is taken, and logged. Nothing listens unless this is called or
    /// `--listen` is given.
    pub fn listen(mut self, address: SocketAddr) -> Self {
        self.listener = Some(Listener::At(address));
        self
    }

    /// As [`listen`](Self::listen), at a socket that is bound.
    pub fn listen_on(mut self, socket: TcpListener) -> Self {
        self.listener = Some(Listener::Bound(socket));
        self
    }
}

/// For our own tests.
#[cfg(feature = "__test-hooks")]
impl Operator {
    /// Takes a cause out of the event filter and the short-circuit.
    pub fn without_trigger(mut self, word: &str) -> Self {
        self.enabled_triggers.take_out(word);
        self
    }

    /// Runs the body of every pass, and a pass for every event of the reconciled kind.
    pub fn without_short_circuit(mut self) -> Self {
        self.enabled_triggers.always_run();
        self
    }

    /// A pass only looks the object up, as a bare closure would: what the rest of a pass costs is the difference.
    pub fn without_pass(mut self) -> Self {
        self.enabled_triggers.only_look_up();
        self
    }
}
