//! The command `status`: how many objects of each kind have which condition.

use std::collections::BTreeMap;
use std::io::Write;

use jiff::Timestamp;
use kube::Api;
use kube::api::{DynamicObject, ListParams};
use serde::Serialize;

use super::age::age;
use super::condition::conditions;
use super::{StatusArgs, api, print, unread};
use crate::clock;
use crate::condition::READY;
use crate::introspection::{ReconcilerInfo, columns};
use crate::operator::builder::Operator;
use crate::operator::context::client_alone;
use crate::operator::error::Result;
use crate::operator::print::progress;

/// How many objects a request returns.
const PAGE: u32 = 500;

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
    for (at, first) in all.iter().enumerate() {
        if all[..at].iter().any(|other| other.kind == first.kind) {
            continue;
        }
        let known: Vec<ReconcilerInfo> = all.iter().filter(|other| other.kind == first.kind).cloned().collect();
        let places = match &*operator.namespaces {
            [] => vec![api(&client, &first.kind, None)],
            _ if !first.kind.namespaced => vec![api(&client, &first.kind, None)],
            namespaces => namespaces.iter().map(|namespace| api(&client, &first.kind, Some(namespace))).collect(),
        };
        kinds.push(counted(&places, &known).await?);
    }
    print(out, args.output.output, &kinds, &text(&kinds, clock::now()))
}

async fn counted(places: &[Api<DynamicObject>], known: &[ReconcilerInfo]) -> Result<KindStatus> {
    let resource = &known[0].kind.resource;
    let mut status = KindStatus { kind: resource.kind.clone(), objects: 0, ready: 0, conditions: Vec::new() };
    let mut found: BTreeMap<(String, String, String), Counted> = BTreeMap::new();
    for place in places {
        let mut params = ListParams::default().limit(PAGE);
        loop {
            progress(&format!("listing {}: {}", resource.plural, status.objects));
            let page = place.list(&params).await.map_err(|error| unread(&resource.plural, &error))?;
            page.items.iter().for_each(|object| add(object, known, &mut status, &mut found));
            match page.metadata.continue_.filter(|token| !token.is_empty()) {
                Some(token) => params = params.continue_token(&token),
                None => break,
            }
        }
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
    let namespace = object.metadata.namespace.iter().fold(String::new(), |_, namespace| format!("{namespace}/"));
    let name = format!("{namespace}{}", object.metadata.name.as_deref().unwrap_or_default());
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

fn text(kinds: &[KindStatus], now: Timestamp) -> String {
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
    kinds.iter().map(one).collect::<Vec<_>>().join("\n")
}
