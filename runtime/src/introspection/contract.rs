//! The status contract of an operator, as a file whose changes a test can compare with semantic versioning.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};

use super::api_contract::{self, AdmissionContract, is_restriction};
use super::app_manifest::AppManifest;
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

/// The part of the version number that a change increments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Semver {
    /// No change that consumers can observe.
    Patch,
    /// Only additions.
    Minor,
    /// A guarantee was removed or has another meaning, or a write that was accepted may now be refused.
    Major,
}

/// A difference between two contracts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ApiDiff {
    /// The part of the version number that this change increments.
    pub semver: Semver,
    /// A description: `removed: source-controller/git_repository, condition ArtifactStored`.
    pub what: String,
}

impl fmt::Display for ApiDiff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl Semver {
    /// The version increment that these changes require together.
    #[must_use]
    pub fn of(changes: &[ApiDiff]) -> Self {
        changes.iter().map(|change| change.semver).max().unwrap_or(Self::Patch)
    }
}

impl Contract {
    /// Creates the contract of these reconcilers, which are those of this app.
    pub(crate) fn of(all: &[ReconcilerInfo], app: &AppManifest) -> Self {
        Self {
            reconcilers: all.iter().map(|known| (known.field_manager.clone(), known.contract())).collect(),
            versions: api_contract::versions(app),
            admission: api_contract::admission(app),
            routes: api_contract::routes(app),
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
    #[must_use]
    pub fn compare(&self, next: &Self) -> Vec<ApiDiff> {
        let (before, after) = (self.facts(), next.facts());
        let gone = before.iter().filter_map(|(fact, value)| match after.get(fact) {
            None => Some(change(Semver::Major, "removed", fact, &before, &after)),
            Some(new) if new != value => Some(Some(ApiDiff {
                semver: Semver::Major,
                what: format!("changed: {}: {value} -> {new}", fact.join(", ")),
            })),
            Some(_) => None,
        });
        let new = after.keys().filter(|fact| !before.contains_key(*fact));
        let new = new.map(|fact| {
            let semver = if is_restriction(fact) { Semver::Major } else { Semver::Minor };
            change(semver, "added", fact, &after, &before)
        });
        gone.chain(new).flatten().collect()
    }

    /// All guarantees, each with its value.
    fn facts(&self) -> Facts {
        let mut facts = Facts::new();
        for (name, reconciler) in &self.reconcilers {
            reconciler.collect_facts(name, &mut facts);
        }
        facts.extend(api_contract::facts(&self.versions, &self.admission, &self.routes));
        facts
    }
}

type Facts = BTreeMap<Vec<String>, String>;

/// A guarantee that only one of the two contracts contains. Returns `None` if it is part of a larger guarantee that is
/// reported instead.
fn change(semver: Semver, word: &str, fact: &[String], mine: &Facts, other: &Facts) -> Option<ApiDiff> {
    let alone = |part: &[String]| mine.contains_key(part) && !other.contains_key(part);
    let within = (1..fact.len()).any(|end| alone(&fact[..end]));
    (!within).then(|| ApiDiff { semver, what: format!("{word}: {}", fact.join(", ")) })
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
mod tests {
    use super::super::fixture;
    use super::*;

    fn stored() -> Contract {
        Contract::of(&[fixture::known()], &AppManifest::default())
    }

    /// The version increment and the text of the only change.
    fn only(before: &Contract, after: &Contract) -> (Semver, String) {
        let changes = before.compare(after);
        assert_eq!(changes.len(), 1, "{changes:?}");
        (changes[0].semver, changes[0].to_string())
    }

    fn changed(change: impl Fn(&mut ReconcilerContract)) -> Contract {
        let mut contract = stored();
        contract.reconcilers.values_mut().for_each(change);
        contract
    }

    #[test]
    fn a_contract_survives_a_round_trip() {
        let read = Contract::parse(&stored().to_string()).unwrap();
        assert_eq!(read, stored());
        assert_eq!(Semver::of(&stored().compare(&read)), Semver::Patch);
    }

    #[test]
    fn removing_a_condition_is_major_and_adding_one_minor() {
        let without = changed(|reconciler| drop(reconciler.conditions.remove("Stored")));
        assert_eq!(only(&stored(), &without), (Semver::Major, "removed: op/things, condition Stored".into()));
        assert_eq!(only(&without, &stored()), (Semver::Minor, "added: op/things, condition Stored".into()));
    }

    #[test]
    fn removing_a_reason_or_finalizer_is_a_major_change() {
        let without = changed(|reconciler| {
            reconciler.conditions.get_mut("Stored").unwrap().reasons.remove("Blocked");
        });
        let what = "removed: op/things, condition Stored, reason Blocked".into();
        assert_eq!(only(&stored(), &without), (Semver::Major, what));
        let without = changed(|reconciler| reconciler.finalizer = None);
        assert_eq!(only(&stored(), &without), (Semver::Major, "removed: op/things, finalizer".into()));
    }

    #[test]
    fn changing_the_triggers_is_a_major_change() {
        let triggers = |text: &'static str| changed(move |reconciler| reconciler.triggers = Some(text.into()));
        let (one, other) = (triggers("triggers(spec, labels)"), triggers("triggers(spec)"));
        let what = "changed: op/things, triggers: triggers(spec, labels) -> triggers(spec)".into();
        assert_eq!(only(&one, &other), (Semver::Major, what));
    }

    #[test]
    fn changing_the_polarity_is_a_major_change() {
        let other = changed(|reconciler| {
            reconciler.conditions.get_mut("Stored").unwrap().polarity = "negative".into();
        });
        let what = "changed: op/things, condition Stored: positive -> negative".into();
        assert_eq!(only(&stored(), &other), (Semver::Major, what));
    }

    #[test]
    fn a_new_validation_is_a_major_change_and_a_new_version_a_minor_one() {
        let mut other = stored();
        let reviews = AdmissionContract { validation: ["CREATE".to_owned()].into(), ..AdmissionContract::default() };
        other.admission.insert("things.example.com".to_owned(), reviews);
        let added = "added: validation of things.example.com, CREATE".to_owned();
        assert_eq!(only(&stored(), &other), (Semver::Major, added));
        let mut other = stored();
        other.versions.insert("things.example.com".to_owned(), ["v1".to_owned()].into());
        let what = "added: versions of things.example.com, v1".to_owned();
        assert_eq!(only(&stored(), &other), (Semver::Minor, what));
        let what = "removed: versions of things.example.com, v1".to_owned();
        assert_eq!(only(&other, &stored()), (Semver::Major, what));
    }

    #[test]
    fn another_right_for_a_route_is_a_major_change() {
        let with = |needed: &str| {
            let routes = [("GET /x".to_owned(), needed.to_owned())].into();
            Contract { routes, ..stored() }
        };
        assert_eq!(only(&stored(), &with("get a/b")), (Semver::Minor, "added: route GET /x".into()));
        let what = "changed: route GET /x: get a/b -> get a/c".into();
        assert_eq!(only(&with("get a/b"), &with("get a/c")), (Semver::Major, what));
        assert_eq!(Contract::parse(&with("get a/b").to_string()).unwrap(), with("get a/b"));
    }

    #[test]
    fn a_contract_without_functions_has_no_sections_for_them() {
        let text = stored().to_string();
        assert!(["versions", "admission", "routes"].iter().all(|section| !text.contains(section)), "{text}");
    }
}
