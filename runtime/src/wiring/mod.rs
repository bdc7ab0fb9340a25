//! The wiring of a reconciler: constants that the macros generate.

#[cfg(feature = "admission")]
pub(crate) mod admission;
pub(crate) mod annotations;
mod bare_status;
#[cfg(any(feature = "conversion", feature = "operator"))]
mod conversion_path;
pub(crate) mod flow;
mod former_tool;
pub(crate) mod handler;
pub mod index;
mod lifecycle;
#[cfg(feature = "operator")]
mod operator_names;
pub mod policy;
mod ready_function;
pub(crate) mod relation;
#[cfg(feature = "route")]
pub(crate) mod route;
mod step;
pub mod suspend;
mod times;
pub mod triggers;
mod undeclared;
mod unused_reasons;
mod verb;
mod watcher;

use std::borrow::Cow;
use std::num::NonZeroUsize;
use std::time::Duration;

use k8s_openapi::api::core::v1::Namespace;

pub use self::bare_status::BareStatusStore;
#[cfg(feature = "conversion")]
pub(crate) use self::conversion_path::CONVERSIONS;
#[cfg(any(feature = "conversion", feature = "operator"))]
pub(crate) use self::conversion_path::conversion_path;
pub use self::flow::{Arm, Node};
pub use self::former_tool::FormerTool;
pub use self::lifecycle::{ClaimHandler, DaemonHandler, HookHandler, ObserveHandler};
#[cfg(feature = "operator")]
pub(crate) use self::operator_names::OperatorNames;
use self::policy::Policies;
pub use self::ready_function::ReadyFunction;
#[cfg(feature = "operator")]
pub(crate) use self::relation::selector_parts;
pub use self::relation::{Adopt, Cache, How, Relation};
pub use self::step::{StepWiring, When};
use self::suspend::Suspend;
pub use self::times::{DeclaredTime, DeclaredTimes};
use self::triggers::Triggers;
pub use self::verb::{DeclaredCall, Verb};
pub use self::watcher::{DecodeWhole, Leave, Mark, WatcherWiring};
use crate::condition::{ConditionInfo, ConditionSet, READY, RECONCILING, STALLED, SummaryInfo};
pub use crate::kind::{Kind, KindInfo, KnownScope, OwnableBy, Readable};

/// The compile-time information about one reconciler.
#[derive(Clone, Copy, Debug)]
pub struct Wiring {
    /// The name of the function: `git_repository`.
    pub name: &'static str,
    /// The doc comment of the function.
    #[doc(hidden)]
    pub doc: &'static str,
    /// The declared conditions, highest rank first.
    #[doc(hidden)]
    pub conditions: &'static [ConditionInfo],
    /// The further summaries besides Ready.
    #[doc(hidden)]
    pub summaries: &'static [SummaryInfo],
    /// The steps in pipeline order.
    #[doc(hidden)]
    pub steps: &'static [StepWiring],
    /// The control flow of the steps: branches, concurrency and loops. Empty if the steps only run one after another.
    #[doc(hidden)]
    pub shape: &'static [Node],
    /// The timeout of a pass, after which it is dropped; five minutes unless declared.
    #[doc(hidden)]
    pub timeout: Duration,
    /// The times that are declared (`requeue = ..`, `retry = ..`, `timeout = ..`), for documentation and alerts.
    #[doc(hidden)]
    pub times: DeclaredTimes,
    /// The number of objects that are reconciled concurrently (`concurrency = 4`). `None` uses the setting of the
    /// operator.
    #[doc(hidden)]
    pub concurrency: Option<NonZeroUsize>,
    /// How long a change of an object waits for further ones (`debounce = "2s"`). `None`: not at all.
    #[doc(hidden)]
    pub debounce: Option<Duration>,
    /// The revision, which the author increments when the effect of the code has changed (`revision = 2`).
    #[doc(hidden)]
    pub revision: u32,
    /// The finalizer, if declared (`finalizer = ".."`); otherwise `<group>/<operator>`, or
    /// `<group>/<operator>-<reconciler>` if `summary` is set.
    #[doc(hidden)]
    pub finalizer: Option<&'static str>,
    /// The field manager, if declared (`field_manager = ".."`); otherwise `<operator>/<reconciler>`.
    #[doc(hidden)]
    pub field_manager: Option<&'static str>,
    /// The names that earlier versions used, whose fields and finalizers are taken over.
    #[doc(hidden)]
    pub previously: Previously,
    /// The annotation that requests a reconcile (`request_annotation = ".."`).
    #[doc(hidden)]
    pub request_annotation: &'static str,
    /// Where the status of a kind without one of ours is stored besides memory (`bare_status(annotation)`).
    #[doc(hidden)]
    pub bare_status: BareStatusStore,
    /// The labels and annotations that trigger a reconcile (`triggers(spec, labels)`); all of them unless declared.
    #[doc(hidden)]
    pub triggers: Triggers,
    /// The summary condition to use instead of Ready (`summary = ".."`), for a second reconciler of the same kind.
    #[doc(hidden)]
    pub summary: Option<&'static str>,
    /// The suspension settings (`suspend(..)`). `None` disables suspension.
    #[doc(hidden)]
    pub suspend: Option<Suspend>,
    /// Whether objects wait for other objects of their kind (`depends_on = spec.field`).
    #[doc(hidden)]
    pub depends_on: bool,
    /// The label selector of the reconciled objects (`labels = "app=web"`). `None` selects all objects.
    pub labels: Option<&'static str>,
    /// The field selector of the reconciled objects (`fields = "status.phase=Running"`). `None` selects all objects.
    pub fields: Option<&'static str>,
    /// Whether a function selects the reconciled objects, too (`filter = is_mine`).
    #[doc(hidden)]
    pub filtered: bool,
    /// The policy settings (`policies`). With `None`, all objects are managed.
    #[doc(hidden)]
    pub policies: Option<Policies>,
    /// The function that runs instead of the steps if the policy forbids changes (`observe = look`).
    #[doc(hidden)]
    pub observe: Option<ObserveHandler>,
    /// The function that prepares an object before its finalizer is stored (`claim = name_it`).
    #[doc(hidden)]
    pub claim: Option<ClaimHandler>,
    /// The hooks in order (`hooks(announce)`).
    #[doc(hidden)]
    pub hooks: &'static [HookHandler],
    /// The daemons (`daemons(follow)`).
    #[doc(hidden)]
    pub daemons: &'static [DaemonHandler],
    /// The declarations of a watcher. `None`: this is another reconciler.
    #[doc(hidden)]
    pub watcher: Option<WatcherWiring>,
}

impl Wiring {
    /// A wiring without steps and conditions, with the default of every field.
    pub const EMPTY: Self = Self {
        name: "",
        doc: "",
        conditions: &[],
        summaries: &[],
        steps: &[],
        shape: &[],
        timeout: Duration::from_secs(300),
        times: DeclaredTimes::NONE,
        concurrency: None,
        debounce: None,
        revision: 0,
        finalizer: None,
        field_manager: None,
        previously: Previously { managers: &[], finalizers: &[], reconcilers: &[] },
        request_annotation: self::annotations::REQUESTED_AT,
        bare_status: BareStatusStore::NONE,
        triggers: Triggers::ALL,
        summary: None,
        suspend: None,
        depends_on: false,
        labels: None,
        fields: None,
        filtered: false,
        policies: None,
        observe: None,
        claim: None,
        hooks: &[],
        daemons: &[],
        watcher: None,
    };

    /// Creates the wiring that every reconciler has: its name and its conditions.
    #[doc(hidden)]
    #[must_use]
    pub const fn of<C: ConditionSet>(name: &'static str) -> Self {
        Self { name, conditions: C::CONDITIONS, summaries: C::SUMMARIES, ..Self::EMPTY }
    }

    /// The control flow. If the macro generated none, the steps run one after another.
    #[must_use]
    pub(crate) fn nodes(&self) -> Cow<'static, [Node]> {
        match self.shape {
            [] => (0..self.steps.len()).map(Node::Call).collect(),
            shape => Cow::Borrowed(shape),
        }
    }

    /// The field manager within an operator of this name.
    #[must_use]
    pub fn field_manager_under(&self, operator: &str) -> String {
        self.field_manager.map_or_else(|| format!("{operator}/{}", self.name), ToOwned::to_owned)
    }

    /// The finalizer within an operator of this name, for a kind of this group.
    #[must_use]
    pub(crate) fn finalizer_under(&self, operator: &str, group: &str) -> String {
        // Core kinds have no group, but a finalizer needs a domain.
        let domain = if group.is_empty() { "core.kubernetes.io" } else { group };
        match (self.finalizer, self.summary) {
            (Some(finalizer), _) => finalizer.to_owned(),
            (None, None) => format!("{domain}/{operator}"),
            (None, Some(_)) => format!("{domain}/{operator}-{}", self.name),
        }
    }

    /// The type of the summary condition.
    #[must_use]
    pub(crate) fn summary_type(&self) -> &'static str {
        self.summary.unwrap_or(READY)
    }

    /// The conditions that the framework manages for this reconciler, in the order in which they are sent.
    pub(crate) fn framework_types(&self) -> &'static [&'static str] {
        if self.summary.is_some() { &[] } else { &[STALLED, RECONCILING] }
    }

    /// Whether the reconciler sets the condition.
    pub(crate) fn is_own(&self, type_: &str) -> bool {
        let is_framework = self.framework_types().contains(&type_);
        type_ == self.summary_type() || is_framework || self.condition_types().any(|own| own == type_)
    }

    /// The types of the further summaries and of the declared conditions, in the order in which they are sent.
    pub(crate) fn condition_types(&self) -> impl Iterator<Item = &'static str> + use<> {
        let summaries = self.summaries.iter().map(|summary| summary.type_);
        summaries.chain(self.conditions.iter().map(|condition| condition.type_))
    }

    /// The steps in pipeline order, followed by the observer.
    pub(crate) fn all_steps(&self) -> impl Iterator<Item = StepWiring> + Clone + use<> {
        self.steps.iter().copied().chain(self.observe.map(|observer| observer.step))
    }

    /// The kinds that the steps and the observer read, watch, poll and own. Includes namespaces if their policies
    /// count.
    pub(crate) fn relations(&self) -> impl Iterator<Item = &'static Relation> + use<> {
        self.all_steps().flat_map(|step| step.relations).chain(self.namespaces())
    }

    /// The relation to namespaces, if their policies count.
    pub(crate) fn namespaces(&self) -> Option<&'static Relation> {
        self.policies.filter(|policies| policies.namespace).map(|_| &NAMESPACES)
    }

    /// The one-shot actions of all steps.
    pub fn actions(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.steps.iter().flat_map(|step| step.actions).copied()
    }

    /// The step of this name.
    pub(crate) fn step(&self, name: &str) -> Option<&'static StepWiring> {
        self.steps.iter().find(|step| step.name == name)
    }

    /// Whether a step keeps a set of dependents.
    pub(crate) fn keeps_dependents(&self) -> bool {
        self.steps.iter().any(StepWiring::keeps_dependents)
    }

    /// The name of the set of dependents that this step keeps, among all sets of an object.
    pub(crate) fn set_key(&self, step: &str) -> String {
        format!("{}/{step}", self.name)
    }

    /// The name of the step that keeps the set of this name.
    #[cfg(feature = "dependents")]
    pub(crate) fn step_of_set(key: &str) -> &str {
        key.rsplit_once('/').map_or(key, |(_, step)| step)
    }

    /// Whether a step of this reconciler keeps the set of this name, or did so in an earlier version.
    pub(crate) fn is_own_set(&self, key: &str) -> bool {
        self.step_of_own_set(key).is_some()
    }

    /// The step of this reconciler that keeps the set of this name, or did so in an earlier version, by its name in this version.
    pub(crate) fn step_of_own_set<'k>(&self, key: &'k str) -> Option<&'k str> {
        let (reconciler, step) = key.split_once('/')?;
        let is_own = reconciler == self.name || self.previously.reconcilers.contains(&reconciler);
        let renamed = || self.steps.iter().find(|known| known.formerly.contains(&step));
        is_own.then(|| if self.step(step).is_some() { step } else { renamed().map_or(step, |known| known.name) })
    }

    /// The names that the sets of the present steps have and had.
    #[cfg(feature = "dependents")]
    pub(crate) fn set_keys(&self) -> Vec<String> {
        let reconcilers = || [self.name].into_iter().chain(self.previously.reconcilers.iter().copied());
        let names = |step: &StepWiring| [step.name].into_iter().chain(step.formerly.iter().copied());
        let steps = self.steps.iter().filter(|step| step.keeps_dependents()).flat_map(names);
        steps.flat_map(|step| reconcilers().map(move |reconciler| format!("{reconciler}/{step}"))).collect()
    }

    /// Whether only some objects of the kind are reconciled.
    #[cfg(feature = "operator")]
    pub(crate) const fn selects(&self) -> bool {
        self.labels.is_some() || self.filtered
    }

    /// The selector that the API server applies. An object with a finalizer of ours must be cleaned up also if it was deleted after it left
    /// the selection, so these reconcilers watch all objects and apply the selector themselves.
    #[cfg(feature = "operator")]
    pub(crate) fn watched_labels(&self) -> Option<&'static str> {
        self.labels.filter(|_| !self.needs_finalizer())
    }

    /// Whether a step reads the settings of the author.
    #[cfg(feature = "operator")]
    pub(crate) const fn reads_settings(&self) -> bool {
        let mut i = 0;
        while i < self.steps.len() {
            if self.steps[i].live {
                return true;
            }
            i += 1;
        }
        false
    }

    /// Whether this is a watcher that writes nothing to its objects.
    pub(crate) const fn is_plain(&self) -> bool {
        matches!(self.watcher, Some(WatcherWiring { mark: Mark::None, .. }))
    }

    /// Whether this is a watcher that remembers by finalizers.
    pub(crate) const fn marks_by_finalizers(&self) -> bool {
        matches!(self.watcher, Some(WatcherWiring { mark: Mark::Finalizers, .. }))
    }

    /// Whether a step is external (changes something outside the cluster), owns objects in other namespaces or keeps dependents, or a hook runs on
    /// deletion.
    #[must_use]
    pub(crate) const fn needs_finalizer(&self) -> bool {
        if self.is_plain() {
            return false;
        }
        let mut i = 0;
        while i < self.steps.len() {
            if self.steps[i].external || self.steps[i].owns_anywhere() || self.steps[i].keeps_dependents() {
                return true;
            }
            i += 1;
        }
        i = 0;
        while i < self.hooks.len() {
            if matches!(self.hooks[i].when, When::BeforeDelete | When::AfterDelete) {
                return true;
            }
            i += 1;
        }
        false
    }
}

static NAMESPACES: Relation = Relation::new(How::WatchesByName, Some(KindInfo::of::<Namespace>));

/// Names that earlier versions of this operator used.
#[derive(Clone, Copy, Debug)]
pub struct Previously {
    /// Field managers of the status (`previously(field_managers("x"))`).
    pub managers: &'static [&'static str],
    /// Finalizers to remove (`previously(finalizers("example.com/x"))`).
    pub finalizers: &'static [&'static str],
    /// Names of the function (`previously(reconcilers("x"))`).
    pub reconcilers: &'static [&'static str],
}
