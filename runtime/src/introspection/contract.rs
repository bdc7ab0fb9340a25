//! The status contract of an operator, as a file whose changes a test can compare with semantic versioning.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};

use super::api_contract::{self, AdmissionContract, is_restriction};
use super::api_diff::ApiDiff;
use super::app_manifest::AppManifest;
use super::crd_contract::CrdContract;
use super::crd_diff;
use super::reason::reasons;
use super::reconciler_info::ReconcilerInfo;
use crate::condition::{Polarity, READY, RECONCILING, STALLED};
use crate::status::used_fields;

/// The guarantees of an operator to consumers of its objects.
///
/// `contract` prints it as JSON, in a stable order. Store the output in a file and compare it in a test:
///
/// ```ignore
/// let stored = Contract::parse(include_str!("contract.json"))?;
/// let changes = stored.compare(&operator().contract());
/// assert!(Semver::of(&changes) <= Semver::Minor, "{changes:?}");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Contract {
    /// The format of the file: 1. A file without it has none of the sections `crds`, `rights`, `metrics` and `flags`.
    #[serde(default)]
    pub format: u32,
    /// The name of the operator.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub operator: String,
    /// The reconcilers by the field manager of their writes, `<operator>/<reconciler>`, which is unique.
    pub reconcilers: BTreeMap<String, ReconcilerContract>,
    /// The served versions of each kind that has several, by the name of its CRD.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub versions: BTreeMap<String, BTreeSet<String>>,
    /// The reviews of writes by resource and group: `gitrepositories.source.example.com`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub admission: BTreeMap<String, AdmissionContract>,
    /// What a user needs for each route: `get gitrepositories/artifact`, by method and path.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub routes: BTreeMap<String, String>,
    /// The CRDs of the operator by their names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub crds: BTreeMap<String, CrdContract>,
    /// The verbs that the role of the operator needs, by group and resource: `core/secrets`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rights: BTreeMap<String, BTreeSet<String>>,
    /// The labels of each metric of the framework, by its name without the suffixes of a histogram.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metrics: BTreeMap<String, BTreeSet<String>>,
    /// The commands and flags of the program, each with the name of its value: `--listen`, `manifests --image`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub flags: BTreeMap<String, String>,
}

/// The guarantees of one reconciler.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ReconcilerContract {
    /// The group and version of the kind.
    pub api_version: String,
    /// The reconciled kind.
    pub kind: String,
    /// The type of the condition that summarizes the others.
    pub summary: String,
    /// The conditions by type.
    pub conditions: BTreeMap<String, ConditionContract>,
    /// The finalizer on the objects of the kind, if the reconciler needs one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finalizer: Option<String>,
    /// The triggers besides the spec, if they are declared: `triggers(spec, labels)`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub triggers: Option<String>,
    /// The status fields that the framework manages.
    pub fields: BTreeSet<String>,
}

/// The guarantees about one condition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ConditionContract {
    /// The polarity: `positive`, `negative` or `bipolar`.
    pub polarity: String,
    /// The declared reasons of the condition.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub reasons: BTreeSet<String>,
}

/// What to do about a guarantee that is gone.
const KEEP: &str = "keep it, or release a major version";
/// What to do about a guarantee that has another meaning.
const RESTORE: &str = "restore it, or release a major version";
/// What to do about a new check.
const ACCEPT: &str = "accept what was accepted before, or release a major version";

/// The start of the guarantees about RBAC rules. Fewer and more of them break no client; who writes roles must add the new ones.
const RIGHTS: &str = "rights on ";

impl Contract {
    /// The format of the files that this program writes, and the newest one that it reads.
    pub const FORMAT: u32 = 1;

    /// Creates the contract of these reconcilers, which are those of this app.
    pub(crate) fn of(all: &[ReconcilerInfo], app: &AppManifest) -> Self {
        Self {
            format: Self::FORMAT,
            operator: app.name.clone(),
            reconcilers: all.iter().map(|known| (known.field_manager.clone(), known.contract())).collect(),
            versions: api_contract::versions(app),
            admission: api_contract::admission(app),
            routes: api_contract::routes(app),
            ..Self::default()
        }
    }

    /// Parses a contract that [`Display`](fmt::Display) printed.
    ///
    /// # Errors
    /// The text is not a contract.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// Returns the guarantees that `next` removes, changes and adds.
    ///
    /// Sections that the format of `self` does not have are left out.
    #[must_use]
    pub fn compare(&self, next: &Self) -> Vec<ApiDiff> {
        let sections = self.format > 0;
        let (before, after) = (self.facts(sections), next.facts(sections));
        let gone = before.iter().filter_map(|(fact, value)| match after.get(fact) {
            None => change("removed", fact, &before, &after),
            Some(new) if new != value => {
                Some(ApiDiff::major(format!("changed: {}: {value} -> {new}", fact.join(", ")), RESTORE))
            }
            Some(_) => None,
        });
        let new = after.keys().filter(|fact| !before.contains_key(*fact));
        let new = new.filter_map(|fact| change("added", fact, &after, &before));
        let crds = if sections { crd_diff::compare(&self.crds, &next.crds) } else { Vec::new() };
        gone.chain(new).chain(crds).collect()
    }

    /// All guarantees, each with its value.
    fn facts(&self, sections: bool) -> Facts {
        let mut facts = Facts::new();
        for (name, reconciler) in &self.reconcilers {
            reconciler.collect_facts(name, &mut facts);
        }
        facts.extend(api_contract::facts(&self.versions, &self.admission, &self.routes));
        if sections {
            self.collect_sections(&mut facts);
        }
        facts
    }

    /// The guarantees about rights, metrics and flags.
    fn collect_sections(&self, facts: &mut Facts) {
        let rights = self.rights.iter().map(|(resource, verbs)| (format!("{RIGHTS}{resource}"), verbs));
        for (right, verbs) in rights {
            facts.extend(verbs.iter().map(|verb| (vec![right.clone(), verb.clone()], String::new())));
        }
        for (name, labels) in &self.metrics {
            let metric = format!("metric {name}");
            facts.insert(vec![metric.clone()], String::new());
            facts.extend(labels.iter().map(|label| (vec![metric.clone(), format!("label {label}")], String::new())));
        }
        facts.extend(self.flags.iter().map(|(flag, value)| (vec![format!("command line {flag}")], value.clone())));
    }
}

type Facts = BTreeMap<Vec<String>, String>;

/// A guarantee that only one of the two contracts contains. Returns `None` if it is part of a larger guarantee that is
/// reported instead.
fn change(word: &str, fact: &[String], mine: &Facts, other: &Facts) -> Option<ApiDiff> {
    let alone = |part: &[String]| mine.contains_key(part) && !other.contains_key(part);
    let within = (1..fact.len()).any(|end| alone(&fact[..end]));
    let what = format!("{word}: {}", fact.join(", "));
    let is_right = fact.first().is_some_and(|start| start.starts_with(RIGHTS));
    let diff = match word {
        "added" if is_restriction(fact) => ApiDiff::major(what, ACCEPT),
        "removed" if !is_right => ApiDiff::major(what, KEEP),
        _ => ApiDiff::minor(what),
    };
    (!within).then_some(diff)
}

impl ReconcilerContract {
    fn collect_facts(&self, name: &str, facts: &mut Facts) {
        let mut collect_facts = |parts: &[&str], value: &str| {
            let path = std::iter::once(name).chain(parts.iter().copied()).map(ToOwned::to_owned).collect();
            facts.insert(path, value.to_owned());
        };
        collect_facts(&[], &format!("{} {}", self.api_version, self.kind));
        collect_facts(&["summary"], &self.summary);
        if let Some(finalizer) = &self.finalizer {
            collect_facts(&["finalizer"], finalizer);
        }
        if let Some(triggers) = &self.triggers {
            collect_facts(&["triggers"], triggers);
        }
        for (type_, condition) in &self.conditions {
            let here = format!("condition {type_}");
            collect_facts(&[&here], &condition.polarity);
            for reason in &condition.reasons {
                collect_facts(&[&here, &format!("reason {reason}")], "");
            }
        }
        for field in &self.fields {
            collect_facts(&[&format!("status field {field}")], "");
        }
    }
}

impl fmt::Display for Contract {
    /// Formats the contract as JSON, with a line break at the end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = serde_json::to_string_pretty(self).map_err(|_| fmt::Error)?;
        writeln!(f, "{text}")
    }
}

/// The name of a polarity in the JSON of a contract.
const fn polarity(polarity: Polarity) -> &'static str {
    match polarity {
        Polarity::Positive => "positive",
        Polarity::Negative => "negative",
        Polarity::Bipolar => "bipolar",
    }
}

impl ReconcilerInfo {
    /// Returns the guarantees of this reconciler.
    #[must_use]
    pub fn contract(&self) -> ReconcilerContract {
        let declared = self.wiring.conditions.iter().enumerate().map(|(place, info)| {
            let polarity = polarity(info.polarity).to_owned();
            (info.type_.to_owned(), ConditionContract { polarity, reasons: reasons(&self.wiring, place) })
        });
        let framework = [
            (READY, "positive", [].as_slice()),
            (RECONCILING, "negative", &["Progressing", "ProgressingWithRetry"]),
            (STALLED, "negative", &[]),
        ];
        let framework = framework.into_iter().map(|(type_, polarity, reasons)| {
            let reasons = reasons.iter().map(|reason| (*reason).to_owned()).collect();
            (type_.to_owned(), ConditionContract { polarity: polarity.into(), reasons })
        });
        let summaries = self.wiring.summaries.iter().map(|summary| {
            let contract = ConditionContract { polarity: "positive".into(), reasons: BTreeSet::new() };
            (summary.type_.to_owned(), contract)
        });
        ReconcilerContract {
            api_version: self.kind.resource.api_version.clone(),
            kind: self.kind.resource.kind.clone(),
            summary: READY.into(),
            conditions: declared.chain(framework).chain(summaries).collect(),
            finalizer: self.finalizer.clone(),
            triggers: self.wiring.triggers.declared(),
            fields: used_fields(&self.wiring).map(ToOwned::to_owned).collect(),
        }
    }
}

#[cfg(test)]
mod tests;
