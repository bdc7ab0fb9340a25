//! Conversions between [`Condition`] and the condition of k8s-openapi.

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition as K8sCondition, Time};

use super::{Condition, ConditionStatus};

/// Converts a condition without a transition time to one with the Unix epoch, since the Kubernetes type requires a
/// time.
impl From<Condition> for K8sCondition {
    fn from(condition: Condition) -> Self {
        Self {
            type_: condition.type_,
            status: condition.status.as_str().to_owned(),
            observed_generation: condition.observed_generation,
            last_transition_time: Time(condition.last_transition_time.unwrap_or(Timestamp::UNIX_EPOCH)),
            reason: condition.reason,
            message: condition.message,
        }
    }
}

/// Converts a status other than the three of Kubernetes to [`ConditionStatus::Other`].
impl From<K8sCondition> for Condition {
    fn from(condition: K8sCondition) -> Self {
        Self {
            type_: condition.type_,
            status: match &*condition.status {
                "True" => ConditionStatus::True,
                "False" => ConditionStatus::False,
                "Unknown" => ConditionStatus::Unknown,
                _ => ConditionStatus::Other,
            },
            observed_generation: condition.observed_generation,
            last_transition_time: Some(condition.last_transition_time.0),
            reason: condition.reason,
            message: condition.message,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_survives_a_round_trip() {
        let time: Timestamp = "2024-05-01T10:00:00Z".parse().unwrap();
        let condition = Condition {
            observed_generation: Some(3),
            last_transition_time: Some(time),
            ..Condition::new("Stored", ConditionStatus::False, "DiskFull", "no space left")
        };
        assert_eq!(Condition::from(K8sCondition::from(condition.clone())), condition);
    }

    #[test]
    fn an_unknown_status_and_a_missing_time_convert() {
        let condition = K8sCondition {
            status: "Maybe".to_owned(),
            ..K8sCondition::from(Condition::new("A", ConditionStatus::True, "B", ""))
        };
        assert_eq!(condition.last_transition_time.0, Timestamp::UNIX_EPOCH);
        assert_eq!(Condition::from(condition).status, ConditionStatus::Other);
    }
}
