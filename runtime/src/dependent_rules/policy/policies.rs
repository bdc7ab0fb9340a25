//! The policies of a whole component, as a part of its spec.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de};

use super::words::{AdoptionPolicy, DeletePolicy, MissingNamespacesPolicy, ReconcilePolicy, UpdatePolicy};
use crate::interval::Interval;

/// Policies for all dependents of a component.
///
/// Annotations of a dependent take precedence. An unset policy falls back to the default of the operator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Policies {
    /// What happens if an object exists already and is not a dependent of the component.
    #[serde(default, deserialize_with = "set", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "AdoptionPolicy")]
    pub adoption: Option<AdoptionPolicy>,
    /// Which changes cause an update.
    #[serde(default, deserialize_with = "set", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ReconcilePolicy")]
    pub reconcile: Option<ReconcilePolicy>,
    /// How objects are updated.
    #[serde(default, deserialize_with = "set", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "UpdatePolicy")]
    pub update: Option<UpdatePolicy>,
    /// Whether objects are deleted when they are no longer wanted.
    #[serde(default, deserialize_with = "set", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "DeletePolicy")]
    pub delete: Option<DeletePolicy>,
    /// What happens if the namespace of an object does not exist.
    #[serde(default, deserialize_with = "set", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "MissingNamespacesPolicy")]
    pub missing_namespaces: Option<MissingNamespacesPolicy>,
    /// The time after which unchanged objects are applied again. Unset: never, as changes of others are watched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reapply_interval: Option<Interval>,
}

impl Policies {
    /// The policies, and those of `other` where they are unset.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            adoption: self.adoption.or(other.adoption),
            reconcile: self.reconcile.or(other.reconcile),
            update: self.update.or(other.update),
            delete: self.delete.or(other.delete),
            missing_namespaces: self.missing_namespaces.or(other.missing_namespaces),
            reapply_interval: self.reapply_interval.or(other.reapply_interval),
        }
    }
}

/// A field of a spec with the policies of a component.
pub trait PoliciesField {
    /// The policies; all unset if there are none.
    fn policies(&self) -> Policies;
}

impl PoliciesField for Policies {
    fn policies(&self) -> Policies {
        *self
    }
}

impl PoliciesField for Option<Policies> {
    fn policies(&self) -> Policies {
        self.unwrap_or_default()
    }
}

/// An empty text is an unset policy, as Go writes it.
fn set<'de, D: Deserializer<'de>, T: FromStr<Err: fmt::Display>>(deserializer: D) -> Result<Option<T>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    text.filter(|text| !text.is_empty()).map(|text| text.parse().map_err(de::Error::custom)).transpose()
}

#[cfg(test)]
mod tests {
    use serde_json::{from_value, json, to_value};

    use super::*;

    #[test]
    fn an_empty_policy_is_unset() {
        let policies: Policies = from_value(json!({ "update": "", "delete": "Orphan", "adoption": null })).unwrap();
        assert_eq!(policies, Policies { delete: Some(DeletePolicy::Orphan), ..Policies::default() });
        assert_eq!(to_value(policies).unwrap(), json!({ "delete": "orphan" }));
    }

    #[test]
    fn the_schema_has_no_null_among_the_words() {
        // Kubernetes 1.20 does not accept it.
        let schema = serde_json::to_string(&schemars::schema_for!(Policies)).unwrap();
        assert!(schema.contains("if-unowned") && !schema.contains("\",null]"), "{schema}");
    }

    #[test]
    fn an_unknown_policy_is_an_error() {
        for wrong in [json!({ "delete": "orphn" }), json!({ "deletion": "orphan" }), json!({ "reapplyInterval": "x" })]
        {
            assert!(from_value::<Policies>(wrong.clone()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_first_set_policy_holds() {
        let own = Policies { update: Some(UpdatePolicy::Recreate), ..Policies::default() };
        let others = Policies { update: Some(UpdatePolicy::Replace), delete: Some(DeletePolicy::Orphan), ..own };
        assert_eq!(own.or(others), Policies { delete: Some(DeletePolicy::Orphan), ..own });
    }
}
