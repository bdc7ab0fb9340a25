//! The command `status`: how many objects of each kind have which condition.

use std::collections::BTreeMap;
use std::io::Write;

use jiff::Timestamp;
use kube::api::{DynamicObject, ListParams};
use kube::{Api, Client};
use serde::Serialize;

use super::age::age;
use super::condition::conditions;
use super::{StatusArgs, print, unread};
use crate::clock;
use crate::condition::READY;
use crate::introspection::{ReconcilerInfo, columns};
use crate::operator::builder::Operator;
use crate::operator::context::client_alone;
use crate::operator::error::Result;
#[cfg(feature = "lease")]
use crate::operator::leader::{Leader, leader};
use crate::operator::object_pages::{by_kind, each, place_of, places};

/// What the command prints.
#[derive(Debug, Serialize)]
struct Status {
    /// `None`: the operator has one replica, or none has run.
    #[serde(skip_serializing_if = "Option::is_none")]
    leader: Option<Leader>,
    kinds: Vec<KindStatus>,
}

/// The objects of a kind.
#[derive(Debug, Serialize)]
struct KindStatus {
    kind: String,
    objects: usize,
    ready: usize,
    /// What is not good, the oldest first.
    conditions: Vec<Counted>,
}

/// Objects with the same condition.
#[derive(Debug, Serialize)]
struct Counted {
    #[serde(rename = "type")]
    type_: String,
    status: String,
    reason: String,
    objects: usize,
    /// The object that has it for the longest time.
    oldest: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<Timestamp>,
}

/// Prints for each kind how many objects are ready, and which conditions of the others are not good.
///
/// # Errors
/// The objects cannot be listed, or the output cannot be written.
pub(in crate::operator) async fn status(mut operator: Operator, args: &StatusArgs, out: impl Write + Send) -> Result {
    let client = client_alone(&mut operator).await?;
    let all = operator.introspect();
    let mut kinds: Vec<KindStatus> = Vec::new();
    for known in by_kind(&all) {
        let places = places(&client, &known[0].kind, &operator.namespaces);
        kinds.push(counted(&places, &known).await?);
    }
    let status = Status { leader: leader_of(&client, &operator).await?, kinds };
    print(out, args.output.output, &status, &text(&status, clock::now()))
}

async fn counted(places: &[Api<DynamicObject>], known: &[ReconcilerInfo]) -> Result<KindStatus> {
    let resource = &known[0].kind.resource;
    let mut status = KindStatus { kind: resource.kind.clone(), objects: 0, ready: 0, conditions: Vec::new() };
    let mut found: BTreeMap<(String, String, String), Counted> = BTreeMap::new();
    for place in places {
        let list = async |params: &ListParams| place.list(params).await;
        let listed = each(&resource.plural, list, |object| add(&object, known, &mut status, &mut found)).await;
        listed.map_err(|error| unread(&resource.plural, &error))?;
    }
    status.conditions = found.into_values().collect();
    status.conditions.sort_by_key(|counted| counted.since.unwrap_or(Timestamp::MAX));
    Ok(status)
}

fn add(
    object: &DynamicObject,
    known: &[ReconcilerInfo],
    status: &mut KindStatus,
    found: &mut BTreeMap<(String, String, String), Counted>,
) {
    status.objects += 1;
    let all = conditions(&object.data["status"], known);
    status.ready += usize::from(all.iter().any(|condition| condition.type_ == READY && condition.is_good));
    let name = place_of(&object.metadata);
    for condition in all.into_iter().filter(|condition| !condition.is_good) {
        let key = (condition.type_.clone(), condition.status.clone(), condition.reason.clone());
        let counted = found.entry(key).or_insert_with(|| Counted {
            type_: condition.type_,
            status: condition.status,
            reason: condition.reason,
            objects: 0,
            oldest: name.clone(),
            since: condition.since,
        });
        counted.objects += 1;
        if condition.since < counted.since {
            (counted.oldest, counted.since) = (name.clone(), condition.since);
        }
    }
}

#[cfg(feature = "lease")]
async fn leader_of(client: &Client, operator: &Operator) -> Result<Option<Leader>> {
    match leader(client, operator).await {
        None => Ok(None),
        Some((lease, found)) => found.map_err(|error| unread(&format!("the Lease {lease}"), &error)),
    }
}

/// Without leases there is no leader.
#[cfg(not(feature = "lease"))]
#[derive(Debug, Serialize)]
enum Leader {}

#[cfg(not(feature = "lease"))]
#[expect(clippy::unused_async, reason = "it has the signature of the other one")]
async fn leader_of(_client: &Client, _operator: &Operator) -> Result<Option<Leader>> {
    Ok(None)
}

/// The line about the leader.
#[cfg(feature = "lease")]
fn headline(leader: &Leader, now: Timestamp) -> String {
    let ago = leader.renewed.map_or_else(|| "never".to_owned(), |renewed| format!("{} ago", age(now, renewed)));
    match &leader.holder {
        None => format!("leader: none, the Lease {} has been given back\n\n", leader.lease),
        Some(holder) if leader.is_expired(now) => {
            format!("leader: none, {holder} renewed the Lease {} {ago}\n\n", leader.lease)
        }
        Some(holder) if !leader.replicas.is_empty() => format!("shards: {}, renewed {ago}\n\n", leader.works(holder)),
        Some(holder) => format!("leader: {holder}, renewed {ago}\n\n"),
    }
}

#[cfg(not(feature = "lease"))]
fn headline(leader: &Leader, _now: Timestamp) -> String {
    match *leader {}
}

fn text(status: &Status, now: Timestamp) -> String {
    let one = |kind: &KindStatus| {
        let head = format!("{}: {} of {} ready\n", kind.kind, kind.ready, kind.objects);
        let row = |counted: &Counted| {
            let since = counted.since.map_or_else(String::new, |since| age(now, since));
            let count = counted.objects.to_string();
            [&counted.type_, &counted.status, &counted.reason, &count, &counted.oldest, &since]
                .map(ToOwned::to_owned)
                .into()
        };
        let rows: Vec<Vec<String>> = kind.conditions.iter().map(row).collect();
        match rows.is_empty() {
            true => head,
            false => head + &columns(&["condition", "status", "reason", "objects", "oldest", "for"], &rows),
        }
    };
    let leader = status.leader.as_ref().map(|leader| headline(leader, now)).unwrap_or_default();
    leader + &status.kinds.iter().map(one).collect::<Vec<_>>().join("\n")
}
