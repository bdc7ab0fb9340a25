//! The settings of one dependent: each one from the first place that has it.

use std::time::Duration;

use super::policies::Policies;
use super::words::{AdoptionPolicy, DeletePolicy, ReconcilePolicy, UpdatePolicy};
use crate::dependency::StatusHints;

/// What an object says about itself: its annotations, or what the code set for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    /// See [`AdoptionPolicy`].
    pub adoption: Option<AdoptionPolicy>,
    /// See [`ReconcilePolicy`].
    pub reconcile: Option<ReconcilePolicy>,
    /// See [`UpdatePolicy`].
    pub update: Option<UpdatePolicy>,
    /// See [`DeletePolicy`].
    pub delete: Option<DeletePolicy>,
    /// The wave in which it is applied.
    pub apply_order: Option<i16>,
    /// The wave in which it is deleted.
    pub delete_order: Option<i16>,
    /// The wave after which it is deleted although it is wanted.
    pub purge_order: Option<i16>,
    /// The time after which it is applied again.
    pub reapply: Option<Duration>,
    /// What the controller of its kind always sets.
    pub hints: Option<StatusHints>,
}

impl Overrides {
    /// The overrides, and those of `other` where they are unset.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            adoption: self.adoption.or(other.adoption),
            reconcile: self.reconcile.or(other.reconcile),
            update: self.update.or(other.update),
            delete: self.delete.or(other.delete),
            apply_order: self.apply_order.or(other.apply_order),
            delete_order: self.delete_order.or(other.delete_order),
            purge_order: self.purge_order.or(other.purge_order),
            reapply: self.reapply.or(other.reapply),
            hints: self.hints.or(other.hints),
        }
    }
}

/// The settings that hold for one dependent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// See [`AdoptionPolicy`].
    pub adoption: AdoptionPolicy,
    /// See [`ReconcilePolicy`].
    pub reconcile: ReconcilePolicy,
    /// See [`UpdatePolicy`].
    pub update: UpdatePolicy,
    /// See [`DeletePolicy`].
    pub delete: DeletePolicy,
    /// The wave in which it is applied; 0 if unset.
    pub apply_order: i16,
    /// The wave in which it is deleted; 0 if unset.
    pub delete_order: i16,
    /// The wave after which it is deleted; `None`: it is not.
    pub purge_order: Option<i16>,
    /// The time after which it is applied again; `None`: only after a change.
    pub reapply: Option<Duration>,
    /// What the controller of its kind always sets.
    pub hints: StatusHints,
}

impl Settings {
    /// The settings of an object: its own ones, then those of the component and of the operator, then the defaults.
    #[must_use]
    pub fn resolve(object: Overrides, policies: Policies) -> Self {
        Self {
            adoption: object.adoption.or(policies.adoption).unwrap_or_default(),
            reconcile: object.reconcile.or(policies.reconcile).unwrap_or_default(),
            update: object.update.or(policies.update).unwrap_or_default(),
            delete: object.delete.or(policies.delete).unwrap_or_default(),
            apply_order: object.apply_order.unwrap_or_default(),
            delete_order: object.delete_order.unwrap_or_default(),
            purge_order: object.purge_order,
            reapply: object.reapply.or(policies.reapply_interval.map(Duration::from)),
            hints: object.hints.unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_takes_precedence_over_its_component_and_that_over_the_operator() {
        let operator =
            Policies { update: Some(UpdatePolicy::Replace), delete: Some(DeletePolicy::Orphan), ..Policies::default() };
        let component = Policies { update: Some(UpdatePolicy::Override), ..Policies::default() };
        let annotation = Overrides { apply_order: Some(2), ..Overrides::default() };
        let code = Overrides { apply_order: Some(3), adoption: Some(AdoptionPolicy::Never), ..Overrides::default() };
        let settings = Settings::resolve(annotation.or(code), component.or(operator));
        let expected = Settings {
            adoption: AdoptionPolicy::Never,
            update: UpdatePolicy::Override,
            delete: DeletePolicy::Orphan,
            apply_order: 2,
            ..Settings::default()
        };
        assert_eq!(settings, expected);
    }
}
