//! The changes between two versions of a CRD, and which of them break objects or clients.

use std::collections::BTreeMap;

use serde_json::Value;

use super::api_diff::ApiDiff;
use super::crd_contract::{CrdContract, FieldContract};

/// What to do about a field that clients or stored objects rely on.
const KEEP_FIELD: &str = "keep the field as it was, or serve the change as a new version of the kind";
/// What to do about a check that refuses what was accepted.
const ACCEPT: &str = "accept what was accepted before, or serve the change as a new version of the kind";
/// What to do about a version that is gone.
const SERVE: &str = "serve it until no client uses it, or release a major version";

type Crds = BTreeMap<String, CrdContract>;
type Fields = BTreeMap<String, FieldContract>;

/// The changes from the first CRDs to the second ones.
pub(super) fn compare(before: &Crds, after: &Crds) -> Vec<ApiDiff> {
    let mut found = Vec::new();
    for (name, old) in before {
        match after.get(name) {
            None => found.push(ApiDiff::major(format!("removed: CRD {name}"), SERVE)),
            Some(new) => compare_crd(name, old, new, &mut found),
        }
    }
    let new = after.keys().filter(|name| !before.contains_key(*name));
    found.extend(new.map(|name| ApiDiff::minor(format!("added: CRD {name}"))));
    found
}

fn compare_crd(name: &str, old: &CrdContract, new: &CrdContract, found: &mut Vec<ApiDiff>) {
    if old.scope != new.scope {
        let what = format!("changed: scope of CRD {name}: {} -> {}", old.scope, new.scope);
        found.push(ApiDiff::major(what, "restore it: the scope of an installed CRD cannot change"));
    }
    for (version, fields) in &old.versions {
        match new.versions.get(version) {
            None => found.push(ApiDiff::major(format!("removed: version {version} of CRD {name}"), SERVE)),
            Some(new) => Version { crd: name, version, old: fields, new }.compare(found),
        }
    }
    let added = new.versions.keys().filter(|version| !old.versions.contains_key(*version));
    found.extend(added.map(|version| ApiDiff::minor(format!("added: version {version} of CRD {name}"))));
}

/// One version in both CRDs.
struct Version<'a> {
    crd: &'a str,
    version: &'a str,
    old: &'a Fields,
    new: &'a Fields,
}

impl Version<'_> {
    fn compare(&self, found: &mut Vec<ApiDiff>) {
        for (path, old) in self.old {
            match self.new.get(path) {
                // A field within a removed one is reported with that one.
                None if parent(path).is_some_and(|parent| !self.new.contains_key(parent)) => {}
                None => found.push(ApiDiff::major(format!("removed: {}", self.field(path)), KEEP_FIELD)),
                Some(new) => self.compare_field(path, old, new, found),
            }
        }
        for (path, new) in self.new.iter().filter(|(path, _)| !self.old.contains_key(*path)) {
            let has_parent = parent(path).is_none_or(|parent| self.old.contains_key(parent));
            if has_parent && new.required {
                let help = "give the field a default, or serve the change as a new version of the kind";
                found.push(ApiDiff::major(format!("added: {}, which is required", self.field(path)), help));
            } else if has_parent {
                found.push(ApiDiff::minor(format!("added: {}", self.field(path))));
            }
        }
    }

    fn field(&self, path: &str) -> String {
        format!("field {path} of {}/{}", self.crd, self.version)
    }

    fn compare_field(&self, path: &str, old: &FieldContract, new: &FieldContract, found: &mut Vec<ApiDiff>) {
        let place = self.field(path);
        let mut change = |is_major: bool, fact: &str, was: String, is: String, help: &'static str| {
            let what = format!("changed: {place}, {fact}: {was} -> {is}");
            found.push(if is_major { ApiDiff::major(what, help) } else { ApiDiff::minor(what) });
        };
        if old.type_ != new.type_ {
            change(true, "type", old.type_.clone(), new.type_.clone(), KEEP_FIELD);
        }
        if old.required != new.required {
            change(new.required, "required", old.required.to_string(), new.required.to_string(), ACCEPT);
        }
        if old.nullable != new.nullable {
            change(old.nullable, "nullable", old.nullable.to_string(), new.nullable.to_string(), ACCEPT);
        }
        if old.default != new.default {
            change(
                old.default.is_some(),
                "default",
                shown(old.default.as_ref()),
                shown(new.default.as_ref()),
                KEEP_FIELD,
            );
        }
        if old.values != new.values {
            let listed = |field: &FieldContract| {
                let list = |values: &std::collections::BTreeSet<String>| values.iter().cloned().collect::<Vec<_>>();
                field.values.as_ref().map_or_else(|| "any".to_owned(), |values| list(values).join(" | "))
            };
            let is_narrower = match (&old.values, &new.values) {
                (_, None) => false,
                (None, Some(_)) => true,
                (Some(old), Some(new)) => !old.is_subset(new),
            };
            change(is_narrower, "values", listed(old), listed(new), ACCEPT);
        }
        let names = old.limits.keys().chain(new.limits.keys().filter(|name| !old.limits.contains_key(*name)));
        for name in names {
            let (was, is) = (old.limits.get(name), new.limits.get(name));
            if was != is {
                change(is_tighter(name, was, is), name, shown(was), shown(is), ACCEPT);
            }
        }
        for rule in new.rules.difference(&old.rules) {
            change(true, "rule", "none".to_owned(), rule.clone(), ACCEPT);
        }
        for rule in old.rules.difference(&new.rules) {
            change(false, "rule", rule.clone(), "none".to_owned(), ACCEPT);
        }
        if old.alternatives != new.alternatives {
            let text = |field: &FieldContract| field.alternatives.clone().unwrap_or_else(|| "none".to_owned());
            change(new.alternatives.is_some(), "alternatives", text(old), text(new), ACCEPT);
        }
    }
}

/// The path of the object that contains the field, or of the list or map that contains the item.
fn parent(path: &str) -> Option<&str> {
    let trimmed = path.strip_suffix("[]").or_else(|| path.strip_suffix("{}"));
    trimmed.or_else(|| path.rsplit_once('.').map(|(parent, _)| parent))
}

/// Whether the limit refuses values that the former one accepted.
fn is_tighter(name: &str, was: Option<&Value>, is: Option<&Value>) -> bool {
    let (Some(was), Some(is)) = (was, is) else { return is.is_some() };
    match (was.as_f64(), is.as_f64()) {
        (Some(was), Some(is)) if name.starts_with("max") => is < was,
        (Some(was), Some(is)) if name.starts_with("min") => is > was,
        // Whether a pattern, a format or a divisor accepts less is not decided here.
        _ => true,
    }
}

fn shown(value: Option<&Value>) -> String {
    value.map_or_else(|| "none".to_owned(), ToString::to_string)
}

#[cfg(test)]
mod tests;
