//! The metrics of a configuration file.

use std::fmt::Error;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::gauge::ConstGauge;
use tokio::sync::watch;

use super::builder::Operator;
use crate::config::Status;

/// Adds them to those of the operator.
pub(super) fn register(operator: &mut Operator, status: watch::Receiver<Status>) {
    operator.custom.framework.register_collector(Box::new(ConfigMetrics { status }));
}

#[derive(Debug)]
struct ConfigMetrics {
    status: watch::Receiver<Status>,
}

impl Collector for ConfigMetrics {
    fn encode(&self, mut encoder: DescriptorEncoder) -> Result<(), Error> {
        let Status { rejected, pending } = *self.status.borrow();
        let mut gauge = |name: &str, help: &str, value: i64| {
            let gauge = ConstGauge::new(value);
            gauge.encode(encoder.encode_descriptor(name, help, None, gauge.metric_type())?)
        };
        let help =
            "Whether the present content of the configuration file is invalid, so that the former one is in force";
        gauge("evenkeel_config_rejected", help, rejected.into())?;
        let help = "Number of keys of the configuration file whose change needs a restart of the operator";
        gauge("evenkeel_config_pending", help, i64::try_from(pending).unwrap_or(i64::MAX))
    }
}
