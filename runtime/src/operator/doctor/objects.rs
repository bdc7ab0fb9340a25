//! The objects: how many there are, and which cannot go since no reconciler removes their finalizer.

use std::collections::BTreeSet;

use kube::api::{DynamicObject, ListParams, PartialObjectMeta};
use kube::{Api, Client};

use super::finding::Finding;
use crate::client::why;
use crate::introspection::ReconcilerInfo;
use crate::operator::object_pages::{by_kind, each, place_of, places};
use crate::wiring::KindInfo;

const CHECK: &str = "objects";

/// How much memory an object takes, with three children, and how much the program takes without objects.
const BYTES: (usize, usize) = (8 << 10, 40 << 20);

/// Counts the objects of each reconciled kind, and finds those that cannot go.
pub(super) async fn check(client: &Client, all: &[ReconcilerInfo], namespaces: &[impl AsRef<str>]) -> Vec<Finding> {
    let (mut findings, mut count) = (Vec::new(), 0);
    for reconcilers in by_kind(all) {
        let (kind, known) = (&reconcilers[0].kind, Known::of(&reconcilers));
        for api in places(client, kind, namespaces) {
            match scan(&api, kind, &known).await {
                Ok(scanned) => {
                    count += scanned.count;
                    findings.extend(scanned.findings);
                }
                Err(error) => findings.push(unlisted(kind, &error)),
            }
        }
    }
    let expected = (BYTES.1 + count * BYTES.0) >> 20;
    findings.push(Finding::info(CHECK, format!("{count} objects: a replica takes about {expected} MiB of memory")));
    findings
}

fn unlisted(kind: &KindInfo, error: &kube::Error) -> Finding {
    let resource = &kind.resource;
    match error {
        kube::Error::Api(status) if status.code == 404 => Finding::fail(
            CHECK,
            format!("{} of {} is not served", resource.kind, resource.api_version),
            "install its CRD, or what else serves it",
        ),
        error => Finding::unknown(CHECK, format!("{} cannot be listed: {}", resource.plural, why(error))),
    }
}

/// The finalizers of a kind.
struct Known {
    finalizers: BTreeSet<String>,
    /// Their domains, whose other finalizers are those of former versions.
    domains: BTreeSet<String>,
}

impl Known {
    fn of(reconcilers: &[ReconcilerInfo]) -> Self {
        let finalizers: BTreeSet<String> = reconcilers.iter().filter_map(|known| known.finalizer.clone()).collect();
        let domains = finalizers.iter().filter_map(|name| Some(name.split_once('/')?.0.to_owned())).collect();
        Self { finalizers, domains }
    }

    /// The finalizers of the object that look like ones of the operator, but that nothing in this program removes.
    fn abandoned<'o>(&self, object: &'o PartialObjectMeta<DynamicObject>) -> impl Iterator<Item = &'o String> {
        let is_ours = |name: &String| name.split_once('/').is_some_and(|(domain, _)| self.domains.contains(domain));
        let all = object.metadata.finalizers.iter().flatten();
        all.filter(move |name| is_ours(name) && !self.finalizers.contains(*name))
    }
}

#[derive(Default)]
struct Scanned {
    count: usize,
    findings: Vec<Finding>,
}

async fn scan(api: &Api<DynamicObject>, kind: &KindInfo, known: &Known) -> Result<Scanned, kube::Error> {
    let mut scanned = Scanned::default();
    let list = async |params: &ListParams| api.list_metadata(params).await;
    each(&kind.resource.plural, list, |object| {
        scanned.count += 1;
        if object.metadata.deletion_timestamp.is_some() {
            scanned.findings.extend(known.abandoned(&object).map(|finalizer| stuck(kind, &object, finalizer)));
        }
    })
    .await?;
    Ok(scanned)
}

fn stuck(kind: &KindInfo, object: &PartialObjectMeta<DynamicObject>, finalizer: &str) -> Finding {
    let place = place_of(&object.metadata);
    let text = format!(
        "{} {place} is being deleted and has the finalizer `{finalizer}`, which nothing in this program removes",
        kind.resource.kind
    );
    let help = "name the former operator in `Operator::previously`, or remove the finalizer by hand";
    Finding::warn("finalizer", text, help)
}
