//! What watches an operator in production: alerts for Prometheus and a dashboard for Grafana, from the wiring.
//!
//! The commands `alerts` and `dashboard` print them, and `manifests` has them as optional parts. [`Operator::alerts`](crate::Operator::alerts)
//! changes the alerts. The [guide](crate::guide::monitoring) has examples.

mod alert;
mod alert_set;
mod dashboard;
mod monitored;
mod panel;
mod query;
mod reconciler_alerts;
mod replica_alerts;
mod rows;
mod rules;
mod runbook;
mod webhook_alerts;

pub use self::alert::{Alert, AlertName, Comparison};
pub use self::alert_set::AlertSet;

pub(crate) use self::alert_set::{AlertEdits, alert_set};
pub(crate) use self::dashboard::dashboard;
pub(crate) use self::monitored::{Monitored, job};
pub(crate) use self::runbook::runbook;
