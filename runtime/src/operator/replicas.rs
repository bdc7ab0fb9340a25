//! The settings of an operator with several replicas.

use std::num::NonZeroU16;
use std::time::Duration;

use super::error::{Error, Reason, Result};
use crate::interval::Interval;

/// The shortest and the longest lease.
const LEASES: std::ops::RangeInclusive<Duration> = Duration::from_secs(5)..=Duration::from_secs(300);
/// The number of shards.
const SHARDS: std::ops::RangeInclusive<u16> = 2..=256;
/// Where Kubernetes puts the namespace of a pod.
const NAMESPACE: &str = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";

/// How replicas elect their leader, for [`Operator::replicas_with`](crate::Operator::replicas_with).
///
/// Times are whole seconds. A lease has 5 to 300 seconds, is at least 1.5 times as long as the deadline, and the deadline is at least three
/// times as long as the interval of renewals. The ratio of lease and deadline is by how much clocks may run at different speeds.
///
/// ```
/// use std::time::Duration;
///
/// use evenkeel::{Operator, Replicas};
///
/// let slow = Replicas {
///     lease: Duration::from_secs(60),
///     deadline: Duration::from_secs(40),
///     renew: Duration::from_secs(10),
///     ..Replicas::default()
/// };
/// let operator = Operator::new("source-controller").replicas_with(slow);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replicas {
    /// How long the other replicas wait for a renewal before they take the lease; 15 s by default.
    pub lease: Duration,
    /// How long the leader works without a renewal; 10 s by default.
    pub deadline: Duration,
    /// The interval between renewals; 3 s by default.
    pub renew: Duration,
    /// The namespace of the Lease. Default: `$POD_NAMESPACE`, then that of the service account, then that of the kubeconfig.
    pub namespace: Option<String>,
    /// The name of the Lease. Default: [`leader_id`](crate::operator::leader_id) of the operator's name and its label selector.
    pub name: Option<String>,
    /// The number of shards, 2 to 256, which the replicas share evenly. Default: none, so one replica reconciles all objects.
    ///
    /// The [guide](crate::guide::shards) says when shards help. All replicas need the same number. Each shard has a Lease of its own, whose
    /// name is that of the Lease with the number of the shard.
    pub shards: Option<NonZeroU16>,
    /// Where the objects of a shard are selected; in the replica by default.
    pub shard_mode: ShardMode,
}

/// Where the objects of a shard are selected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ShardMode {
    /// Each replica watches and caches all objects, and reconciles those of its shards.
    #[default]
    Here,
    /// The API server selects the objects of a shard, so that a replica watches and caches only those of its shards. It needs the feature gate
    /// `ShardedListAndWatch` of Kubernetes 1.36 (KEP-5866, alpha).
    Server,
}

impl Default for Replicas {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self {
            lease: seconds(15),
            deadline: seconds(10),
            renew: seconds(3),
            namespace: None,
            name: None,
            shards: None,
            shard_mode: ShardMode::Here,
        }
    }
}

impl Replicas {
    /// Checks the times and the names.
    pub(super) fn check(&self) -> Result {
        let Self { lease, deadline, renew, namespace, name, shards, shard_mode: _ } = self;
        let setup = |headline: String, help: &str| Err(Error::new(Reason::Setup, headline, help));
        let show = |time: &Duration| Interval::from(*time).to_string();
        for (field, time) in [("lease", lease), ("deadline", deadline), ("renew", renew)] {
            if time.subsec_nanos() != 0 || time.is_zero() {
                return setup(
                    format!("the `{field}` of the replicas is {time:?}"),
                    "write whole seconds, at least one",
                );
            }
        }
        if !LEASES.contains(lease) {
            return setup(format!("the `lease` of the replicas is {}", show(lease)), "use 5s to 300s");
        }
        if *deadline * 3 > *lease * 2 {
            let headline = format!("the `deadline` {} is too long for a `lease` of {}", show(deadline), show(lease));
            return setup(
                headline,
                "make the lease at least 1.5 times as long as the deadline, for example 15s and 10s",
            );
        }
        if *renew * 3 > *deadline {
            let headline = format!("`renew` {} is too long for a `deadline` of {}", show(renew), show(deadline));
            return setup(headline, "make the deadline at least three times as long, for example 10s and 3s");
        }
        if let Some(shards) = shards.filter(|shards| !SHARDS.contains(&shards.get())) {
            let help = "use 2 to 256, or none, so that one replica reconciles all objects";
            return setup(format!("the number of shards is {shards}"), help);
        }
        // The name of a shard's Lease ends with its number, such as `-255`.
        let longest = if shards.is_some() { 249 } else { 253 };
        let is_name = |text: &str| {
            let fine = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '.';
            let ends = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
            text.len() <= longest && text.chars().all(fine) && ends(text.chars().next()) && ends(text.chars().last())
        };
        for (what, text) in [("namespace", namespace), ("name", name)] {
            if let Some(text) = text.as_deref().filter(|text| !is_name(text)) {
                let help = format!("use a-z, 0-9, - and ., as for other objects, and at most {longest} of them");
                return setup(format!("`{text}` cannot be the {what} of the lease"), &help);
            }
        }
        Ok(())
    }

    /// The namespace of the Lease, if it is known without a cluster.
    pub(super) fn namespace(&self) -> Option<String> {
        let variable = || std::env::var("POD_NAMESPACE").ok();
        let of_account = || std::fs::read_to_string(NAMESPACE).ok();
        let found = self.namespace.clone().or_else(variable).or_else(of_account)?;
        Some(found.trim().to_owned()).filter(|namespace| !namespace.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(lease: u64, deadline: u64, renew: u64) -> Replicas {
        let of = Duration::from_secs;
        Replicas { lease: of(lease), deadline: of(deadline), renew: of(renew), ..Replicas::default() }
    }

    #[test]
    fn times_that_could_make_two_leaders_are_rejected() {
        for (lease, deadline, renew) in [(15, 10, 3), (5, 3, 1), (300, 200, 60)] {
            assert_eq!(seconds(lease, deadline, renew).check(), Ok(()), "{lease} {deadline} {renew}");
        }
        for (replicas, word) in [
            (seconds(4, 2, 1), "`lease` of the replicas is 4s"),
            (seconds(301, 100, 1), "use 5s to 300s"),
            (seconds(15, 11, 3), "`deadline` 11s is too long"),
            (seconds(15, 10, 4), "`renew` 4s is too long"),
            (seconds(15, 10, 0), "whole seconds"),
            (Replicas { renew: Duration::from_millis(2500), ..seconds(15, 10, 3) }, "`renew` of the replicas is 2.5s"),
            (Replicas { shards: NonZeroU16::new(1), ..seconds(15, 10, 3) }, "number of shards is 1"),
            (Replicas { shards: NonZeroU16::new(257), ..seconds(15, 10, 3) }, "use 2 to 256"),
            (Replicas { name: Some("Shop".into()), ..seconds(15, 10, 3) }, "`Shop` cannot be the name"),
            (Replicas { namespace: Some("a/b".into()), ..seconds(15, 10, 3) }, "`a/b` cannot be the namespace"),
        ] {
            let error = replicas.check().unwrap_err();
            assert!(error.to_string().contains(word) && error.reason() == Reason::Setup, "{error}");
        }
    }
}
