//! Trials: faults that an operator must survive, on real API servers that are killed, wiped, slow or wrong. After each fault every object
//! is correct within a minute, and nothing is left over. `EVENKEEL_TRIALS=all` runs the long form.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]
#![allow(unreachable_pub, reason = "kube's derive puts an item of its own beside the spec")]

mod answers;
mod bodies;
mod clocks;
mod crowd;
mod kills;
mod operator;
mod outages;
mod rbac;
mod truth;
mod yard;

use evenkeel_tests::real::Version;
use evenkeel_tests::trial::long;

use crate::yard::Yard;

/// Runs all trials in sequence on one server with one set of objects, so that each starts with the leftovers of the previous one.
async fn endure(version: Version) {
    let Some(yard) = Yard::open(version, None).await else { return };
    yard.create(if long() { 300 } else { 40 }).await;
    yard.start(&[]);
    yard.settle("created").await;
    kills::operator_is_killed(&yard).await;
    answers::every_fault_of_a_connection(&yard).await;
    outages::server_is_killed_and_keeps_its_store(&yard).await;
    outages::store_goes_back_to_an_earlier_state(&yard).await;
    outages::store_is_wiped(&yard).await;
    bodies::panics_and_hogs(&yard).await;
    clocks::clock_jumps(&yard).await;
    crowd::many_come_and_some_are_deleted(&yard).await;
    yard.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_operator_survives_faults_on_a_modern_server() {
    endure(Version::Modern).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_operator_survives_faults_on_1_20() {
    endure(Version::Full).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_operator_survives_the_loss_of_each_rbac_rule() {
    rbac::each_rule_is_taken_away_once().await;
}
