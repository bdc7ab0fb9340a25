//! The alerts about the leader.

use evenkeel::{Operator, Replicas};
use evenkeel_testkit::{Cluster, Effect, Fault};
use evenkeel_tests::listener::listening;
use evenkeel_tests::test_env::Running;

use crate::kinds::{cluster, operator};
use crate::promtool::fire;
use crate::recording::Recording;

/// A replica of the operator.
pub fn replica(cluster: &Cluster) -> Operator {
    let lease = Replicas { namespace: Some("default".to_owned()), ..Replicas::default() };
    operator(cluster).replicas_with(lease)
}

#[tokio::test(start_paused = true)]
async fn one_leader_and_a_standby_are_well() {
    let cluster = cluster().await;
    let alerts = replica(&cluster).alert_set();
    let ((first, first_at), (second, second_at)) = (listening(replica(&cluster)), listening(replica(&cluster)));
    let (first, second) = (Running::start(first), Running::start(second));
    let (first_seen, second_seen) = tokio::join!(Recording::of(first_at, 10), Recording::of(second_at, 10));
    fire(&alerts, &[&first_seen, &second_seen], 9, &[]);
    first.stop().await.unwrap();
    second.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_cannot_be_written_has_no_leader() {
    let cluster = cluster().await;
    cluster.faults().add(Fault::new(Effect::Forbidden).resource("leases").always());
    let alerts = replica(&cluster).alert_set();
    let (replica, address) = listening(replica(&cluster));
    let running = Running::start(replica);
    let recording = Recording::of(address, 10).await;
    running.crash().await;
    fire(&alerts, &[&recording], 1, &[]);
    fire(&alerts, &[&recording], 9, &["NoLeader"]);
}

/// Two servers, so two leases of one name: what replicas that do not share a lease look like.
#[tokio::test(start_paused = true)]
async fn replicas_that_do_not_share_a_lease_are_two_leaders() {
    let (first, second) = (cluster().await, cluster().await);
    let alerts = replica(&first).alert_set();
    let ((first, first_at), (second, second_at)) = (listening(replica(&first)), listening(replica(&second)));
    let (first, second) = (Running::start(first), Running::start(second));
    let (first_seen, second_seen) = tokio::join!(Recording::of(first_at, 10), Recording::of(second_at, 10));
    fire(&alerts, &[&first_seen, &second_seen], 9, &["TwoLeaders"]);
    first.stop().await.unwrap();
    second.stop().await.unwrap();
}
