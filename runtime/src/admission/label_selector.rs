//! Label selectors in their text form as those of a webhook configuration.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, LabelSelectorRequirement};

/// The selector of a text that the macro has checked: `team=a,tier in (web, db),!legacy`.
pub(super) fn label_selector(text: &str) -> LabelSelector {
    let mut selector = LabelSelector::default();
    for part in requirements(text).map(str::trim).filter(|part| !part.is_empty()) {
        let requirement = requirement(part);
        match (&*requirement.operator, requirement.values.as_deref()) {
            ("In", Some([only])) => {
                selector.match_labels.get_or_insert_default().insert(requirement.key.clone(), only.clone());
            }
            _ => selector.match_expressions.get_or_insert_default().push(requirement),
        }
    }
    selector
}

/// The requirements, which are separated by the commas outside of parentheses.
fn requirements(selector: &str) -> impl Iterator<Item = &str> {
    let mut inside = false;
    selector.split(move |c| {
        inside = c == '(' || inside && c != ')';
        c == ',' && !inside
    })
}

fn requirement(part: &str) -> LabelSelectorRequirement {
    let of = |key: &str, operator: &str, values: Option<&str>| LabelSelectorRequirement {
        key: key.trim().to_owned(),
        operator: operator.to_owned(),
        values: values.map(|values| values.split(',').map(|value| value.trim().to_owned()).collect()),
    };
    if let Some((left, set)) = part.strip_suffix(')').and_then(|left| left.split_once('(')) {
        let left = left.trim();
        return match left.strip_suffix(" notin") {
            Some(key) => of(key, "NotIn", Some(set)),
            None => of(left.trim_end_matches(" in"), "In", Some(set)),
        };
    }
    if let Some(key) = part.strip_prefix('!') {
        return of(key, "DoesNotExist", None);
    }
    match (part.split_once("!="), part.split_once('=')) {
        (Some((key, value)), _) => of(key, "NotIn", Some(value)),
        (None, Some((key, value))) => of(key, "In", Some(value.trim_start_matches('='))),
        (None, None) => of(part, "Exists", None),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_form_of_a_requirement_is_converted() {
        let selector = label_selector("team=a, tier in (web, db),x notin (y),!legacy,zone,b!=c,d==e");
        let expressions = json!([
            { "key": "tier", "operator": "In", "values": ["web", "db"] },
            { "key": "x", "operator": "NotIn", "values": ["y"] },
            { "key": "legacy", "operator": "DoesNotExist" },
            { "key": "zone", "operator": "Exists" },
            { "key": "b", "operator": "NotIn", "values": ["c"] },
        ]);
        assert_eq!(
            json!(selector),
            json!({ "matchLabels": { "team": "a", "d": "e" }, "matchExpressions": expressions })
        );
        assert_eq!(json!(label_selector("")), json!({}));
    }
}
