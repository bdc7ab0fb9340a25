//! The alerts about the leader among replicas.

use super::alert::{Alert, AlertName};
use super::monitored::Monitored;
use super::query::{PLACE, by, of_job, select};

/// The alerts of an operator with replicas.
pub(super) fn alerts(monitored: &Monitored, job: &str) -> Vec<Alert> {
    if !monitored.elects {
        return Vec::new();
    }
    let status = select("leader_election_master_status", &[&of_job(job)]);
    let leaders = by("sum", &format!("{PLACE}, name"), &status);
    let none =
        ("No replica is the leader", "No replica holds the lease {{ $labels.name }}, so no object is reconciled.");
    let several =
        ("Several replicas are leaders", "{{ $value }} replicas report that they hold the lease {{ $labels.name }}.");
    vec![
        Alert::known(AlertName::NoLeader, leaders.clone(), none, include_str!("runbooks/no_leader.md"))
            .below(1.0)
            .for_minutes(2)
            .critical(),
        Alert::known(AlertName::TwoLeaders, leaders, several, include_str!("runbooks/two_leaders.md"))
            .above(1.0)
            .for_minutes(1)
            .critical(),
    ]
}
