//! Alerts and dashboards: each expression fits the metrics of a running operator, and each alert fires when it should.
#![allow(missing_docs, unreachable_pub, reason = "the kinds are those of tests")]
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod drawing;
mod expressions;
mod kinds;
mod picture;
mod prometheus;
mod promtool;
mod recording;
mod replicas;
mod scenarios;
mod webhooks;
