//! The webhooks of an operator, and the setups that are refused when it starts.

use std::collections::BTreeMap;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde_json::Value;

use super::entry::Entry;
use super::erased::Function;
use super::wire_path::WirePaths;
use crate::wiring::KindInfo;
use crate::wiring::admission::{AdmissionWiring, Failure};

/// A kind that the operator reconciles and installs.
pub(crate) struct OwnKind {
    pub(crate) kind: KindInfo,
    pub(crate) definition: CustomResourceDefinition,
}

/// Why an operator with these functions does not start: the headline, and the fix.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) headline: String,
    pub(crate) help: String,
}

fn refuse<T>(headline: String, help: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal { headline, help: help.into() })
}

/// The webhooks of an operator, in declared order.
pub(crate) struct Entries {
    pub(super) all: Vec<Entry>,
    /// The place of each path in `all`.
    places: BTreeMap<String, usize>,
    /// The kinds of the operator itself.
    own: Vec<KindInfo>,
}

impl Entries {
    /// # Errors
    /// Two functions contradict each other, or one could block the writes of other programs.
    pub(crate) fn new(functions: &[Function], own: &[OwnKind]) -> Result<Self, Refusal> {
        check_names(functions)?;
        let kinds: Vec<KindInfo> = own.iter().map(|one| one.kind.clone()).collect();
        for function in functions {
            check_foreign(function, &kinds)?;
            check_fields(function, own)?;
        }
        let mut groups: Vec<Vec<Function>> = Vec::new();
        for function in functions {
            match groups.iter_mut().find(|group| belongs(function, group)) {
                Some(group) => group.push(function.clone()),
                None => groups.push(vec![function.clone()]),
            }
        }
        for group in &groups {
            check_group(group)?;
        }
        let entry = |group: &Vec<Function>| Entry {
            path: path(group),
            name: name(group, &groups),
            paths: schema(group[0].kind(), own),
            functions: group.clone(),
        };
        let all: Vec<Entry> = groups.iter().map(entry).collect();
        let places = all.iter().enumerate().map(|(at, entry)| (entry.path.clone(), at)).collect();
        Ok(Self { all, places, own: kinds })
    }

    /// The webhook at this path, in which a function may also be spelled as in Rust: `/admit/team_exists`.
    pub(super) fn at(&self, path: &str) -> Option<&Entry> {
        let spelled = || self.places.get(&path.to_ascii_lowercase().replace('_', "-"));
        self.places.get(path).or_else(spelled).map(|at| &self.all[*at])
    }

    /// The paths, for messages.
    pub(super) fn paths(&self) -> String {
        self.places.keys().map(String::as_str).collect::<Vec<_>>().join(", ")
    }

    pub(super) fn is_own(&self, kind: &KindInfo) -> bool {
        is_own(&self.own, kind)
    }
}

fn is_own(own: &[KindInfo], kind: &KindInfo) -> bool {
    own.iter().any(|one| one.resource.group == kind.resource.group && one.resource.kind == kind.resource.kind)
}

/// Whether the functions are called in one request: all mutating functions of a kind.
fn belongs(function: &Function, group: &[Function]) -> bool {
    let (wiring, other) = (function.wiring(), group[0].wiring());
    wiring.mutates && other.mutates && function.kind() == group[0].kind() && wiring.subresource == other.subresource
}

/// The name of the function in the name of a webhook.
fn label(wiring: &AdmissionWiring) -> String {
    wiring.name.to_ascii_lowercase().replace('_', "-")
}

fn suffix(wiring: &AdmissionWiring) -> String {
    wiring.subresource.map(|name| format!("-{name}")).unwrap_or_default()
}

/// The path of a group. Its parts are domain names, since older API servers refuse others (1.20 does, 1.36 does not). That of a function has no dot.
fn path(group: &[Function]) -> String {
    let (wiring, resource) = (group[0].wiring(), &group[0].kind().resource);
    if !wiring.mutates {
        return format!("/admit/{}", label(wiring));
    }
    let qualified = format!("{}.{}.{}", resource.plural, resource.version, resource.group);
    format!("/admit/mutate{}-{}", suffix(wiring), qualified.trim_end_matches('.'))
}

/// The name of a webhook, which has at least three parts.
fn name(group: &[Function], groups: &[Vec<Function>]) -> String {
    let (wiring, resource) = (group[0].wiring(), &group[0].kind().resource);
    let api = if resource.group.is_empty() { "core" } else { &resource.group };
    let first = match wiring.mutates {
        false => label(wiring),
        true => {
            let is_twin = |other: &&Vec<Function>| {
                let (twin, kind) = (other[0].wiring(), &other[0].kind().resource);
                let is_same = (&kind.group, &kind.plural) == (&resource.group, &resource.plural);
                twin.mutates && is_same && twin.subresource == wiring.subresource
            };
            let version = if groups.iter().filter(is_twin).count() > 1 {
                format!("-{}", resource.version)
            } else {
                String::new()
            };
            format!("mutate{}{version}", suffix(wiring))
        }
    };
    format!("{first}.{}.{api}", resource.plural)
}

fn check_names(functions: &[Function]) -> Result<(), Refusal> {
    for (at, function) in functions.iter().enumerate() {
        let wiring = function.wiring();
        if functions[..at].iter().any(|other| label(other.wiring()) == label(wiring)) {
            let headline = format!("two functions that review writes are called {}", wiring.name);
            return refuse(headline, "rename one of them: the name is part of its path and of its webhook");
        }
    }
    Ok(())
}

/// A review that cannot answer must not stop the pods that it needs itself, nor other programs.
fn check_foreign(function: &Function, own: &[KindInfo]) -> Result<(), Refusal> {
    let (wiring, kind) = (function.wiring(), function.kind());
    if wiring.failure == Failure::Ignore || wiring.anyway || is_own(own, kind) {
        return Ok(());
    }
    let (name, resource) = (wiring.name, &kind.resource);
    let headline = format!(
        "{name} blocks all writes of {} ({}) while this operator does not answer, and other programs need that kind",
        resource.kind, resource.api_version
    );
    refuse(headline, "write `failure = \"ignore\"`, reconcile the kind in this operator, or confirm it with `anyway`")
}

/// The names on the wire of the fields that the function refers to.
fn check_fields(function: &Function, own: &[OwnKind]) -> Result<(), Refusal> {
    let (wiring, paths) = (function.wiring(), schema(function.kind(), own));
    for field in wiring.fields {
        if let Err(unknown) = paths.check(field) {
            let (name, kind) = (wiring.name, &function.kind().resource.kind);
            let headline =
                format!("`{}` of {name} is not in the schema of {kind} at `{}`", unknown.name, unknown.parent);
            let known = unknown.known.join(", ");
            let help =
                format!("the schema has {known}: write `field!(.. {} as \"..\")` with one of them", unknown.name);
            return refuse(headline, help);
        }
    }
    Ok(())
}

/// The longest time for which an API server waits, in seconds.
const LONGEST: u64 = 30;

/// The functions of one webhook share what the API server knows of it.
fn check_group(group: &[Function]) -> Result<(), Refusal> {
    let (first, kind) = (group[0].wiring(), &group[0].kind().resource.kind);
    for other in &group[1..] {
        let wiring = other.wiring();
        let differs = [
            ("failure", first.failure != wiring.failure),
            ("when", first.when != wiring.when),
            ("objects", first.objects != wiring.objects),
            ("namespaces", first.namespaces != wiring.namespaces),
        ];
        if let Some((key, _)) = differs.into_iter().find(|(_, differs)| *differs) {
            let headline =
                format!("{} and {} change {kind} in one webhook, with different `{key}`", first.name, wiring.name);
            return refuse(
                headline,
                format!("give both the same `{key}`, or make it a condition inside of the function"),
            );
        }
        if group[0].0.object_type() != other.0.object_type() {
            let headline =
                format!("{} and {} change {kind} in one webhook, with different types", first.name, wiring.name);
            return refuse(headline, "let both take the same type");
        }
    }
    let seconds: u64 = group.iter().map(|function| function.wiring().timeout.as_secs()).sum();
    if seconds > LONGEST {
        let headline =
            format!("the functions that change {kind} have {seconds} s together, and the API server waits {LONGEST} s");
        return refuse(headline, "lower the `timeout` of one of them");
    }
    Ok(())
}

/// The schema of a kind of the operator, in its version.
fn schema(kind: &KindInfo, own: &[OwnKind]) -> WirePaths {
    let own = own.iter().filter(|one| is_own(std::slice::from_ref(&one.kind), kind));
    let versions = own.flat_map(|one| &one.definition.spec.versions);
    let version = versions.into_iter().find(|version| version.name == kind.resource.version);
    let schema = version.and_then(|version| version.schema.as_ref()?.open_api_v3_schema.as_ref());
    WirePaths(schema.and_then(|schema| serde_json::to_value(schema).ok()).unwrap_or(Value::Null))
}
