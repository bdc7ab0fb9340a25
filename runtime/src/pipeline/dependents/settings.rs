//! The settings of a set: the arguments of `dependents(..)`, with the values of the object.

use std::time::Duration;

use crate::dependent_rules::policy::Policies;
use crate::wiring::StepWiring;
use crate::wiring::handler::Erased;

/// The settings of a set for one component.
#[derive(Clone, Debug)]
#[doc(hidden)]
pub struct SetSettings {
    /// The policies of the component, filled up with those of the attribute.
    pub policies: Policies,
    /// The time after which a set that is not ready is reported with the reason `DependentsTimedOut`; `None`: never.
    pub ready_within: Option<Duration>,
    /// The most objects of the set.
    pub limit: usize,
    /// Whether a set that had objects may become empty.
    pub may_be_empty: bool,
    /// Whether the status lists the objects of the set (`inventory = all`).
    pub inventory: bool,
    /// The patterns of `manages = ..`, as texts.
    pub manages: Vec<String>,
}

impl SetSettings {
    /// The settings without any argument.
    pub const DEFAULT: Self = Self {
        policies: Policies {
            adoption: None,
            reconcile: None,
            update: None,
            delete: None,
            missing_namespaces: None,
            reapply_interval: None,
        },
        ready_within: Some(Duration::from_secs(600)),
        limit: 10_000,
        may_be_empty: false,
        inventory: false,
        manages: Vec::new(),
    };
}

/// The settings of the set of a step for this object.
pub(super) fn settings_of(step: &StepWiring, object: &Erased) -> SetSettings {
    let read = step.settings.and_then(|read| read(object).downcast::<Option<SetSettings>>().ok());
    read.and_then(|settings| *settings).unwrap_or(SetSettings::DEFAULT)
}
