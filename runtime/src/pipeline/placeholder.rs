//! Placeholders for a type that could not be parsed. They fit everywhere, so that one mistake causes one error.

use std::borrow::Cow;
use std::collections::BTreeMap;

use kube::core::object::HasStatus;
use kube::core::{NamespaceResourceScope, ObjectMeta};
use serde::{Deserialize, Serialize};

use crate::condition::{Condition, ConditionInfo, ConditionSet};
use crate::outcome::{Class, ReconcileError};
use crate::pipeline::check::UNKNOWN;
use crate::status::{ObservedInputs, StatusContract};
use crate::wiring::StepWiring;

/// A kind, status, condition set and error in one. A program that contains it does not compile.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ErrorPlaceholder {
    metadata: ObjectMeta,
    status: Option<StatusPlaceholder>,
}

/// The status of [`ErrorPlaceholder`].
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct StatusPlaceholder {}

#[diagnostic::do_not_recommend]
impl StatusContract for StatusPlaceholder {
    type Draft = Self;

    fn observed_generation(&self) -> Option<i64> {
        None
    }

    fn conditions(&self) -> &[Condition] {
        &[]
    }

    fn observed_inputs(&self) -> Option<&ObservedInputs> {
        None
    }

    fn last_handled_reconcile_at(&self) -> Option<&str> {
        None
    }

    fn last_handled_actions(&self) -> Option<&BTreeMap<String, String>> {
        None
    }
}

#[diagnostic::do_not_recommend]
impl HasStatus for ErrorPlaceholder {
    type Status = StatusPlaceholder;

    fn status(&self) -> Option<&StatusPlaceholder> {
        self.status.as_ref()
    }

    fn status_mut(&mut self) -> &mut Option<StatusPlaceholder> {
        &mut self.status
    }
}

#[diagnostic::do_not_recommend]
impl kube::Resource for ErrorPlaceholder {
    type DynamicType = ();
    type Scope = NamespaceResourceScope;

    fn kind(&(): &()) -> Cow<'_, str> {
        "Poison".into()
    }

    fn group(&(): &()) -> Cow<'_, str> {
        "".into()
    }

    fn version(&(): &()) -> Cow<'_, str> {
        "v1".into()
    }

    fn plural(&(): &()) -> Cow<'_, str> {
        "poisons".into()
    }

    fn meta(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}

#[diagnostic::do_not_recommend]
impl ConditionSet for ErrorPlaceholder {
    const NAME: &'static str = "";
    const CONDITIONS: &'static [ConditionInfo] = &[];
    const MARKERS: &'static str = "";
}

impl std::fmt::Display for ErrorPlaceholder {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        Ok(())
    }
}

#[diagnostic::do_not_recommend]
impl ReconcileError for ErrorPlaceholder {
    fn class(&self) -> Class {
        Class::Transient
    }

    fn reason(&self) -> &'static str {
        "Poison"
    }
}

/// The wiring of a step with a compile error. It disables the checks of its pipeline.
#[must_use]
pub const fn placeholder(name: &'static str) -> StepWiring {
    StepWiring { name, sets: &[UNKNOWN], ..StepWiring::EMPTY }
}
