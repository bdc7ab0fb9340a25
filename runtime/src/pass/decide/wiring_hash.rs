//! The hash of the wiring: the part of the digest that depends on the code.

mod words;

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::dependency::Access;
use crate::trigger::hash;
use crate::wiring::triggers::Triggers;
use crate::wiring::{Adopt, FormerTool, Relation, StepWiring, Wiring};

/// The hash of the wiring. It covers conditions, steps, relations, error classes, the author's hook and the revision.
///
/// It also covers the allowed references to other namespaces, if a step watches objects or owns some there, and the owning operator. An object that is handed
/// over while its new operator is down must not count as unchanged, although the old operator left a status of the same wiring.
pub(in crate::pass) fn wiring(wiring: &Wiring, after: Option<&str>, access: Access, owner: Option<&str>) -> String {
    let mut text = text(wiring, after, access);
    if let Some(owner) = owner {
        let _ = write!(text, "\nof {owner}");
    }
    hash(&text)
}

/// The hash with the feature gates that differ from their defaults, which steps may read.
pub(in crate::pass) fn with_gates(wiring: String, gates: &str) -> String {
    if gates.is_empty() { wiring } else { hash(&format!("{wiring} {gates}")) }
}

/// The hash with that of the settings, which steps read. It is not stored by itself, since a change of settings is no other wiring.
pub(in crate::pass) fn with_settings<'w>(wiring: &'w str, settings: &str) -> Cow<'w, str> {
    if settings.is_empty() { wiring.into() } else { hash(&format!("{wiring} settings {settings}")).into() }
}

/// The text to hash. Only its hash is stored, but any change to the text makes every object of every user reconcile once after an upgrade.
fn text(wiring: &Wiring, after: Option<&str>, access: Access) -> String {
    let mut text = format!("{} {} {}", wiring.name, wiring.revision, words::previously(&wiring.previously));
    if wiring.depends_on {
        text.push_str(" depends");
    }
    let mut relations = wiring.relations();
    if access != Access::default() && relations.any(|relation| relation.how.is_watch() || relation.anywhere) {
        let _ = write!(text, " {}", words::access(access));
    }
    if let Some(hook) = after {
        let _ = write!(text, " after {hook}");
    }
    for condition in wiring.conditions {
        let _ = write!(text, "\n{} {}", condition.type_, words::polarity(condition.polarity));
    }
    for summary in wiring.summaries {
        let _ = write!(text, "\n{} of {}", summary.type_, words::places(summary.of));
    }
    if wiring.triggers != Triggers::ALL {
        let _ = write!(text, " {}", words::triggers(wiring.triggers));
    }
    if let Some(domain) = wiring.bare_status.conditions {
        let _ = write!(text, " conditions in {domain}");
    }
    if let Some(policies) = wiring.policies {
        let _ = write!(text, " {}", words::policies(policies));
    }
    if let Some(claim) = wiring.claim {
        let _ = write!(text, " claim {}", claim.step.name);
    }
    for hook in wiring.hooks {
        let _ = write!(text, " {} {}", words::when(hook.when), hook.step.name);
    }
    for step in wiring.all_steps() {
        add_step(&mut text, &step);
    }
    if let Some(summary) = wiring.summary {
        let _ = write!(text, "\n{summary}");
    }
    let _ = write!(text, "\n{}", crate::wiring::flow::describe(&wiring.nodes()));
    text
}

/// Adds the declarations of a step.
fn add_step(text: &mut String, step: &StepWiring) {
    let (sets, clears) = (words::places(step.sets), words::places(step.clears));
    let _ = write!(text, "\n{} {sets} {clears} {}", step.name, step.external);
    for relation in step.relations {
        let _ = write!(text, " {}", describe(relation));
    }
    if step.find_site.is_some() {
        text.push_str(" at a site");
    }
    if step.within_namespace {
        text.push_str(" within namespace");
    }
    if step.previously != FormerTool::NONE {
        let _ = write!(text, " {:?}", step.previously);
    }
    for name in step.formerly {
        let _ = write!(text, " formerly {name}");
    }
    if let Some(prefix) = step.prefix {
        let _ = write!(text, " prefix {prefix}");
    }
    for pattern in step.manages {
        let _ = write!(text, " manages {pattern}");
    }
    if let Some(source) = step.manages_of {
        let _ = write!(text, " manages {source}");
    }
    if step.escalates {
        text.push_str(" escalates");
    }
    if step.events {
        text.push_str(" events");
    }
    for function in step.ready {
        let kind = function.kind.map_or_else(String::new, |kind| kind().resource.kind.clone());
        let _ = write!(text, " ready {kind}={}", function.name);
    }
    for action in step.actions {
        let _ = write!(text, " on {action}");
    }
    for error in step.errors {
        let _ = write!(text, " {}={}", error.reason, error.class);
    }
}

fn describe(relation: &Relation) -> String {
    let kind = relation.kind.map(|kind| kind().resource);
    let kind = kind.map_or_else(String::new, |r| format!("{}/{}", r.api_version, r.kind));
    let explicit = Some(relation.cache).filter(|cache| *cache != relation.how.cache());
    let cache = explicit.map_or_else(String::new, |cache| format!(" keeps {}", words::cache(cache)));
    let adopt = Some(relation.adopt).filter(|adopt| *adopt != Adopt::Never);
    let adopt = adopt.map_or_else(String::new, |adopt| format!(" adopts {}", words::adopt(adopt)));
    let maps = relation.mapping().map_or_else(String::new, |mapping| format!(" maps {}", mapping.name()));
    let anywhere = if relation.anywhere { " anywhere" } else { "" };
    let labels = Some(relation.label_selector()).filter(|labels| !labels.is_empty());
    let labels = labels.map_or_else(String::new, |labels| format!(" labels {labels}"));
    format!("{} {kind}{cache}{adopt}{anywhere}{labels}{maps}", words::how(relation.how))
}

#[cfg(test)]
mod tests;
