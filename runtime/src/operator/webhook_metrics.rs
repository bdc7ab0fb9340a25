//! The metrics of the webhook server, read during a scrape.

use std::fmt::Error;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use tokio::sync::watch;

use crate::webhook::Served;

/// Reads the state of the certificate.
#[derive(Debug)]
pub(super) struct WebhookMetrics(pub(super) watch::Receiver<Served>);

impl Collector for WebhookMetrics {
    fn encode(&self, mut encoder: DescriptorEncoder) -> Result<(), Error> {
        let served = self.0.borrow().clone();
        if let Some(expires) = served.expires {
            let name = "evenkeel_webhook_certificate_expiration_timestamp_seconds";
            let help = "When the certificate of the webhook server expires";
            write(&mut encoder, name, help, &ConstGauge::new(expires.as_second()))?;
        }
        let help =
            "Writes of the bundle into webhook configurations; more and more mean that another program removes it";
        write(&mut encoder, "evenkeel_webhook_bundle_writes", help, &ConstCounter::new(served.bundle_writes))
    }
}

fn write(encoder: &mut DescriptorEncoder, name: &str, help: &str, metric: &impl EncodeMetric) -> Result<(), Error> {
    metric.encode(encoder.encode_descriptor(name, help, None, metric.metric_type())?)
}
