//! The leader of an operator with replicas, as its Lease names it.

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::coordination::v1::Lease;
use kube::{Api, Client};
use serde::Serialize;

use super::builder::Operator;
use super::lease_role::lease_at;
use crate::lease::replicas;
use crate::wiring::annotations::OPERATOR;

/// How long a lease lasts that does not say it.
const LEASE: i32 = 15;

/// What a Lease says about the leader.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Leader {
    /// The namespace and the name of the Lease.
    pub(super) lease: String,
    /// The replica that holds it; `None`: the last one has given it back.
    pub(super) holder: Option<String>,
    /// The replicas that share the shards; empty without shards. The holder is then their number of shards.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) replicas: Vec<String>,
    /// When the holder renewed it last, by the clock of the holder.
    pub(super) renewed: Option<Timestamp>,
    /// The operator to which it belongs.
    #[serde(skip)]
    pub(super) operator: Option<String>,
    #[serde(skip)]
    seconds: i32,
}

impl Leader {
    pub(super) fn of(lease: String, object: Lease) -> Self {
        let annotations = object.metadata.annotations.unwrap_or_default();
        let spec = object.spec.unwrap_or_default();
        Self {
            lease,
            replicas: replicas(&annotations),
            holder: spec.holder_identity.filter(|holder| !holder.is_empty()),
            renewed: spec.renew_time.map(|time| time.0),
            operator: annotations.get(OPERATOR).cloned(),
            seconds: spec.lease_duration_seconds.filter(|seconds| *seconds > 0).unwrap_or(LEASE),
        }
    }

    /// Who works: `web-1_7f leads`, or `3 replicas share 16 shards`.
    pub(super) fn works(&self, holder: &str) -> String {
        match self.replicas.len() {
            0 => format!("{holder} leads"),
            1 => format!("1 replica has all {holder}"),
            replicas => format!("{replicas} replicas share {holder}"),
        }
    }

    /// Whether the holder has stopped renewing the lease. The clocks of both machines count, so this is for people only.
    pub(super) fn is_expired(&self, now: Timestamp) -> bool {
        self.renewed.is_none_or(|renewed| now.duration_since(renewed) > SignedDuration::from_secs(self.seconds.into()))
    }
}

/// Reads the Lease of an operator with replicas. Returns its name, and `None` in it if it does not exist. `None`: the operator has one replica.
pub(super) async fn leader(
    client: &Client,
    operator: &Operator,
) -> Option<(String, Result<Option<Leader>, kube::Error>)> {
    let place = lease_at(operator, operator.replicas.as_ref()?, client);
    let found = Api::<Lease>::namespaced(client.clone(), &place.namespace).get_opt(&place.name).await;
    let lease = place.to_string();
    let leader = found.map(|found| found.map(|object| Leader::of(lease.clone(), object)));
    Some((lease, leader))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_holder_that_no_longer_renews_has_expired() {
        let at = |seconds| Timestamp::from_second(seconds).unwrap();
        let of = |spec: serde_json::Value| {
            let object = serde_json::from_value(serde_json::json!({ "metadata": {}, "spec": spec })).unwrap();
            Leader::of("ops/shop".to_owned(), object)
        };
        let renewed = "1970-01-01T00:01:40.000000Z";
        let held = of(serde_json::json!({ "holderIdentity": "a_1", "renewTime": renewed, "leaseDurationSeconds": 20 }));
        assert!(!held.is_expired(at(120)) && held.is_expired(at(121)) && !held.is_expired(at(0)));
        let default = of(serde_json::json!({ "holderIdentity": "a_1", "renewTime": renewed }));
        assert!(!default.is_expired(at(115)) && default.is_expired(at(116)));
        let free = of(serde_json::json!({ "holderIdentity": "" }));
        assert!(free.holder.is_none() && free.is_expired(at(0)));
    }
}
