//! What alerts and dashboards take from an operator.

use std::time::Duration;

use crate::condition::{Polarity, STALLED};
use crate::introspection::ReconcilerInfo;
use crate::wiring::{DeclaredTime, Wiring};

/// What alerts and dashboards take from an operator.
#[derive(Clone, Debug)]
pub(crate) struct Monitored {
    pub(crate) name: String,
    pub(crate) reconcilers: Vec<ReconcilerInfo>,
    /// Whether replicas elect a leader.
    pub(crate) elects: bool,
    /// Whether functions review writes.
    pub(crate) reviews: bool,
    /// Whether objects are converted between versions.
    pub(crate) converts: bool,
    /// Whether there is a webhook server, with its certificate.
    pub(crate) serves_webhooks: bool,
}

/// The job under which Prometheus has the metrics: the name of the Service that `manifests` prints.
pub(crate) fn job(operator: &str) -> String {
    format!("{operator}-metrics")
}

impl Monitored {
    /// Whether there is anything to monitor.
    pub(crate) fn is_empty(&self) -> bool {
        self.reconcilers.is_empty() && !self.serves_webhooks
    }

    /// The names of the reconcilers.
    pub(super) fn controllers(&self) -> Vec<&'static str> {
        self.reconcilers.iter().map(|known| known.wiring.name).collect()
    }

    /// The longest timeout of a pass, and at least the default one.
    pub(super) fn longest_timeout(&self) -> Duration {
        let timeouts = self.reconcilers.iter().filter_map(|known| match known.wiring.times.timeout? {
            DeclaredTime::Fixed(timeout) => Some(timeout),
            DeclaredTime::Computed(_) => None,
        });
        timeouts.chain([Wiring::EMPTY.timeout]).max().unwrap_or_default()
    }

    /// The kinds whose objects have the condition Stalled.
    pub(super) fn kinds_that_stall(&self) -> Vec<&str> {
        let stalls = |known: &&ReconcilerInfo| known.wiring.framework_types().contains(&STALLED);
        self.reconcilers.iter().filter(stalls).map(|known| &*known.kind.resource.kind).collect()
    }
}

/// The conditions of a reconciler for which this status is bad.
pub(super) fn bad_at(known: &ReconcilerInfo, status: &str) -> Vec<&'static str> {
    let wiring = &known.wiring;
    let sums = [wiring.summary_type()].into_iter().chain(wiring.summaries.iter().map(|summary| summary.type_));
    let sums = sums.filter(|_| status != "True");
    let is_bad = |polarity: Polarity| match polarity {
        Polarity::Positive => status != "True",
        Polarity::Bipolar => status == "False",
        Polarity::Negative => status == "True",
    };
    let declared = wiring.conditions.iter().filter(|info| is_bad(info.polarity)).map(|info| info.type_);
    sums.chain(declared).collect()
}
