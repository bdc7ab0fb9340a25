//! The checks and the metric of leader election.

use std::fmt::Error;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use tokio::sync::watch;

use super::builder::Operator;
use crate::lease::Status;

/// Adds them to those of the operator.
pub(super) fn register(operator: &mut Operator, status: &watch::Sender<Status>, lease: &str) {
    let (current, name) = (status.subscribe(), operator.name.clone());
    operator
        .custom
        .readyz
        .add_with_text("leader-election", move || std::future::ready(current.borrow().verdict(&name)));
    let current = status.subscribe();
    operator.custom.healthz.add("leader-election", move || std::future::ready(alive(&current)));
    let metrics = ElectionMetrics { current: status.subscribe(), lease: lease.to_owned() };
    operator.custom.framework.register_collector(Box::new(metrics));
}

/// Fails once the task of the election has ended.
fn alive(status: &watch::Receiver<Status>) -> Result<(), &'static str> {
    status.has_changed().map(drop).map_err(|_| "the election has ended")
}

#[derive(Debug)]
struct ElectionMetrics {
    current: watch::Receiver<Status>,
    lease: String,
}

impl Collector for ElectionMetrics {
    fn encode(&self, mut encoder: DescriptorEncoder) -> Result<(), Error> {
        // The name and the label of client-go, which dashboards expect.
        let family = Family::<[(&str, String); 1], Gauge>::default();
        family.get_or_create(&[("name", self.lease.clone())]).set(self.current.borrow().leads.into());
        let help = "Whether this replica is the leader";
        family.encode(encoder.encode_descriptor("leader_election_master_status", help, None, family.metric_type())?)
    }
}
