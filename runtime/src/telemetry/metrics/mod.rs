//! Metrics in the Prometheus text format: the names that dashboards for controller-runtime expect, and evenkeel's own.
//!
//! The series of reconcilers are created when the operator starts, from the wiring; no label value comes from an object. Queues and
//! caches are read during a scrape; only times and counts are recorded while passes run.

mod calls;
mod custom;
mod debug_objects;
mod families;
mod guard;
mod host_check;
mod html;
#[cfg(feature = "cli")]
mod names;
mod object_query;
mod process;
mod readiness;
mod reconciler;
mod registry;
#[cfg(feature = "webhooks")]
mod reviews;
mod router;
#[cfg(feature = "routes")]
mod routes;
mod scrape;
mod server;
mod subject;
mod tls;

pub(crate) use self::custom::Custom;
pub(crate) use self::guard::Guard;
#[cfg(feature = "cli")]
pub(crate) use self::names::{Parts, names};
pub(crate) use self::reconciler::ReconcilerMetrics;
pub(crate) use self::registry::Metrics;
pub(crate) use self::server::serve;
pub(crate) use self::subject::{DependentView, ObjectView, Subject};
