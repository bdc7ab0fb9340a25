//! The objects: how many there are, and which cannot go since no reconciler removes their finalizer.

use std::collections::BTreeSet;

use kube::api::{ApiResource, DynamicObject, ListParams, PartialObjectMeta};
use kube::{Api, Client};

use super::finding::Finding;
use crate::client::why;
use crate::introspection::ReconcilerInfo;
use crate::wiring::KindInfo;

const CHECK: &str = "objects";

/// How many objects a request returns.
const PAGE: u32 = 500;

/// How much memory an object takes, with three children, and how much the program takes without objects.
const BYTES: (usize, usize) = (8 << 10, 40 << 20);

/// Counts the objects of each reconciled kind, and finds those that cannot go. Calls the function before each page.
pub(super) async fn check(
    client: &Client,
    all: &[ReconcilerInfo],
    namespaces: &[impl AsRef<str>],
    progress: &mut (dyn FnMut(&str) + Send),
) -> Vec<Finding> {
    let (mut findings, mut count) = (Vec::new(), 0);
    let mut kinds: Vec<&KindInfo> = all.iter().map(|known| &known.kind).collect();
    kinds.dedup();
    for kind in kinds {
        let known = Known::of(all.iter().filter(|known| known.kind == *kind));
        for api in places(client, kind, namespaces) {
            match scan(&api, kind, &known, progress).await {
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

fn places(client: &Client, kind: &KindInfo, namespaces: &[impl AsRef<str>]) -> Vec<Api<DynamicObject>> {
    let resource: &ApiResource = &kind.resource;
    if !kind.namespaced || namespaces.is_empty() {
        return vec![Api::all_with(client.clone(), resource)];
    }
    namespaces.iter().map(|namespace| Api::namespaced_with(client.clone(), namespace.as_ref(), resource)).collect()
}

/// The finalizers of a kind.
struct Known {
    finalizers: BTreeSet<String>,
    /// Their domains, whose other finalizers are those of former versions.
    domains: BTreeSet<String>,
}

impl Known {
    fn of<'a>(reconcilers: impl Iterator<Item = &'a ReconcilerInfo>) -> Self {
        let finalizers: BTreeSet<String> = reconcilers.filter_map(|known| known.finalizer.clone()).collect();
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

async fn scan(
    api: &Api<DynamicObject>,
    kind: &KindInfo,
    known: &Known,
    progress: &mut (dyn FnMut(&str) + Send),
) -> Result<Scanned, kube::Error> {
    let mut scanned = Scanned::default();
    let mut params = ListParams::default().limit(PAGE);
    loop {
        progress(&format!("listing {}: {}", kind.resource.plural, scanned.count));
        let page = api.list_metadata(&params).await?;
        scanned.count += page.items.len();
        for object in page.items.iter().filter(|object| object.metadata.deletion_timestamp.is_some()) {
            scanned.findings.extend(known.abandoned(object).map(|finalizer| stuck(kind, object, finalizer)));
        }
        match page.metadata.continue_.filter(|token| !token.is_empty()) {
            Some(token) => params = params.continue_token(&token),
            None => return Ok(scanned),
        }
    }
}

fn stuck(kind: &KindInfo, object: &PartialObjectMeta<DynamicObject>, finalizer: &str) -> Finding {
    let namespace = object.metadata.namespace.iter().fold(String::new(), |_, namespace| format!("{namespace}/"));
    let name = object.metadata.name.as_deref().unwrap_or_default();
    let text = format!(
        "{} {namespace}{name} is being deleted and has the finalizer `{finalizer}`, which nothing in this program removes",
        kind.resource.kind
    );
    let help = "name the former operator in `Operator::previously`, or remove the finalizer by hand";
    Finding::warn("finalizer", text, help)
}
