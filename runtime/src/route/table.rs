//! The routes of an operator, and the setups that are refused when it starts.

use super::erased::Route;
use super::template::{Matched, Template};
use crate::wiring::route::Method;

/// Why an operator with these routes does not start: the headline, and the fix.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) headline: String,
    pub(crate) help: &'static str,
}

/// A route with its path, and the resource on which a user needs its verb.
pub(super) struct Entry {
    pub(super) route: Route,
    template: Template,
    pub(super) resource: String,
    pub(super) subresource: String,
}

/// What there is at a path.
pub(super) enum Found<'t> {
    Route(&'t Entry, Matched),
    /// Only other methods are answered.
    OtherMethods(Vec<&'static str>),
    Nothing,
}

/// The routes of an operator, most exact paths first.
pub(crate) struct Table(Vec<Entry>);

impl Table {
    /// # Errors
    /// Two routes have one name or one path, or the resource of a route is none of its kind.
    pub(crate) fn new(routes: &[Route]) -> Result<Self, Refusal> {
        let mut entries: Vec<Entry> = Vec::new();
        for route in routes {
            let entry = entry(route)?;
            entries.iter().try_for_each(|other| check_twins(other, &entry))?;
            entries.push(entry);
        }
        entries.sort_by(|one, other| one.template.cmp(&other.template));
        Ok(Self(entries))
    }

    /// What there is for this method at this path.
    pub(super) fn find(&self, method: &http::Method, path: &str) -> Found<'_> {
        let matches = |entry| Some((entry, Entry::matched(entry, path)?));
        let mut others: Vec<Method> = Vec::new();
        for (entry, matched) in self.0.iter().filter_map(matches) {
            if entry.route.wiring().method.as_str() == method.as_str() {
                return Found::Route(entry, matched);
            }
            others.push(entry.route.wiring().method);
        }
        others.sort_unstable();
        others.dedup();
        match others.is_empty() {
            true => Found::Nothing,
            false => Found::OtherMethods(others.into_iter().map(Method::as_str).collect()),
        }
    }
}

impl Entry {
    fn matched(&self, path: &str) -> Option<Matched> {
        self.template.matched(self.route.kind(), path)
    }
}

fn entry(route: &Route) -> Result<Entry, Refusal> {
    let (resource, plural) = (route.resource(), &route.kind().resource.plural);
    match resource.split_once('/') {
        Some((of, subresource)) if of == plural => {
            let subresource = subresource.to_owned();
            Ok(Entry { route: route.clone(), template: route.template(), resource: plural.clone(), subresource })
        }
        _ => {
            let (name, kind) = (route.wiring().name, &route.kind().resource.kind);
            let headline =
                format!("the route {name} is about {kind}, and its resource `{resource}` is none of `{plural}`");
            Err(Refusal { headline, help: "leave `resource` out, or begin it with the plural of the kind and a `/`" })
        }
    }
}

fn check_twins(one: &Entry, other: &Entry) -> Result<(), Refusal> {
    let (wiring, twin) = (one.route.wiring(), other.route.wiring());
    if wiring.name == twin.name {
        let headline = format!("two routes are called {}", wiring.name);
        return Err(Refusal { headline, help: "rename one of them: the name is part of its metrics" });
    }
    if wiring.method == twin.method && one.template.is_same(&other.template) {
        let (name, twin, method) = (wiring.name, twin.name, wiring.method.as_str());
        let headline = format!("{name} and {twin} both answer {method} {}", other.template);
        return Err(Refusal { headline, help: "give one of them another path or another method" });
    }
    Ok(())
}
