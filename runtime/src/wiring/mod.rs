//! The wiring of a reconciler: what the macros found out, as constants.

pub(crate) mod annotations;
pub(crate) mod flow;
pub(crate) mod handler;
pub mod index;
mod lifecycle;
pub mod policy;
pub(crate) mod relation;
mod step;
pub mod suspend;
pub mod triggers;
mod undeclared;
mod unused_reasons;

use std::borrow::Cow;
use std::num::NonZeroUsize;
use std::time::Duration;

use k8s_openapi::api::core::v1::Namespace;

pub use self::flow::{Arm, Node};
pub use self::lifecycle::{ClaimHandler, HookHandler, ObserveHandler};
use self::policy::Policies;
pub use self::relation::{Adopt, Cache, How, Relation};
pub use self::step::{StepWiring, When};
use self::suspend::Suspend;
use self::triggers::Triggers;
use crate::condition::{ConditionInfo, ConditionSet, READY, RECONCILING, STALLED, SummaryInfo};
pub use crate::kind::{Kind, KindInfo, KnownScope, OwnableBy, Readable};

/// All that is known at compile time of one reconciler.
#[derive(Clone, Copy, Debug)]
pub struct Wiring {
    /// The name of the function: `git_repository`.
    pub name: &'static str,
    /// The doc comment of the function.
    pub doc: &'static str,
    /// The declared conditions, highest rank first.
    pub conditions: &'static [ConditionInfo],
    /// The summaries beside Ready.
    pub summaries: &'static [SummaryInfo],
    /// The steps in pipeline order.
    pub steps: &'static [StepWiring],
    /// How they run: under conditions, concurrently, for each item; empty where they only follow one another.
    pub shape: &'static [Node],
    /// How long one pass may take before it is dropped, unless the reconciler says otherwise; five minutes.
    pub timeout: Duration,
    /// How many objects are worked on at a time (`concurrency = 4`); `None`: as the operator says for all.
    pub concurrency: Option<NonZeroUsize>,
    /// Bumped by the author when the code's effect changed (`revision = 2`).
    pub revision: u32,
    /// Finalizer name, if the author chose one (`finalizer = ".."`); otherwise `<group>/<operator>`.
    pub finalizer: Option<&'static str>,
    /// Field manager, if the author chose one (`field_manager = ".."`); otherwise `<operator>/<reconciler>`.
    pub field_manager: Option<&'static str>,
    /// What earlier versions left behind, to be taken over.
    pub previously: Previously,
    /// The annotation that asks for a pass (`request_annotation = ".."`).
    pub request_annotation: &'static str,
    /// The labels and annotations that trigger a reconcile (`triggers(spec, labels)`); all of them unless declared.
    pub triggers: Triggers,
    /// The condition that sums up the others instead of Ready (`summary = ".."`): of a second reconciler of the kind.
    pub summary: Option<&'static str>,
    /// What suspends an object (`suspend(..)`); `None`: nothing does.
    pub suspend: Option<Suspend>,
    /// Objects wait for others of their kind (`depends_on = spec.field`).
    pub depends_on: bool,
    /// Owners of objects say what may be done (`policies`); `None`: everything.
    pub policies: Option<Policies>,
    /// What runs instead of the steps where the policy forbids to change anything (`observe = look`).
    pub observe: Option<ObserveHandler>,
    /// What prepares an object before its finalizer is stored (`claim = name_it`).
    pub claim: Option<ClaimHandler>,
    /// What runs beside the steps (`hooks(announce)`), in order.
    pub hooks: &'static [HookHandler],
}

impl Wiring {
    /// Without steps and conditions: what an expansion leaves unsaid stands here.
    pub const EMPTY: Self = Self {
        name: "",
        doc: "",
        conditions: &[],
        summaries: &[],
        steps: &[],
        shape: &[],
        timeout: Duration::from_secs(300),
        concurrency: None,
        revision: 0,
        finalizer: None,
        field_manager: None,
        previously: Previously { managers: &[], finalizers: &[] },
        request_annotation: self::annotations::REQUESTED_AT,
        triggers: Triggers::ALL,
        summary: None,
        suspend: None,
        depends_on: false,
        policies: None,
        observe: None,
        claim: None,
        hooks: &[],
    };

    /// What the macro knows of every reconciler: its name and its conditions.
    #[doc(hidden)]
    #[must_use]
    pub const fn of<C: ConditionSet>(name: &'static str) -> Self {
        Self { name, conditions: C::CONDITIONS, summaries: C::SUMMARIES, ..Self::EMPTY }
    }

    /// The shape; where the expansion says nothing of it, the steps run one after another.
    #[must_use]
    pub(crate) fn nodes(&self) -> Cow<'static, [Node]> {
        match self.shape {
            [] => (0..self.steps.len()).map(Node::Call).collect(),
            shape => Cow::Borrowed(shape),
        }
    }

    /// The field manager within the operator of the name.
    #[must_use]
    pub fn field_manager_under(&self, operator: &str) -> String {
        self.field_manager.map_or_else(|| format!("{operator}/{}", self.name), ToOwned::to_owned)
    }

    /// The finalizer within the operator of the name, for a kind of the group.
    #[must_use]
    pub fn finalizer_under(&self, operator: &str, group: &str) -> String {
        // Core kinds have no group; a finalizer needs a domain all the same.
        let domain = if group.is_empty() { "core.kubernetes.io" } else { group };
        match (self.finalizer, self.summary) {
            (Some(finalizer), _) => finalizer.to_owned(),
            (None, None) => format!("{domain}/{operator}"),
            (None, Some(_)) => format!("{domain}/{operator}-{}", self.name),
        }
    }

    /// The type of the condition that sums up the others.
    #[must_use]
    pub fn summary_type(&self) -> &'static str {
        self.summary.unwrap_or(READY)
    }

    /// The conditions that the framework keeps for this reconciler, in the order as sent.
    pub(crate) fn kept_types(&self) -> &'static [&'static str] {
        if self.summary.is_some() { &[] } else { &[STALLED, RECONCILING] }
    }

    /// Whether the reconciler sets the condition.
    pub(crate) fn is_own(&self, type_: &str) -> bool {
        let kept = self.kept_types().contains(&type_);
        type_ == self.summary_type() || kept || self.condition_types().any(|own| own == type_)
    }

    /// The types of the further summaries and of the declared conditions, in the order as sent.
    pub(crate) fn condition_types(&self) -> impl Iterator<Item = &'static str> + use<> {
        let summaries = self.summaries.iter().map(|summary| summary.type_);
        summaries.chain(self.conditions.iter().map(|condition| condition.type_))
    }

    /// The steps in pipeline order, then the observer.
    pub fn all_steps(&self) -> impl Iterator<Item = StepWiring> + Clone + use<> {
        self.steps.iter().copied().chain(self.observe.map(|observer| observer.step))
    }

    /// The kinds that steps and observer read, watch, poll and own; and namespaces, where their policies count.
    pub(crate) fn relations(&self) -> impl Iterator<Item = &'static Relation> + use<> {
        let namespaces = self.policies.filter(|policies| policies.namespace).map(|_| &NAMESPACES);
        self.all_steps().flat_map(|step| step.relations).chain(namespaces)
    }

    /// The one-shot actions of all steps.
    pub fn actions(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.steps.iter().flat_map(|step| step.actions).copied()
    }

    /// Whether a step makes something outside the cluster, or a hook runs when an object goes.
    #[must_use]
    pub fn needs_finalizer(&self) -> bool {
        let says_goodbye = |hook: &HookHandler| matches!(hook.when, When::BeforeDelete | When::AfterDelete);
        self.steps.iter().any(|step| step.external) || self.hooks.iter().any(says_goodbye)
    }
}

static NAMESPACES: Relation = Relation::new(How::WatchesByName, Some(KindInfo::of::<Namespace>));

/// Names under which earlier versions of this operator wrote.
#[derive(Clone, Copy, Debug)]
pub struct Previously {
    /// Field managers of the status (`previously(managers("x"))`).
    pub managers: &'static [&'static str],
    /// Finalizers to take off (`previously(finalizers("example.com/x"))`).
    pub finalizers: &'static [&'static str],
}
