//! The CRDs: installed, served, stored in a version that the program knows, and fitting the program.

use http::Request;
use kube::Client;
use serde_json::Value;

use super::finding::Finding;
use crate::client::why;
use crate::operator::builder::Operator;
use crate::operator::crd_check::{Expected, ServedVersion};
use crate::operator::error::install;
use crate::operator::registration::{Identity, Registration};
#[cfg(feature = "webhooks")]
use crate::operator::served_versions::of_kind;
use crate::wiring::KindInfo;

const CHECK: &str = "crd";

/// A CRD of the program.
struct Wanted {
    name: String,
    /// The versions that the program knows, first the stored one.
    versions: Vec<String>,
    /// One for each reconciler of the kind.
    expected: Vec<Expected>,
}

/// Checks the CRD of each reconciled kind of this operator.
pub(super) async fn check(client: &Client, operator: &Operator) -> Vec<Finding> {
    let mut findings = Vec::new();
    for wanted in wanted(operator) {
        findings.extend(one(client, &wanted).await);
    }
    findings
}

fn wanted(operator: &Operator) -> Vec<Wanted> {
    let definitions = operator.definitions().into_iter().map(|definition| {
        let mut versions = definition.spec.versions;
        versions.sort_by_key(|version| !version.storage);
        Wanted {
            name: definition.metadata.name.unwrap_or_default(),
            versions: versions.into_iter().map(|version| version.name).collect(),
            expected: Vec::new(),
        }
    });
    let mut all: Vec<Wanted> = definitions.collect();
    for member in &operator.members {
        let expected = expected(operator, &**member);
        if let Some(wanted) = all.iter_mut().find(|wanted| wanted.name == expected.name()) {
            wanted.expected.push(expected);
        }
    }
    all
}

fn expected(operator: &Operator, member: &dyn Registration) -> Expected {
    let Identity { kind, wiring, .. } = member.identity();
    let served = served(operator, &kind);
    Expected::new(member.definition().as_ref(), kind, wiring, served)
}

#[cfg(feature = "webhooks")]
fn served(operator: &Operator, kind: &KindInfo) -> Vec<ServedVersion> {
    of_kind(&operator.reviews.spokes, kind)
}

#[cfg(not(feature = "webhooks"))]
fn served(_operator: &Operator, _kind: &KindInfo) -> Vec<ServedVersion> {
    Vec::new()
}

async fn one(client: &Client, wanted: &Wanted) -> Vec<Finding> {
    let path = format!("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{}", wanted.name);
    let request = Request::get(path).body(Vec::new()).map_err(kube::Error::HttpError);
    let installed = match request {
        Ok(request) => client.request::<Value>(request).await,
        Err(error) => Err(error),
    };
    match installed {
        Ok(installed) => judged(&installed, wanted),
        Err(kube::Error::Api(status)) if status.code == 404 => {
            vec![Finding::fail(CHECK, format!("the CRD {} is not installed", wanted.name), install())]
        }
        Err(error) => vec![Finding::unknown(CHECK, format!("the CRD {} cannot be read: {}", wanted.name, why(&error)))],
    }
}

fn judged(installed: &Value, wanted: &Wanted) -> Vec<Finding> {
    let mut findings = Vec::new();
    findings.extend(established(installed, wanted));
    for expected in &wanted.expected {
        if let Err(error) = expected.check(installed) {
            let headline = error.to_string();
            findings.push(Finding::fail(CHECK, headline.lines().next().unwrap_or_default(), error.help()));
        }
    }
    // Several reconcilers of a kind report the same.
    findings.dedup();
    findings.extend(stored(installed, wanted));
    findings.extend(bundle(installed, wanted));
    if findings.is_empty() {
        let versions = wanted.versions.join(", ");
        findings.push(Finding::ok(CHECK, format!("the CRD {} is installed and fits: {versions}", wanted.name)));
    }
    findings
}

/// Names that collide with those of another CRD keep it from being served.
fn established(installed: &Value, wanted: &Wanted) -> Option<Finding> {
    let conditions = installed["status"]["conditions"].as_array().into_iter().flatten();
    let bad = conditions
        .into_iter()
        .find(|one| matches!(one["type"].as_str(), Some("Established" | "NamesAccepted")) && one["status"] != "True")?;
    let message = bad["message"].as_str().unwrap_or("no message");
    let text = format!("the CRD {} is not served: {message}", wanted.name);
    Some(Finding::fail(CHECK, text, "remove the other CRD, or give this one other names in `#[kube(..)]`"))
}

/// Objects in versions that the program does not know, or that are not the stored one.
fn stored(installed: &Value, wanted: &Wanted) -> Vec<Finding> {
    let versions = installed["status"]["storedVersions"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let others = versions.filter(|version| wanted.versions.first().is_none_or(|stored| stored != version));
    let finding = |version: &str| {
        let text = format!("objects of {} may be stored in {version}", wanted.name);
        if wanted.versions.iter().any(|known| known == version) {
            let help = "run `migrate`, which writes each object once";
            return Finding::warn("storage", text, help);
        }
        let text = format!("{text}, which this program does not know");
        Finding::fail("storage", text, "run a newer version of this program: it cannot read these objects")
    };
    others.map(finding).collect()
}

/// A conversion whose webhook API servers cannot trust yet.
fn bundle(installed: &Value, wanted: &Wanted) -> Option<Finding> {
    let conversion = &installed["spec"]["conversion"];
    let has_bundle = conversion["webhook"]["clientConfig"]["caBundle"].as_str().is_some_and(|text| !text.is_empty());
    if wanted.versions.len() < 2 || conversion["strategy"] != "Webhook" || has_bundle {
        return None;
    }
    let text = format!("the conversion of {} has no `caBundle`, so requests in other versions fail", wanted.name);
    Some(Finding::warn("webhook", text, "start a replica with `--webhooks`: it adds the bundle"))
}
