//! The Lease of an operator with replicas: whether a leader renews it.

use jiff::Timestamp;
use kube::Client;

use super::finding::Finding;
use crate::client::why;
use crate::operator::builder::Operator;
use crate::operator::explain::age;
use crate::operator::leader::{Leader, leader};

const CHECK: &str = "lease";

/// Checks the Lease, if the operator has replicas.
pub(super) async fn check(client: &Client, operator: &Operator, now: Timestamp) -> Option<Finding> {
    let (lease, found) = leader(client, operator).await?;
    let is_own = |name: &String| **name == *operator.name || operator.previously.contains(name);
    Some(match found {
        Ok(Some(leader)) => judged(&leader, is_own, now),
        Ok(None) => Finding::info(CHECK, format!("the Lease {lease} does not exist yet: no replica has run")),
        Err(error) => Finding::unknown(CHECK, format!("the Lease {lease} cannot be read: {}", why(&error))),
    })
}

fn judged(leader: &Leader, is_own: impl Fn(&String) -> bool, now: Timestamp) -> Finding {
    let lease = &leader.lease;
    if let Some(other) = leader.operator.as_ref().filter(|name| !is_own(name)) {
        let text = format!("the Lease {lease} belongs to the operator {other}, so no replica of this one can lead");
        return Finding::fail(CHECK, text, "give this operator another `--lease-name`");
    }
    let ago = leader.renewed.map_or_else(|| "never".to_owned(), |renewed| format!("{} ago", age(now, renewed)));
    match &leader.holder {
        None => Finding::info(CHECK, format!("the Lease {lease} has no holder: the last leader has given it back")),
        Some(holder) if leader.is_expired(now) => {
            let text = format!("the Lease {lease} is held by {holder}, which renewed it {ago}: no replica leads");
            Finding::warn(CHECK, text, "start a replica; if one runs, its log says why it cannot take the lease")
        }
        Some(holder) => Finding::ok(CHECK, format!("{}, and renewed the Lease {lease} {ago}", leader.works(holder))),
    }
}
