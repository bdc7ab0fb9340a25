//! Several replicas that work at the same time, each for a part of the objects.

mod fleet;
mod modes;
mod moves;
mod numbers;
mod selected;
mod selectors;
mod server;
mod step_down;
mod storm;

use std::num::{NonZeroU16, NonZeroUsize};
use std::sync::Arc;
use std::time::Duration;

use evenkeel::{Operator, Replicas, ShardMode};
use evenkeel_testkit::{Cluster, eventually};
use evenkeel_tests::recording_client::Wire;
use evenkeel_tests::test_env::{Running, SOON, World};
use evenkeel_tests::widget::{Lab, Widget, a_widget, definition, is_ready, widget};
use k8s_openapi::api::coordination::v1::Lease;
use kube::ResourceExt;
use kube::api::{DeleteParams, ListParams};
use serde_json::json;
use tokio::time::{Instant, sleep};

const SECOND: Duration = Duration::from_secs(1);
