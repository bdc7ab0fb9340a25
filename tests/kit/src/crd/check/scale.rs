//! Validates the paths of the scale subresource.

use serde_json::Value;

use super::super::field::text;
use super::label::invalid;
use crate::schema::Cause;

pub(super) fn check(subresources: &Value, field: &str, causes: &mut Vec<Cause>) {
    let Some(scale) = subresources.get("scale").filter(|scale| !scale.is_null()) else { return };
    let paths = [
        ("specReplicasPath", &[".spec."][..], "should be a json path under .spec"),
        ("statusReplicasPath", &[".status."][..], "should be a json path under .status"),
    ];
    for (name, roots, rule) in paths {
        let field = format!("{field}.scale.{name}");
        match text(scale, &format!("/{name}")) {
            "" => causes.push(Cause::required(&field, "")),
            path => causes.extend(wrong(path, roots, rule).map(|why| invalid(&field, path, why))),
        }
    }
    let selector = text(scale, "/labelSelectorPath");
    if !selector.is_empty() {
        let rule = "should be a json path under either .spec or .status";
        let why = wrong(selector, &[".spec.", ".status."], rule);
        causes.extend(why.map(|why| invalid(&format!("{field}.scale.labelSelectorPath"), selector, why)));
    }
}

fn wrong<'a>(path: &str, roots: &[&str], rule: &'a str) -> Option<&'a str> {
    if !path.starts_with('.') {
        Some("must be a simple json path starting with .")
    } else if roots.iter().any(|root| path.starts_with(root)) {
        None
    } else {
        Some(rule)
    }
}
