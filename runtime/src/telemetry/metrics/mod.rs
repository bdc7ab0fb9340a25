//! Metrics in the text form of Prometheus, under the names that dashboards for controller-runtime expect, beside our own.
//!
//! Series are made when the operator starts, of what the wiring names, and never of what objects hold. What a queue or a cache can tell
//! is asked when somebody scrapes; only times and counts are kept along the way.

mod calls;
mod connections;
mod debug_objects;
mod families;
mod host_check;
mod html;
mod readiness;
mod reconciler;
mod registry;
mod scrape;
mod server;
mod subject;

pub(crate) use self::reconciler::ReconcilerMetrics;
pub(crate) use self::registry::Metrics;
pub(crate) use self::server::{Listener, serve};
pub(crate) use self::subject::{ObjectView, Subject};
