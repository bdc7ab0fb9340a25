//! The checks and the metrics of an operator with shards.

use std::fmt::Error;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use tokio::sync::watch;

use super::builder::Operator;
use crate::lease::{GroupStatus, LeaseName, Status, shard_lease};

/// Adds them to those of the operator.
pub(super) fn register(
    operator: &mut Operator,
    group: &watch::Sender<GroupStatus>,
    shards: &[watch::Sender<Status>],
    lease: &LeaseName,
) {
    let all = || shards.iter().map(watch::Sender::subscribe).collect::<Vec<_>>();
    let (common, of, name) = (group.subscribe(), all(), operator.name.clone());
    operator.custom.readyz.add_with_text("shards", move || {
        let held = of.iter().filter(|shard| shard.borrow().leads).count();
        let failing = of.iter().find_map(|shard| shard.borrow().verdict(&name).err());
        let verdict = common.borrow().verdict(&name, held, of.len());
        std::future::ready(failing.map_or(verdict, Err))
    });
    let (common, of) = (group.subscribe(), all());
    operator.custom.healthz.add("shards", move || {
        let is_alive = common.has_changed().is_ok() && of.iter().all(|shard| shard.has_changed().is_ok());
        std::future::ready(if is_alive { Ok(()) } else { Err("the election of shards has ended") })
    });
    let of = all().into_iter().enumerate().map(|(at, shard)| (shard_lease(lease, at).name, shard)).collect();
    operator.custom.framework.register_collector(Box::new(ShardMetrics { common: group.subscribe(), of }));
}

#[derive(Debug)]
struct ShardMetrics {
    common: watch::Receiver<GroupStatus>,
    /// The name of the Lease of each shard, and its state.
    of: Vec<(String, watch::Receiver<Status>)>,
}

impl Collector for ShardMetrics {
    fn encode(&self, mut encoder: DescriptorEncoder) -> Result<(), Error> {
        // The name and the label of client-go, which dashboards expect.
        let family = Family::<[(&str, String); 1], Gauge>::default();
        for (name, shard) in &self.of {
            family.get_or_create(&[("name", name.clone())]).set(shard.borrow().leads.into());
        }
        let help = "Whether this replica has the shard";
        family.encode(encoder.encode_descriptor(
            "leader_election_master_status",
            help,
            None,
            family.metric_type(),
        )?)?;
        let replicas = Gauge::<i64>::default();
        replicas.set(i64::try_from(self.common.borrow().rank.1).unwrap_or(i64::MAX));
        let help = "The number of replicas that share the shards, as this one sees them";
        replicas.encode(encoder.encode_descriptor("evenkeel_sharing_replicas", help, None, replicas.metric_type())?)
    }
}
