//! Builder of an operator: name, reconcilers and settings.

#[cfg(any(feature = "metrics", feature = "webhooks"))]
mod served;

use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::Arc;
use std::time::Duration;

use futures::{Stream, StreamExt};
use kube::runtime::reflector::ObjectRef;
use kube::{Client, Config};

use crate::backoff::Backoff;
use crate::config::Fingerprint;
use crate::dependency::Access;
use crate::interval::Jitter;
use crate::operator::feature_gates::FeatureGates;
use crate::operator::limits::Limits;
use crate::operator::reconciled_kind::ReconciledKind;
use crate::operator::registration::{Registration, Typed};
use crate::operator::trigger::Triggers;
use crate::pipeline::dynamic::Dynamic;
use crate::pipeline::hook::{PassListener, Report};
use crate::pipeline::reconciler::Reconciler;
use crate::pipeline::watcher::Watcher;
use crate::queue::{Key, QueueConfig, Rate};
use crate::trigger::EnabledTriggers;
use crate::wiring::KindInfo;
use crate::wiring::policy::Policy;
#[cfg(feature = "metrics")]
use crate::{listen::Listener, telemetry::metrics::Custom};

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
    /// Whether one watch of each kind covers all of its namespaces.
    pub(super) cluster_wide_watches: bool,
    pub(super) label_selector: Option<Arc<str>>,
    pub(super) managed_fields: bool,
    /// The number of decoded objects per cache, if the others are compressed text.
    #[cfg(feature = "compact")]
    pub(super) decoded_objects: Option<NonZeroUsize>,
    pub(super) streaming_lists: bool,
    pub(super) limits: Limits,
    pub(super) shutdown_timeout: Duration,
    pub(super) jitter: Jitter,
    pub(super) client: Option<Client>,
    /// Whether bytes of a write leave the client as soon as it is called.
    #[cfg_attr(not(feature = "lease"), expect(dead_code, reason = "only replicas need it"))]
    pub(super) sends_at_once: bool,
    /// Overrides the inferred configuration.
    pub(super) config: Option<Config>,
    #[cfg(feature = "metrics")]
    pub(super) listener: Option<Listener>,
    /// The metrics and health checks of the author.
    #[cfg(feature = "metrics")]
    pub(super) custom: Custom,
    /// All triggers, except in evenkeel's own tests.
    pub(super) enabled_triggers: EnabledTriggers,
    pub(super) gates: FeatureGates,
    pub(super) fingerprint: Fingerprint,
    #[cfg(feature = "config")]
    pub(super) file: super::config_file::ConfigFile,
    pub(super) access: Access,
    pub(super) policy: Policy,
    /// The names of earlier versions.
    pub(super) previously: Vec<String>,
    /// The domain of the marks, if it is another one than that of evenkeel.
    pub(super) marks: Option<Arc<str>>,
    /// The service account of sets without a site.
    pub(super) default_service_account: Option<Arc<str>>,
    pub(super) owner: Option<Arc<str>>,
    pub(super) listeners: Vec<PassListener>,
    pub(super) triggers: Triggers,
    pub(super) rules: Vec<crate::rule::Registered>,
    pub(super) members: Vec<Box<dyn Registration>>,
    #[cfg(feature = "lease")]
    pub(super) replicas: Option<super::replicas::Replicas>,
    #[cfg(feature = "lease")]
    pub(super) start_shards: Option<crate::lease::StartShards>,
    #[cfg(feature = "webhooks")]
    pub(super) reviews: super::reviews::Reviews,
    #[cfg(feature = "manifests")]
    pub(super) edits: crate::manifests::Edits,
}

impl Operator {
    /// Creates an operator without reconcilers.
    ///
    /// The name is part of field managers (`<operator>/<reconciler>`), finalizers (`<group>/<operator>`), events and
    /// the `User-Agent`. After a rename, name the former one in [`previously`](Self::previously).
    pub fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            version: None,
            namespaces: Vec::new(),
            cluster_wide_watches: false,
            label_selector: None,
            managed_fields: false,
            #[cfg(feature = "compact")]
            decoded_objects: None,
            streaming_lists: true,
            limits: Limits::default(),
            shutdown_timeout: QueueConfig::SHUTDOWN_TIMEOUT,
            jitter: Jitter::default(),
            client: None,
            sends_at_once: false,
            config: None,
            #[cfg(feature = "metrics")]
            listener: None,
            #[cfg(feature = "metrics")]
            custom: Custom::default(),
            enabled_triggers: EnabledTriggers::default(),
            gates: FeatureGates::default(),
            fingerprint: Fingerprint::default(),
            #[cfg(feature = "config")]
            file: Default::default(),
            access: Access::default(),
            policy: Policy::default(),
            previously: Vec::new(),
            marks: None,
            default_service_account: None,
            owner: None,
            listeners: Vec::new(),
            triggers: Triggers::default(),
            rules: Vec::new(),
            members: Vec::new(),
            #[cfg(feature = "lease")]
            replicas: None,
            #[cfg(feature = "lease")]
            start_shards: None,
            #[cfg(feature = "webhooks")]
            reviews: Default::default(),
            #[cfg(feature = "manifests")]
            edits: Default::default(),
        }
    }

    /// Adds a reconciler and its dependencies: one value, or a tuple in the order of the parameters.
    pub fn reconciler<R: Reconciler<Object: ReconciledKind>>(mut self, deps: R::Deps) -> Self {
        self.members.push(Box::new(Typed::<R>::new(deps)));
        self
    }

    /// Adds a watcher: the struct that `#[watcher]` is on, or for a function its dependencies, one value or a tuple in the order of the parameters.
    ///
    /// The [guide](crate::guide::watchers) has examples.
    pub fn watcher<W: Watcher<Object: ReconciledKind>>(self, deps: impl Into<W::Deps>) -> Self {
        self.reconciler::<W>(deps.into())
    }

    /// Adds a reconciler of a kind that is known only when the program starts, such as one that a flag names.
    ///
    /// The steps get each object as [`Dynamic`]. kube's discovery finds the resource and the scope of a kind. If the kind
    /// is not installed yet, the reconciler starts when it is.
    ///
    /// The [guide](crate::guide::kinds) has an example.
    pub fn dynamic_reconciler<R: Reconciler<Object = Dynamic>>(
        mut self,
        kind: impl Into<KindInfo>,
        deps: R::Deps,
    ) -> Self {
        self.members.push(Box::new(Typed::<R>::dynamic(deps, kind.into())));
        self
    }

    /// Adds a reconciler whose dependencies are shared with other operators.
    #[doc(hidden)]
    pub fn reconciler_sharing<R: Reconciler<Object: ReconciledKind>>(mut self, deps: Arc<R::Deps>) -> Self {
        self.members.push(Box::new(Typed::<R>::sharing(deps)));
        self
    }

    /// Restricts the watches to these namespaces; an empty list means all namespaces.
    ///
    /// Cluster-scoped kinds are not affected.
    pub fn namespaces<N: AsRef<str>>(mut self, namespaces: impl IntoIterator<Item = N>) -> Self {
        self.namespaces = namespaces.into_iter().map(|namespace| namespace.as_ref().into()).collect();
        self
    }

    /// Watches each kind once in the whole cluster instead of once in each of the [`namespaces`](Self::namespaces), and drops the objects of
    /// other namespaces as they arrive.
    ///
    /// An operator of 100 kinds in 10 namespaces then has 100 watches and not 1,000. In return it receives the objects of all namespaces, and
    /// its ClusterRole allows list and watch in all of them; its other rights remain in the Role of each namespace. Use it where most objects
    /// of the kinds are in the namespaces of the operator. Watches by name remain in the namespace of their object. With one namespace it
    /// changes nothing. The command-line flag is `--cluster-wide-watches`.
    ///
    /// ```
    /// # use evenkeel::Operator;
    /// let operator = Operator::new("certificates").namespaces(["team-a", "team-b"]).cluster_wide_watches();
    /// ```
    pub fn cluster_wide_watches(mut self) -> Self {
        self.cluster_wide_watches = true;
        self
    }

    /// Whether one watch covers several namespaces.
    pub(super) fn watches_cluster(&self) -> bool {
        self.cluster_wide_watches && self.namespaces.len() > 1
    }

    /// Reconciles only the objects of each kind that match this label selector, such as `team=a,tier in (web, db)`.
    ///
    /// It adds to `labels = ".."` of a reconciler, and does not select owned and watched objects. The command-line flag is
    /// `--label-selector`. Nothing is done for other objects, not even a cleanup: they may belong to another operator of the same name with
    /// another selector, a [shard](crate::guide::shards).
    ///
    /// # Errors
    /// The operator does not start if the selector does not parse.
    pub fn label_selector(mut self, selector: &str) -> Self {
        self.label_selector = Some(selector.trim()).filter(|selector| !selector.is_empty()).map(Into::into);
        self
    }

    /// Retains `metadata.managedFields` and the annotation `kubectl.kubernetes.io/last-applied-configuration`.
    ///
    /// By default both are skipped while decoding. They take most of the memory of an object, and no reconciler should base decisions on them.
    pub fn keep_managed_fields(mut self) -> Self {
        self.managed_fields = true;
        self
    }

    /// Caches the objects of the reconciled kinds as compressed text. Of each reconciler, `decoded` objects are kept decoded, too: those that
    /// were read last.
    ///
    /// An object of 3.6 KB of JSON then takes 0.4 KB instead of 4: a million of them take 0.5 GiB. The first object of a kind is the dictionary
    /// for the others, so objects that have nothing in common take more. An event of an object that is not decoded costs twice the processor
    /// time, and so does its first pass after a start. Use it for hundreds of thousands of objects; 1,000 decoded ones suffice unless more
    /// change at the same time.
    ///
    /// Watched and owned objects, and the objects of a watcher with `cache = none`, are cached as before.
    ///
    /// ```
    /// # use std::num::NonZeroUsize;
    /// # use evenkeel::Operator;
    /// let operator = Operator::new("certificates").compact_cache(NonZeroUsize::new(1_000).unwrap());
    /// ```
    #[cfg(feature = "compact")]
    pub fn compact_cache(mut self, decoded: NonZeroUsize) -> Self {
        self.decoded_objects = Some(decoded);
        self
    }

    /// Uses paginated lists instead of streaming lists.
    ///
    /// By default the initial list is requested as a stream within the watch (`WatchList`), which needs far less memory in the API server of a
    /// large cluster. Kubernetes supports streaming lists from 1.32 on, and earlier behind the feature gate `WatchList`. If the API server
    /// rejects a streaming list or never completes it, the operator does not request one again.
    pub fn paged_lists(mut self) -> Self {
        self.streaming_lists = false;
        self
    }

    /// How long running passes may take after a stop signal; 25 s by default.
    ///
    /// The default is shorter than the 30 s of a pod (`terminationGracePeriodSeconds`). Passes that exceed the
    /// timeout are dropped, and their objects are reconciled again after the next start. The command-line flag is
    /// `--shutdown-timeout`.
    pub fn shutdown_timeout(mut self, shutdown_timeout: Duration) -> Self {
        self.shutdown_timeout = shutdown_timeout;
        self
    }

    /// How far a requeue interval may deviate from the requested one; five percent by default.
    ///
    /// Each object has a fixed deviation, which is the same after a restart.
    pub fn jitter(mut self, jitter: Jitter) -> Self {
        self.jitter = jitter;
        self
    }

    /// Default policy for objects without a policy annotation; [`Policy::Manage`] unless set.
    ///
    /// It applies to reconcilers that declare `policies`. The command-line flag is `--default-policy`.
    pub fn default_policy(mut self, policy: Policy) -> Self {
        self.policy = policy;
        self
    }

    /// Calls a function after each pass with a report of its outcome, for notifications and metrics.
    ///
    /// If several functions are registered, they are called in order. The function runs within the pass, so hand slow
    /// work to another task. A panic in it is logged and has no other effect.
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

    /// Declares the [feature gates](FeatureGates) of the program, which `--feature-gates` sets.
    pub fn feature_gates(mut self, gates: &FeatureGates) -> Self {
        self.gates = gates.clone();
        self
    }

    /// Sets how many objects of one reconciler are reconciled concurrently; 16 by default.
    ///
    /// `#[reconciler(concurrency = ..)]` and [`concurrency_of`](Self::concurrency_of) take precedence.
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

    /// Sets how many objects of this reconciler are reconciled concurrently.
    ///
    /// Takes precedence over [`concurrency`](Self::concurrency) and `#[reconciler(concurrency = ..)]`.
    pub fn concurrency_of<R: Reconciler>(mut self, passes: NonZeroUsize) -> Self {
        self.limits.of::<R>().concurrency = Some(passes);
        self
    }

    /// Sets the delays between the retries of a failing object of this reconciler; 1 s, doubling up to 10 min, by default.
    ///
    /// The n-th delay is `first * 2^n`, at most `longest`, shortened at random by up to a quarter. An interval that
    /// `retry = ..` or the class of an error sets takes precedence, and a change of the object is not delayed.
    ///
    /// # Errors
    /// The operator does not start if `first` is shorter than 1 ms or longer than `longest`.
    pub fn backoff_of<R: Reconciler>(mut self, first: Duration, longest: Duration) -> Self {
        self.limits.of::<R>().backoff = Some(Backoff { base: first, cap: longest });
        self
    }

    /// Sets how many failed objects of this reconciler are retried per second, after a burst of one second.
    ///
    /// [`retries_per_second`](Self::retries_per_second) limits the retries of all reconcilers together and still applies.
    pub fn retries_per_second_of<R: Reconciler>(mut self, retries: NonZeroU32) -> Self {
        self.limits.of::<R>().rate = Some(Rate::new(retries));
        self
    }

    /// Sets how many objects of all reconcilers together are reconciled concurrently; unlimited by default.
    pub fn total_concurrency(mut self, passes: NonZeroUsize) -> Self {
        self.limits.together = Some(passes);
        self
    }

    /// Sets how many failed objects of all reconcilers together are retried per second; 100 by default.
    ///
    /// An object that waits for its retry does not count towards the concurrency. A changed object is never delayed.
    pub fn retries_per_second(mut self, retries: NonZeroU32) -> Self {
        self.limits.retries = retries;
        self
    }

    /// Reconciles each object that the stream yields, for changes outside of the cluster that no watch reports.
    ///
    /// The body runs even if nothing in the cluster has changed. References to objects that do not exist (yet) are ignored.
    ///
    /// The stream is polled from the start, and references that arrive before the first list of the kind are processed
    /// after it. References are lost while the operator is down; the requeue interval makes up for them. The operator
    /// keeps running when the stream ends. The [guide](crate::guide::pass) has an example.
    pub fn trigger<R: Reconciler<Object: ReconciledKind>>(
        self,
        references: impl Stream<Item = ObjectRef<R::Object>> + Send + 'static,
    ) -> Self {
        let keys = references.map(|reference| Key::new(reference.namespace.as_deref(), &reference.name)).boxed();
        self.triggers.add::<R>(keys);
        self
    }
}
